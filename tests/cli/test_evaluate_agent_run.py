"""`multihop evaluate FOLDER`: the answers of an agent's run, beside those of a program."""

import json

import pytest

QUESTION = {"query_id": "1", "query": "Where was the author of Dusk born?", "answer": "Torun", "negative_docs": []}
PAGE = {"docid": "3", "text": "Rosa Tiel wrote Dusk. She was born in Torun.", "url": "https://a.example"}


@pytest.fixture
def asked(tmp_path):
    """The folder of the agent's run, and the file of its questions."""
    (tmp_path / "gpt-x").mkdir()
    answered = {
        "metadata": {"model": "gpt-x"},
        "query_id": "1",
        "status": "completed",
        "retrieved_docids": ["3"],
        "result": [{"type": "output_text", "output": "Exact Answer: Torun\nConfidence: 90%"}],
    }
    (tmp_path / "gpt-x" / "run_1.json").write_text(json.dumps(answered, indent=2))
    questions = tmp_path / "questions.jsonl"
    questions.write_text(json.dumps({**QUESTION, "gold_docs": [PAGE], "evidence_docs": [PAGE]}))
    return tmp_path / "gpt-x", questions


def test_its_answers_are_measured_and_compared(run, asked, tmp_path):
    folder, questions = asked
    code, out, err = run("evaluate", folder, "-q", questions, "--out", tmp_path / "agent", "--json")
    assert code == 0, err
    found = json.loads(out)["agent-run of gpt-x"]["metrics"]
    assert (found["em"]["mean"], found["recall@5"]["mean"]) == (1.0, 1.0)
    code, _, err = run("evaluate", "one-step", "-q", questions, "--lm", "lexical", "--out", tmp_path / "ours")
    assert code == 0, err
    code, out, err = run("compare", tmp_path / "ours", tmp_path / "agent")
    assert (code, "agent-run of gpt-x" in out) == (0, True), err


def test_it_has_no_settings(run, asked, tmp_path):
    folder, questions = asked
    code, _, err = run("evaluate", folder, "-q", questions, "--set", "k=3", "--out", tmp_path / "agent")
    assert (code, err.count("\n")) == (2, 1)
    assert "is an agent's run, which is as it is; leave out --set" in err
