"""`compare`, `show` and `view` over finished runs: tables, figures for other programs, pages and pictures."""

import csv
import io
import json
import webbrowser

import pytest

from multihop.__main__ import main

pytestmark = pytest.mark.usefixtures("tiny_encoder")


@pytest.fixture(scope="module")
def finished(tmp_path_factory, tiny_encoder_folder):
    """The folders of three runs over six questions of the little encyclopedia, with 1, 5 and 9 passages a search."""
    folder = tmp_path_factory.mktemp("runs")
    for k in (1, 5, 9):
        options = ["--set", f"k={k}", "--limit", "6", "--lm", "local", "--quiet", "--out", str(folder / f"k{k}")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("multihop.encoder.encoder.BUILT_IN", tiny_encoder_folder)
            assert main(["evaluate", "one-step", *options]) == 0
    return [folder / f"k{k}" for k in (1, 5, 9)]


def told(text):
    return [" ".join(line.split()) for line in text.splitlines()]


def test_three_runs_have_a_row_each_for_other_programs_too(run, finished, tmp_path):
    code, table, err = run("compare", *finished)
    assert (code, err, told(table)[:3]) == (0, "", ["A: one-step k=1", "B: one-step k=5", "C: one-step k=9"])
    assert "; --metric NAME shows another one of recall@2, recall@15, all-recall@5, recall@K, K" in " ".join(
        told(table)
    )
    rows = json.loads(run("compare", *finished, "--json", "--to", tmp_path / "table.csv")[1])
    assert [(row["run"], row["questions"], row["K"]) for row in rows] == [
        ("one-step k=1", 6, 1.0),
        ("one-step k=5", 6, 5.0),
        ("one-step k=9", 6, 9.0),
    ]
    written = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text())))
    assert [row["K difference"] for row in written] == ["", "4.0", "8.0"]


def test_the_metrics_that_are_shown_are_chosen(run, finished, tmp_path):
    chosen = ("--metric", "K", "--metric", "recall@15")
    _, table, _ = run("compare", *finished, *chosen, "--to", tmp_path / "table.tex")
    assert "K recall@15 calls tokens" in told(table)
    assert r" & K & recall@15 & Calls & Tokens & Seconds \\" in (tmp_path / "table.tex").read_text().splitlines()
    _, table, _ = run("compare", *finished[:2], *chosen)
    rows = [line.split()[0] for line in table.splitlines() if line.startswith((" K", " recall", " em"))]
    assert rows == ["K", "recall@15"]
    (row, *_) = json.loads(run("compare", *finished, *chosen, "--json")[1])
    assert ({"K", "recall@15", "K n"} <= set(row), "em" in row) == (True, False)


def test_what_was_cut_short_is_said_first_and_the_cache_only_where_it_was_used(run, finished, tmp_path):
    text = run("compare", *finished[:2])[1]
    assert ("came from the cache" in text, "paid: 6 calls, " in text) == (False, True)
    for name, more in (("a", ()), ("b", ("--budget-calls", "1"))):
        asked = ("evaluate", "tor", "--lm", "local", "--limit", "2", "--out", tmp_path / name)
        assert run(*asked, *more)[0] == 0
    text = run("compare", tmp_path / "a", tmp_path / "b")[1]
    assert text.splitlines()[0] == "B: 2 of 2 questions were cut short by the budget"


def rows_of(folder):
    return [json.loads(line) for line in (folder / "questions.jsonl").read_text().splitlines()]


def test_a_question_is_shown_with_the_search_for_its_answer(run, finished):
    row = next(row for row in rows_of(finished[1]) if row["metrics"]["recall@K"] not in (0, 1))
    code, text, err = run("show", finished[1], row["id"])
    lines = told(text)
    assert (code, err) == (0, "")
    answer = f"→ {row['answer']}"
    assert lines[lines.index(answer) + 1] == f"gold: {' / '.join(row['answers'])}"
    hits = row["trajectory"][0]["hits"]
    marks = ["● " if hit["id"] in row["supporting"] else "" for hit in hits]
    passages = [f"{n}. {mark}{hit['title']} {hit['id']}" for n, mark, hit in zip(range(1, 6), marks, hits, strict=True)]
    assert lines[lines.index("passages") + 1 :][:5] == passages
    missing = [each for each in row["supporting"] if each not in [hit["id"] for hit in hits]]
    assert f"gold that is not among them: {', '.join(missing)}" in lines
    assert lines[lines.index("steps") + 1] == "one-step on local"
    assert lines[-1].startswith("1 LM call · 1 retrieval · ")


def test_a_run_is_shown_as_json(run, finished):
    files = {name: json.loads((finished[0] / f"{name}.json").read_text()) for name in ("run", "summary")}
    assert json.loads(run("show", finished[0], "--json")[1]) == {"header": files["run"], "summary": files["summary"]}
    row = rows_of(finished[0])[0]
    assert json.loads(run("show", finished[0], row["id"], "--json")[1]) == row
    told = "multihop: a run's folder is shown alone, or with the id of one of its questions.\n"
    assert run("show", finished[0], "--set", "k=3") == (2, "", told)


def test_runs_become_a_page_that_can_be_opened(run, finished, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    page = finished[0] / "page.html"
    assert run("view", finished[0]) == (0, f"wrote {page}\n", "")
    assert "<title>one-step – multihop</title>" in page.read_text()
    path = finished[0].parent / "comparison.html"
    code, out, _ = run("view", *finished[:2], "--json")
    assert (code, json.loads(out)) == (0, {"wrote": [str(path)]})
    assert "<title>one-step k=1 · one-step k=5 – multihop</title>" in path.read_text()
    code, _, err = run("view", finished[0], "--corpus", "little", "--to", tmp_path / "mine.html", "--open")
    assert (code, err) == (0, "")
    assert opened == [(tmp_path / "mine.html").as_uri()]


def test_repeats_and_a_study_become_a_page(run, tmp_path):
    little = ("-q", "little", "-c", "little", "--lm", "local", "--limit", 1)
    assert run("evaluate", "one-step", *little, "--repeats", 3, "--out", tmp_path / "three")[0] == 0
    assert run("view", tmp_path / "three")[0] == 0
    assert (tmp_path / "three" / "page.html").read_text().count('<table class="figures differences">') == 2
    study = tmp_path / "study"
    assert run("reproduce", "resp-table-1", *little, "--rows", "Standard RAG", "--out", study)[0] == 0
    assert run("view", study) == (0, f"wrote {study / 'page.html'}\n", "")
    table = json.loads((study / "table.json").read_text())
    assert f"<h1>{table['title']}</h1>" in (study / "page.html").read_text()
    told = "multihop: --corpus goes with runs; the page of this study shows figures alone.\n"
    assert run("view", study, "--corpus", "little") == (2, "", told)


def test_a_picture_is_drawn_where_the_file_is_one(run, finished, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    assert run("view", *finished, "--of", "k", "--to", "k.svg") == (0, "wrote k.svg\n", "")
    assert "<svg" in (tmp_path / "k.svg").read_text()
    told = "multihop: unknown setting 'depth'. Valid: budget, frontier, k, reads, retries\n"
    assert run("view", *finished, "--of", "depth", "--to", "k.svg") == (2, "", told)
