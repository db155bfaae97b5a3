"""Commands as another program reads them: JSON on the output, and nothing else where that is asked."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("tiny_encoder")


@pytest.fixture
def asked(corpus, tmp_path):
    """Options that ask one question of a small corpus."""
    (tmp_path / "dev.jsonl").write_text(
        '{"id": "q1", "question": "When was Jerzy Kowal born?", "answers": ["1922"], "supporting": ["p2"]}\n'
    )
    return "-q", tmp_path / "dev.jsonl", "-c", corpus, "--lm", "local"


def result(run, *arguments):
    """The JSON that a command prints where it is told to say nothing else."""
    code, out, err = run(*arguments, "--json", "--quiet")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_a_run_and_its_repeats(run, asked, tmp_path):
    found = result(run, "evaluate", "one-step", *asked, "--out", tmp_path / "run")
    assert [*found] == ["one-step"]
    assert (found["one-step"]["folder"], found["one-step"]["n_ok"]) == (str(tmp_path / "run"), 1)
    assert found["one-step"] == {"folder": str(tmp_path / "run"), **read(tmp_path / "run" / "summary.json")}
    found = result(run, "evaluate", "one-step", *asked, "--repeats", 2, "--out", tmp_path / "two")
    assert (found["one-step"]["seeds"], found["one-step"]["metrics"]["em"]["n"]) == ([0, 1], 1)


def read(path):
    return json.loads(path.read_text())


def test_a_run_that_is_shown(run, asked, tmp_path):
    result(run, "evaluate", "one-step", *asked, "--out", tmp_path / "run")
    shown = json.loads(run("show", tmp_path / "run", "--json")[1])
    assert shown == {"header": read(tmp_path / "run" / "run.json"), "summary": read(tmp_path / "run" / "summary.json")}
    row = json.loads(run("show", tmp_path / "run", "q1", "--json")[1])
    assert (row["id"], row["answers"]) == ("q1", ["1922"])


def test_a_compile(run, tmp_path):
    found = result(
        run, "compile", "one-step", "--lm", "local", "--variants", "zero-shot", "--train-limit", 2, "--dev-limit", 2,
        "--to", tmp_path / "best.json",
    )  # fmt: skip
    assert (found["best"], found["artefact"]) == ("zero-shot", str(tmp_path / "best.json"))
    assert [(each["variant"], each["calls"]) for each in found["outcomes"]] == [("zero-shot", 1.0)]


def test_an_index(run, corpus, tmp_path):
    found = result(run, "index", corpus, "--to", tmp_path / "index")
    assert (found["index"], found["passages"]) == (str(tmp_path / "index"), 3)
    assert found["fingerprint"].startswith("bm25-")


def test_a_cloning(run, tmp_path):
    found = result(run, "clone", "mzqa", "--from-gold", "--limit", 1, "--out", tmp_path / "clone")
    assert (found["questions"], found["kept"], found["step"], found["model"]) == (1, 1, "plan", None)
    assert found["file"] == str(tmp_path / "clone" / "plan.jsonl")


def test_a_study_and_what_it_would_take(run, tmp_path):
    little = ("-q", "little", "-c", "little", "--limit", 1)
    options = ("resp-table-1", "--rows", "Standard RAG", *little, "--out", tmp_path / "study")
    priced = result(run, "reproduce", *options, "--dry-run")
    assert [(each["row"], each["questions"], each["most_calls"]) for each in priced] == [("Standard RAG", 1, 1)]
    table = result(run, "reproduce", *options, "--lm", "local")
    assert table == {"folder": str(tmp_path / "study"), **read(tmp_path / "study" / "table.json")}


def test_what_was_written(run, asked, tmp_path):
    result(run, "evaluate", "one-step", *asked, "--out", tmp_path / "run")
    found = json.loads(run("view", tmp_path / "run", "--json")[1])
    assert found == {"wrote": [str(tmp_path / "run" / "page.html")]}
    code, out, _ = run("view", tmp_path / "run")
    assert (code, out) == (0, f"wrote {found['wrote'][0]}\n")


def test_experiments(run):
    listed = {each["name"]: each for each in json.loads(run("experiments", "--json")[1])}
    assert listed["resp-table-1"]["questions"] > 1000
    assert json.loads(run("experiments", "resp-table-1", "--json")[1])["title"] == listed["resp-table-1"]["title"]


def test_quiet_leaves_the_result_and_what_went_wrong(run, asked, tmp_path):
    code, out, err = run("evaluate", "one-step", *asked, "--out", tmp_path / "run", "--quiet")
    assert (code, err) == (0, "")
    assert "one-step" in out
    code, out, err = run("evaluate", "one-step", *asked, "--out", tmp_path / "run", "--set", "k=3", "--quiet")
    assert (code, out) == (2, "")
    assert err.startswith(f"multihop: {tmp_path / 'run'} was made with program.settings.k = 5, and now it is 3")
    code, out, err = run("ask", "Who?", "--lm", "local", "--quiet")
    assert (code, err) == (0, "")
    assert "no --corpus, so the little encyclopedia" in run("ask", "Who?", "--lm", "local")[2]


def test_what_was_left_out_is_not_said_either(run, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"id": "1", "title": "A", "text": "b"}\n{}\n')
    indexed = ("index", tmp_path / "corpus.jsonl", "--skip-bad", 1, "--to")
    assert "1 bad record was left out" in run(*indexed, tmp_path / "a")[2]
    assert run(*indexed, tmp_path / "b", "--quiet")[2] == ""
