"""Commands as another program reads them: JSON on the output, and nothing else where that is asked."""

import json

import pytest

from multihop.experiments import experiment_names

pytestmark = pytest.mark.usefixtures("tiny_encoder")
LITTLE = ("-q", "little", "-c", "little", "--lm", "local", "--limit", 1)


def result(run, *arguments):
    """The JSON that a command prints where it is told to say nothing else."""
    code, out, err = run(*arguments, "--json", "--quiet")
    assert (code, err) == (0, "")
    return json.loads(out)


def read(path):
    return json.loads(path.read_text())


def test_a_run_and_its_repeats(run, tmp_path):
    found = result(run, "evaluate", "one-step", *LITTLE, "--out", tmp_path / "run")
    assert found == {"one-step": {"folder": str(tmp_path / "run"), **read(tmp_path / "run" / "summary.json")}}
    found = result(run, "evaluate", "one-step", *LITTLE, "--repeats", 2, "--out", tmp_path / "two")
    assert (found["one-step"]["seeds"], found["one-step"]["metrics"]["em"]["n"]) == ([0, 1], 1)


def test_a_compile(run, tmp_path):
    found = result(
        run, "compile", "one-step", "--lm", "local", "--variants", "zero-shot", "--train-limit", 2, "--dev-limit", 2,
        "--to", tmp_path / "best.json",
    )  # fmt: skip
    assert (found["best"], found["artefact"]) == ("zero-shot", str(tmp_path / "best.json"))
    assert [(each["variant"], each["calls"]) for each in found["outcomes"]] == [("zero-shot", 1.0)]


def test_an_index_and_a_cloning(run, corpus, tmp_path):
    found = result(run, "index", corpus, "--to", tmp_path / "index")
    assert (found["index"], found["passages"]) == (str(tmp_path / "index"), 3)
    assert found["fingerprint"].startswith("bm25-")
    found = result(run, "clone", "mzqa", "--from-gold", "--limit", 1, "--out", tmp_path / "clone")
    assert (found["questions"], found["kept"], found["step"], found["model"]) == (1, 1, "plan", None)
    assert found["file"] == str(tmp_path / "clone" / "plan.jsonl")


def test_a_study_and_what_it_would_take(run, tmp_path):
    options = ("resp-table-1", "--rows", "Standard RAG", *LITTLE, "--out", tmp_path / "study")
    priced = result(run, "reproduce", *options, "--dry-run")
    assert [(each["row"], each["questions"], each["most_calls"]) for each in priced] == [("Standard RAG", 1, 1)]
    table = result(run, "reproduce", *options)
    assert table == {"folder": str(tmp_path / "study"), **read(tmp_path / "study" / "table.json")}


def test_experiments_as_json_and_as_a_table_in_which_no_figure_is_cut(run, monkeypatch):
    some = [name for name in experiment_names() if name in ("efficientrag-table-2", "mzqa-figure-3", "resp-table-1")]
    monkeypatch.setattr("multihop.experiments.experiment_names", lambda: some)
    monkeypatch.setenv("COLUMNS", "80")
    listed = {each["name"]: each for each in json.loads(run("experiments", "--json")[1])}
    assert listed["resp-table-1"]["questions"] > 1000
    assert json.loads(run("experiments", "resp-table-1", "--json")[1])["title"] == listed["resp-table-1"]["title"]
    code, table, _ = run("experiments")
    lines = {line.split()[0]: line.rstrip() for line in table.splitlines() if line.strip()}
    assert code == 0
    assert lines["efficientrag-table-2"].endswith(" 8     179,184    335,970")
    assert lines["mzqa-figure-3"].endswith(" 5      22,500      9.4 M")
    assert max(len(lines[name]) for name in some) <= 80
    assert "…" not in table


def test_quiet_leaves_the_result_and_what_went_wrong(run, tmp_path):
    out = tmp_path / "run"
    code, table, err = run("evaluate", "one-step", *LITTLE, "--out", out, "--quiet")
    assert (code, "one-step" in table, err) == (0, True, "")
    code, table, err = run("evaluate", "one-step", *LITTLE, "--out", out, "--set", "k=3", "--quiet")
    assert (code, table) == (2, "")
    assert err.startswith(f"multihop: {out} was made with program.settings.k = 5, and now it is 3")
    (tmp_path / "corpus.jsonl").write_text('{"id": "1", "title": "A", "text": "b"}\n{}\n')
    indexed = ("index", tmp_path / "corpus.jsonl", "--skip-bad", 1, "--to")
    assert "1 bad record was left out" in run(*indexed, tmp_path / "a")[2]
    assert run(*indexed, tmp_path / "b", "--quiet")[2] == ""
