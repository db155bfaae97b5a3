import json
import webbrowser

import pytest

pytestmark = pytest.mark.usefixtures("tiny_encoder")


@pytest.fixture
def finished(run, corpus, tmp_path):
    """Two runs over one question, and their folders."""
    (tmp_path / "dev.jsonl").write_text(
        '{"id": "q1", "question": "When was Jerzy Kowal born?", "answers": ["1922"], "supporting": ["p2"]}\n'
    )
    folders = [tmp_path / "runs" / f"k{k}" for k in (1, 2)]
    for k, folder in enumerate(folders, 1):
        made = run(
            "evaluate",
            "one-step",
            "-q",
            tmp_path / "dev.jsonl",
            "-c",
            corpus,
            "--lm",
            "local",
            "--set",
            f"k={k}",
            "--out",
            folder,
        )
        assert made[0] == 0
    return folders


def test_a_run_becomes_a_page_in_its_folder(run, finished):
    code, out, err = run("view", finished[0])
    assert (code, out, err) == (0, f"wrote {finished[0] / 'page.html'}\n", "")
    page = (finished[0] / "page.html").read_text()
    assert "<title>one-step – multihop</title>" in page
    assert '"question":["When was Jerzy Kowal born?"]' in page


def test_several_become_a_comparison_beside_the_first(run, finished):
    code, out, _ = run("view", *finished)
    path = finished[0].parent / "comparison.html"
    assert (code, out) == (0, f"wrote {path}\n")
    assert "<title>one-step k=1 · one-step k=2 – multihop</title>" in path.read_text()


def test_the_page_is_opened_where_that_is_asked(run, finished, corpus, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    code, _, err = run("view", finished[0], "--corpus", corpus, "--to", tmp_path / "mine.html", "--open")
    assert (code, err) == (0, "")
    assert opened == [(tmp_path / "mine.html").as_uri()]


def test_repeats_are_shown_run_by_run(run, finished, corpus, tmp_path):
    three = tmp_path / "runs" / "three"
    asked = [
        "evaluate",
        "one-step",
        "-q",
        tmp_path / "dev.jsonl",
        "-c",
        corpus,
        "--lm",
        "local",
        "--repeats",
        3,
        "--out",
        three,
    ]
    assert run(*asked)[0] == 0
    assert run("view", three)[0] == 0
    page = (three / "page.html").read_text()
    assert page.count('<table class="figures differences">') == 2


def test_a_study_becomes_its_table(run, tmp_path):
    made = run(
        "reproduce",
        "resp-table-1",
        "--lm",
        "local",
        "-q",
        "little",
        "-c",
        "little",
        "--limit",
        1,
        "--rows",
        "Standard RAG",
        "--out",
        tmp_path / "study",
    )
    assert made[0] == 0
    code, out, _ = run("view", tmp_path / "study")
    assert (code, out) == (0, f"wrote {tmp_path / 'study' / 'page.html'}\n")
    table = json.loads((tmp_path / "study" / "table.json").read_text())
    assert f"<h1>{table['title']}</h1>" in (tmp_path / "study" / "page.html").read_text()
    code, _, err = run("view", tmp_path / "study", "--corpus", "little")
    assert (code, err) == (2, "multihop: --corpus goes with runs; the page of this study shows figures alone.\n")


def test_bad_input_is_one_sentence(run, finished, tmp_path):
    assert run("view")[2] == "multihop: give the folder of a run, such as: multihop view runs/first\n"
    assert run("view", tmp_path / "none")[2] == f"multihop: {tmp_path / 'none'} is not a run: it has no run.json.\n"
    assert run("view", finished[0], finished[0])[2] == f"multihop: {finished[0]} is given twice; give each run once.\n"
    code, _, err = run("view", finished[0], "--corpus", "little")
    assert code == 2
    assert "of the run is in the corpus, such as 'p" in err
