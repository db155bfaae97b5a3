"""Questions answered by actors of a Ray cluster of two nodes on this machine, where the extra [ray] is installed."""

import os
import sys
from collections import Counter
from io import BytesIO
from threading import Lock

import cloudpickle
import dspy
import pytest
from openai_server import OpenAIServer

from multihop import BM25, InputError, Little, OneStep, Question, RunFailed, open_lm, priced_by, scripted
from multihop.base import MissingKeyError
from multihop.evaluation import evaluate
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.on_ray import _Unpickler, packed
from multihop.programs import Direct
from multihop.runtime import total_paid

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # no actor can import a test
QUESTIONS = [Question(id=f"q{i}", question=f"word{i}?", answers=(f"word{i}",)) for i in range(24)]


def echo(prompt):
    return {"answer": prompt.inputs["question"].rstrip("?")}


@pytest.fixture(scope="module")
def address():
    """The address of a cluster of two nodes with a CPU each."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    try:
        cluster.add_node(**{name: node[name] for name in ("num_cpus", "object_store_memory")})
        yield cluster.address
    finally:
        cluster.shutdown()


def values(folder):
    """All that rows say but for their order and their times."""
    rows = {row["id"]: {**row, "run_seconds": 0, "cost": {**row["cost"], "seconds": 0}} for row in read_rows(folder)}
    assert len(rows) == len(list(read_rows(folder)))  # nothing was done twice
    return rows


def run(lm, folder, program=None, questions=QUESTIONS, **options):
    with dspy.context(lm=lm):
        return evaluate(program or Direct(), questions, out=folder, progress=False, **options)


@pytest.mark.extra("ray")
@pytest.mark.seconds
def test_rows_bill_and_summary_are_those_of_one_process(address, tmp_path):
    index = BM25.build(Little().passages())
    program, questions = OneStep(index, retries=0), list(Little().questions())[:12]
    here = run(open_lm("local"), tmp_path / "here", program, questions, metrics=["em", "recall@5"])
    there = run(open_lm("local"), tmp_path / "there", program, questions, metrics=["em", "recall@5"], ray=address)
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert read_header(tmp_path / "there")["identity"] == read_header(tmp_path / "here")["identity"]
    assert total_paid(tmp_path / "there") == total_paid(tmp_path / "here")
    assert there.summary["paid"]["calls"] == 12
    assert {**there.summary, "timing": 0} == {**here.summary, "timing": 0}


@pytest.mark.extra("ray")
@pytest.mark.seconds
def test_an_actor_that_dies_is_replaced_and_a_question_that_kills_each_is_an_error(address, tmp_path):
    killed = tmp_path / "killed"

    def deadly(prompt):
        asked = prompt.inputs["question"]
        if asked == "word3?" or (asked == "word9?" and not killed.exists()):
            with killed.open("a") as file:
                file.write(f"{asked}\n")
            os._exit(1)
        return echo(prompt)

    counted = Tracker()
    with dspy.context(usage_tracker=counted):
        done = run(scripted(deadly), tmp_path / "run", ray=address, concurrency=4)
    deaths = Counter(killed.read_text().split())
    assert deaths["word3?"] == 3
    rows = values(tmp_path / "run")
    assert {name for name, row in rows.items() if row["status"] == "error"} == {"q3"}
    assert rows["q3"]["error"]["type"] == "ActorDiedError"
    assert (done.summary["n_ok"], done.summary["n_error"], done.summary["metrics"]["em"]["mean"]) == (23, 1, 1.0)
    assert done.summary["cost"]["calls"]["total"] == 23  # a row counts the call that answered, not the lost ones
    assert counted.calls == done.summary["paid"]["calls"] >= 23
    rest = scripted(echo)
    assert run(rest, tmp_path / "run").summary["n_ok"] == 24  # the same run goes on without Ray
    assert [prompt.inputs["question"] for prompt in rest.engine.prompts] == ["word3?"]


class Tracker:
    calls = 0

    def add_usage(self, model, usage):
        self.calls += 1


@pytest.mark.extra("ray")
@pytest.mark.seconds
def test_a_spent_budget_stops_it_and_a_metric_is_measured_again_alone(address, tmp_path):
    ready = tmp_path / "ready"

    def fussy(question, prediction):
        if not ready.exists():
            raise OSError("the table is not there")
        return 1.0

    lm, options = scripted(echo), {"metrics": ["em", fussy], "ray": address, "concurrency": 2}
    run(lm, tmp_path / "run", questions=QUESTIONS, limit=4, **options)
    ready.touch()
    again = run(scripted([]), tmp_path / "run", limit=4, **options)
    assert [row["metrics"] for row in again.rows()] == [{"em": 1.0, "fussy": 1.0}] * 4
    assert again.summary["paid"]["calls"] == 4
    with OpenAIServer(lambda prompt: {"answer": "it"}) as server:
        lm = open_lm("server/m", api_base=server.url)
        with priced_by({lm.model: {"input": 1e6, "output": 1e6}}), pytest.raises(RunFailed, match="budget of"):
            run(lm, tmp_path / "dear", ray=address, concurrency=2, budget_usd=1.0)
    assert 1 <= len(values(tmp_path / "dear")) == server.answered == total_paid(tmp_path / "dear")["calls"] <= 3


def test_keys_go_by_the_name_of_their_variable_and_are_in_no_job(monkeypatch):
    monkeypatch.setenv("LM_KEY", "4711-4711-4711")
    lm = dspy.LM("openai/m", api_key="4711-4711-4711")
    with dspy.context(lm=lm):
        job = packed(Direct(), [], concurrency=1, timeout=None)
    assert b"4711" not in job
    assert _Unpickler(BytesIO(job)).load()[3]["lm"].kwargs["api_key"] == "4711-4711-4711"
    monkeypatch.delenv("LM_KEY")
    with pytest.raises(MissingKeyError, match="LM_KEY is not set on the node"):
        _Unpickler(BytesIO(job)).load()
    lm = open_lm("openai/m", api_key="4712-4712-4712")
    with dspy.context(lm=lm), pytest.raises(InputError, match="keys are not sent to Ray's actors"):
        packed(Direct(), [], concurrency=1, timeout=None)


def test_what_cannot_be_sent_is_said():
    held = Lock()  # which no other process can hold
    program = OneStep(lambda query, k: [held])
    with dspy.context(lm=scripted(echo)), pytest.raises(InputError, match="cannot be sent to Ray's actors"):
        packed(program, [], concurrency=1, timeout=None)
