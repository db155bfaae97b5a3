import json

import pytest
from written_runs import row, write_run


@pytest.fixture
def runs(tmp_path):
    for k in (1, 5):
        write_run(tmp_path / f"k{k}", [row("q1", [], right=k == 5)], settings={"k": k})
    return [tmp_path / "k1", tmp_path / "k5"]


def test_the_picture_is_where_it_was_wanted(run, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("plot", *runs, "--of", "k") == (0, "wrote k.svg\n", "")
    assert "<title>em by k</title>" in (tmp_path / "k.svg").read_text()
    assert run("plot", *runs, "--to", "mine.svg") == (0, "wrote mine.svg\n", "")
    assert "<title>em over LM calls a question</title>" in (tmp_path / "mine.svg").read_text()


def test_the_figures_as_json_draw_nothing_unless_told(run, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figures = json.loads(run("plot", *runs, "--of", "k", "--json")[1])
    assert [(each["value"], each["mean"]) for each in figures] == [(1, 0.0), (5, 100.0)]
    assert not (tmp_path / "k.svg").exists()
    assert run("plot", *runs, "--json", "--to", "a.svg")[0] == 0
    assert (tmp_path / "a.svg").exists()


def test_bad_input_is_one_sentence(run, runs, tmp_path):
    code, out, err = run("plot", runs[0])
    assert (code, out, err) == (2, "", "multihop: a plot takes two runs or more, not 1.\n")
    assert run("plot", *runs, "--of", "depth")[2] == "multihop: unknown setting of tor 'depth'. Valid: k, shots\n"
