"""A real HTTP server that fails in every way real ones do, behind a plain `dspy.LM`."""

import threading
from random import Random

import dspy
import pytest
from openai_server import WAYS_TO_FAIL, OpenAIServer

from multihop import Question
from multihop.evaluation import evaluate
from multihop.programs import Direct

pytestmark = pytest.mark.at_once

QUESTIONS = [Question(id=f"q{i}", question=f"What is word {i}?", answers=(f"word {i}",)) for i in range(90)]


class Failing:
    """Every way to fail in turn, for the given share of the calls, at random moments."""

    def __init__(self, share):
        self.random, self.share, self.count, self.lock = Random(1), share, 0, threading.Lock()

    def __call__(self, number):
        with self.lock:
            if self.random.random() >= self.share:
                return None
            self.count += 1
            return WAYS_TO_FAIL[(self.count - 1) % len(WAYS_TO_FAIL)]


@pytest.fixture
def server():
    def reply(prompt):
        return {"answer": prompt.inputs["question"].removeprefix("What is ").rstrip("?")}

    with OpenAIServer(reply, fault=Failing(share=0.2)) as server:
        yield server


def lm(server, **options):
    return dspy.LM(
        "openai/test",
        api_base=server.url,
        api_key="sk-local-secret",
        engine="lm15",
        timeout=5.0,
        cache=False,
        **options,
    )


@pytest.mark.seconds
def test_a_run_survives_every_way_in_which_a_server_fails(server, tmp_path, monkeypatch):
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    with dspy.context(lm=lm(server, num_retries=2)):
        run = evaluate(Direct(), QUESTIONS, out=tmp_path, concurrency=90)
    rows = list(run.rows())
    assert len(rows) == 90
    assert set(server.made) == set(WAYS_TO_FAIL)
    answered = [row for row in rows if row["status"] == "ok"]
    assert len(answered) >= 60
    assert all(row["answer"] == row["answers"][0] for row in answered)
    for row in rows:
        if row["status"] == "error":
            assert row["error"]["type"]
            assert row["metrics"] == {}
    assert sum(row["cost"]["parse_failures"] for row in rows) >= server.made["refusal"]
    assert "secret" not in "".join(path.read_text() for path in tmp_path.iterdir() if path.is_file())
