import pytest
from written_runs import row, write_run

pytest.importorskip("matplotlib")


@pytest.fixture
def runs(tmp_path, monkeypatch):
    for k in (1, 5):
        write_run(tmp_path / f"k{k}", [row("q1", [], right=k == 5)], settings={"k": k})
    monkeypatch.chdir(tmp_path)
    return [tmp_path / "k1", tmp_path / "k5"]


def test_a_picture_is_drawn_where_the_file_is_one(run, runs, tmp_path):
    assert run("view", *runs, "--of", "k", "--to", "k.svg") == (0, "wrote k.svg\n", "")
    assert "<svg" in (tmp_path / "k.svg").read_text()
    assert run("view", *runs, "--to", "mine.png") == (0, "wrote mine.png\n", "")
    assert (tmp_path / "mine.png").read_bytes().startswith(b"\x89PNG")


def test_bad_input_is_one_sentence(run, runs):
    for given, said in (
        ([*runs, "--of", "depth"], "unknown setting 'depth'. Valid: frontier, k"),
        ([*runs, "--of", "curve"], "a curve is drawn of one study, the folder of `multihop reproduce`, not of 2."),
    ):
        assert run("view", *given, "--to", "k.svg") == (2, "", f"multihop: {said}\n")
