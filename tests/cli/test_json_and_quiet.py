"""Commands as another program reads them: JSON on the output, and nothing else where that is asked."""

import json

import pytest

pytestmark = pytest.mark.usefixtures("tiny_encoder")
LITTLE = ("-q", "little", "-c", "little", "--lm", "local", "--limit", 1)


@pytest.fixture
def result(run):
    """The JSON that a command prints where it is told to say nothing else."""

    def result(*arguments):
        code, out, err = run(*arguments, "--json", "--quiet")
        assert (code, err) == (0, "")
        return json.loads(out)

    return result


def read(path):
    return json.loads(path.read_text())


def test_what_commands_make_is_told_as_json(result, corpus, tmp_path):
    out = tmp_path / "run"
    assert result("evaluate", "one-step", *LITTLE, "--out", out)["one-step"] == {
        "folder": str(out),
        **read(out / "summary.json"),
    }
    found = result("evaluate", "one-step", *LITTLE, "--repeats", 2, "--out", tmp_path / "two")["one-step"]
    assert (found["seeds"], found["metrics"]["em"]["n"]) == ([0, 1], 1)
    limits = ("--train-limit", 2, "--dev-limit", 2, "--lm", "local")
    found = result("compile", "one-step", *limits, "--variants", "zero-shot", "--to", tmp_path / "best.json")
    assert (found["best"], found["artefact"]) == ("zero-shot", str(tmp_path / "best.json"))
    assert [(each["variant"], each["calls"]) for each in found["outcomes"]] == [("zero-shot", 1.0)]
    found = result("index", corpus, "--to", tmp_path / "index")
    assert (found["index"], found["passages"], found["fingerprint"][:5]) == (str(tmp_path / "index"), 3, "bm25-")
    found = result("clone", "mzqa", "--from-gold", "--limit", 1, "--out", tmp_path / "clone")
    assert (found["questions"], found["kept"], found["step"], found["model"]) == (1, 1, "plan", None)
    assert found["file"] == str(tmp_path / "clone" / "plan.jsonl")
    study = ("resp-table-1", "--rows", "Standard RAG", *LITTLE, "--out", tmp_path / "study")
    priced = result("reproduce", *study, "--dry-run")
    assert [(each["row"], each["questions"], each["most_calls"]) for each in priced] == [("Standard RAG", 1, 1)]
    assert result("reproduce", *study) == {
        "folder": str(tmp_path / "study"),
        **read(tmp_path / "study" / "table.json"),
    }


def test_experiments_as_json_and_as_a_table_in_which_no_figure_is_cut(run, monkeypatch):
    names = ["efficientrag-table-2", "mzqa-figure-3", "resp-table-1"]
    monkeypatch.setattr("multihop.experiments.experiment_names", lambda: names)
    monkeypatch.setenv("COLUMNS", "80")
    listed = {each["name"]: each for each in json.loads(run("experiments", "--json")[1])}
    assert listed["resp-table-1"]["questions"] > 1000
    assert json.loads(run("experiments", "resp-table-1", "--json")[1])["title"] == listed["resp-table-1"]["title"]
    assert "weights of hotpotqa; 1" in " ".join(run("experiments", "efficientrag-table-6")[1].split())
    tuned = " ".join(run("experiments", "mzqa-table-4")[1].split())
    assert "one-step k=2; 1 IO w/ Retrieval, k=4: one-step k=4; 1; the paper's choice on HotpotQA and MuSiQue" in tuned
    assert "published, HotpotQA" not in tuned
    table = run("experiments")[1]
    lines = {line.split()[0]: line.rstrip() for line in table.splitlines() if line.strip()}
    assert lines["efficientrag-table-2"].endswith(" 8     179,184    335,970")
    assert lines["mzqa-figure-3"].endswith(" 5      22,500      9.4 M")
    assert max(len(lines[name]) for name in names) <= 80
    assert "…" not in table


def test_quiet_leaves_the_result_and_what_went_wrong(run, tmp_path):
    asked = ("evaluate", "one-step", *LITTLE, "--out", tmp_path / "run", "--quiet")
    code, table, err = run(*asked)
    assert (code, "one-step" in table, err) == (0, True, "")
    code, table, err = run(*asked, "--set", "k=3")
    assert (code, table) == (2, "")
    assert err.startswith(f"multihop: {tmp_path / 'run'} was made with program.settings.k = 5, and now it is 3")
