import json

import pytest


@pytest.fixture
def finished_run(run, corpus, tmp_path):
    (tmp_path / "dev.jsonl").write_text('{"id": "q1", "question": "When was Jerzy Kowal born?", "answers": ["1922"]}\n')
    out = tmp_path / "runs" / "dev"
    assert (
        run("evaluate", "one-step", "-q", tmp_path / "dev.jsonl", "-c", corpus, "--lm", "lexical", "--out", out)[0] == 0
    )
    return out


def test_the_harness_reads_it(run, finished_run, tmp_path):
    code, out, err = run("export", finished_run, "--as", "lm-eval", "--task", "mine", "--to", tmp_path / "results")
    assert (code, err) == (0, "")
    results, samples = sorted((tmp_path / "results").iterdir())
    assert out == f"wrote {results} and {samples}\n"
    assert set(json.loads(results.read_text())["results"]) == {"mine"}


def test_flashrag_with_the_corpus(run, finished_run, corpus, tmp_path):
    assert run("export", finished_run, "--as", "flashrag", "-c", corpus, "-k", "2", "--to", tmp_path / "f")[0] == 2
    code, _, err = run("export", finished_run, "--as", "flashrag", "-c", corpus, "--k", "2", "--to", tmp_path / "f")
    assert (code, err) == (0, "")
    assert "retrieval_recall_top2: 1.0\n" in (tmp_path / "f" / "metric_score.txt").read_text()
    assert {path.name for path in (tmp_path / "f").iterdir()} == {
        "metric_score.txt", "intermediate_data.json", "row.csv"
    }  # fmt: skip


def test_trec(run, finished_run, tmp_path):
    assert run("export", finished_run, "--as", "trec", "--to", tmp_path / "t")[0] == 0
    assert (tmp_path / "t" / "run.trec").read_text().startswith("q1 Q0 p2 1 1 one-step\n")
    assert not (finished_run / "run.trec").exists()


def test_every_eval_ever(run, finished_run, tmp_path):
    arguments = ("--task", "mine", "--model", "Qwen/Qwen3-8B", "--organization", "A lab")
    code, out, err = run("export", finished_run, "--as", "eee", *arguments, "--to", tmp_path / "e")
    record, samples = sorted((tmp_path / "e" / "data" / "mine" / "Qwen" / "Qwen3-8B").iterdir())
    assert (code, err, out) == (0, "", f"wrote {record} and {samples}\n")
    assert json.loads(record.read_text())["source_metadata"]["source_organization_name"] == "A lab"


def test_the_hubs_evaluation_results(run, finished_run, tmp_path):
    arguments = ("--dataset", "a/b", "--task", "dev", "--metric", "f1")
    code, out, err = run("export", finished_run, "--as", "eval-results", *arguments, "--to", tmp_path)
    path = tmp_path / ".eval_results" / "a-b-dev.yaml"
    assert (code, err, out) == (0, "", f"wrote {path}\n")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--as", "csv"], "Invalid value"),
        (
            ["--as", "trec", "--task", "mine"],
            "flashrag, eee or eval-results, not with --as trec.",
        ),
        (["--as", "lm-eval", "--corpus", "world"], "--corpus goes with --as flashrag, not with --as lm-eval."),
        (["--as", "flashrag", "--corpus", "world"], "are not in the corpus, such as 'p"),
        (["--as", "eee", "--dataset", "a/b"], "--dataset goes with --as eval-results, not with --as eee."),
        (["--as", "eval-results", "--dataset", "a/b"], "--as eval-results needs --dataset OWNER/NAME"),
    ],
)
def test_bad_input_is_one_sentence(run, finished_run, tmp_path, arguments, problem):
    code, out, err = run("export", finished_run, *arguments, "--to", tmp_path / "x")
    assert (code, out) == (2, "")
    assert problem in err
    assert err.count("\n") == 1


def test_no_run(run, tmp_path):
    code, _, err = run("export", tmp_path, "--as", "trec", "--to", tmp_path / "x")
    assert (code, err) == (2, f"multihop: {tmp_path} is not a run: it has no run.json.\n")
