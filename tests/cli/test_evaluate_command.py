import pytest
import ujson
from answering import reply
from openai_server import OpenAIServer
from small_corpus import ROWS


@pytest.mark.usefixtures("tiny_encoder")
def test_evaluate_measures_and_continues(run, tmp_path):
    out = tmp_path / "run"
    code, table, said = run("evaluate", "one-step", "--out", out, "--limit", 10)
    assert code == 0
    assert "one-step 10/10" in said
    assert "recall@5" in table
    assert "10 questions" in table
    summary = ujson.loads((out / "summary.json").read_text())
    assert summary["n_ok"] == 10
    code, _, said = run("evaluate", "one-step", "--out", out, "--limit", 12)
    assert code == 0
    assert "one-step 12/12" in said
    assert len((out / "questions.jsonl").read_text().splitlines()) == 12
    code, _, said = run("evaluate", "one-step", "--out", out, "--set", "k=3")
    assert code == 2
    assert f"multihop: {out} was made with program.settings.k = 5, and now it is 3" in said


@pytest.mark.usefixtures("tiny_encoder")
def test_evaluate_on_an_index_with_references(run, tmp_path):
    run("index", "little", "--to", tmp_path / "index")
    code, table, _ = run(
        "evaluate", "direct", "--questions", "little", "--limit", 5, "--corpus", tmp_path / "index",
        "--out", tmp_path / "run", "--references", "--budget-calls", 3,
    )  # fmt: skip
    assert code == 0
    assert [word for word in ("direct", "closed-book", "one-step", "gold-passages") if word not in table] == []
    gold = ujson.loads((tmp_path / "run" / "references" / "gold-passages" / "summary.json").read_text())
    assert gold["metrics"]["recall@5"]["mean"] == 1.0


def test_a_run_in_which_everything_fails_says_why_and_exits_with_1(run, tmp_path):
    with OpenAIServer(reply, fault=lambda number: 500) as server:
        lm = ("--lm", f"server/m@{server.url}", "--lm-set", "num_retries=0")
        code, _, said = run("evaluate", "one-step", *lm, "--limit", 3, "--out", tmp_path / "run")
    assert code == 1
    assert "every question failed, the first with" in said


def test_a_server_that_is_gone_when_five_questions_are_left_is_told_and_exits_with_1(run, tmp_path):
    with OpenAIServer(reply, fault=lambda number: "dropped" if number >= 10 else None) as server:
        lm = ("--lm", f"server/m@{server.url}", "--lm-set", "num_retries=0", "--concurrency", 1)
        code, table, said = run("evaluate", "direct", *lm, "--limit", 15, "--out", tmp_path / "run")
        assert code == 1
        assert "errors" in table
        assert "The last 5 questions all failed in this way; the same command asks them again" in said
        server.fault = lambda number: None
        code, _, said = run("evaluate", "direct", *lm, "--limit", 15, "--out", tmp_path / "run")
        assert (code, ujson.loads((tmp_path / "run" / "summary.json").read_text())["n_ok"]) == (0, 15)


PARAGRAPHS = [{"title": row["title"], "text": row["text"]} for row in ROWS]

OWN = {"id": "q1", "prompt": "When was Jerzy Kowal born?", "answers": ["1922"], "paragraphs": PARAGRAPHS}


def test_questions_with_paragraphs_are_their_own_corpus(run, tmp_path):
    path = tmp_path / "own.jsonl"
    path.write_text(ujson.dumps(OWN) + "\n{}\n")
    code, _, said = run(
        "evaluate", "one-step", "--questions", path, "--field", "question=prompt", "--skip-bad", 1, "--out",
        tmp_path / "run",
    )  # fmt: skip
    assert code == 0
    assert f"multihop: no --corpus, so the own paragraphs of the questions in {path} are searched.\n" in said
    assert f"multihop: {path}: 1 bad record was left out: {path}, line 2: no field" in said
    row = ujson.loads((tmp_path / "run" / "questions.jsonl").read_text())
    assert row["metrics"]["em"] == 1.0
