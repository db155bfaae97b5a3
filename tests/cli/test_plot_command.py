import json

import pytest
from written_runs import row, write_run

pytest.importorskip("matplotlib")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    for k in (1, 5):
        write_run(tmp_path / f"k{k}", [row("q1", [], right=k == 5)], settings={"k": k})
    monkeypatch.chdir(tmp_path)
    return [tmp_path / "k1", tmp_path / "k5"]


def test_the_picture_is_where_it_was_wanted(run, runs, tmp_path):
    assert run("plot", *runs, "--of", "k") == (0, "wrote k.svg\n", "")
    assert "<svg" in (tmp_path / "k.svg").read_text()
    assert run("plot", *runs, "--to", "mine.png") == (0, "wrote mine.png\n", "")
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")


def test_the_figures_as_json_draw_nothing_unless_told(run, runs, tmp_path):
    figures = json.loads(run("plot", *runs, "--of", "k", "--metric", "em", "--json")[1])
    assert [(each["x"], each["y"]) for each in figures] == [(1, 0.0), (5, 100.0)]
    assert not (tmp_path / "k.svg").exists()
    assert run("plot", *runs, "--json", "--to", "a.svg")[0] == 0
    assert (tmp_path / "a.svg").exists()


def test_bad_input_is_one_sentence(run, runs):
    for given, said in (
        ([], "give the folders of runs, such as: multihop plot runs/first runs/second"),
        ([*runs, "--of", "depth"], "unknown setting 'depth'. Valid: frontier, k"),
        ([*runs, "--of", "curve"], "a curve is drawn of one study, the folder of `multihop reproduce`, not of 2."),
    ):
        assert run("plot", *given) == (2, "", f"multihop: {said}\n")
