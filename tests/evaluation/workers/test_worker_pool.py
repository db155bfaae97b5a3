import asyncio
import signal
import threading

import dspy
import pytest
from near_workers import NearWorkers, values
from openai_server import OpenAIServer

from multihop import InputError, Question, RunFailed, open_lm, scripted
from multihop.base import MismatchError
from multihop.evaluation import evaluate
from multihop.evaluation.journal.journal import read_header
from multihop.evaluation.metrics import Judged
from multihop.optimize.prompts.stages import Spending, Spent
from multihop.programs import Direct, OneStep
from multihop.retrieval import BM25, Passage
from multihop.runtime import total_paid

TOWNS = [Passage(f"p{n}", f"Town {n}", f"Town {n} lies on river {n % 7}.") for n in range(30)]
QUESTIONS = [Question(id=f"q{n}", question=f"Where is town {n}?", answers=(f"river {n % 7}",)) for n in range(24)]
pytestmark = pytest.mark.at_once


def echo(prompt):
    return {"answer": prompt.inputs["question"].rstrip("?")}


def run(folder, workers=None, *, lm=None, program=None, questions=QUESTIONS, **options):
    with dspy.context(lm=lm or scripted(echo)):
        return evaluate(
            program or OneStep(BM25.build(TOWNS)),
            questions,
            out=folder,
            workers=workers,
            progress=False,
            **{"concurrency": 3, **options},
        )


def summed(done):
    return {**done.summary, "seconds": None, "started": None, "cost": {**done.summary["cost"], "seconds": None}}


@pytest.mark.parametrize("count", [1, 3])
def test_a_run_by_workers_is_the_run_of_one_process(tmp_path, count):
    workers = NearWorkers(count)
    here, there = run(tmp_path / "here"), run(tmp_path / "there", workers)
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert len(values(tmp_path / "here")) == 24
    assert there.summary["metrics"] == here.summary["metrics"]
    assert total_paid(tmp_path / "there") == total_paid(tmp_path / "here")
    assert read_header(tmp_path / "there")["identity"] == read_header(tmp_path / "here")["identity"]
    assert read_header(tmp_path / "there")["limits"]["workers"] == count
    assert {worker.rows > 0 for worker in workers.started} == {True}
    run(tmp_path / "again", workers, program=Direct())
    assert len(workers.started) == count  # the next run has the same ones
    assert len(values(tmp_path / "again")) == 24


def test_what_a_worker_had_when_it_died_is_asked_elsewhere_and_once(tmp_path):
    workers = NearWorkers(3, dies=lambda worker, message: worker.number < 2 and worker.rows == 4)
    run(tmp_path / "here")
    run(tmp_path / "there", workers)
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert [worker.is_dead for worker in workers.started] == [True, True, False, False, False]


def test_a_question_that_workers_die_with_fails_and_the_others_do_not(tmp_path):
    def dies(worker, message):
        return message[0] == "row" and message[2]["id"] == "q5"

    workers = NearWorkers(2, dies=dies)
    done = run(tmp_path, workers, concurrency=1)
    rows = values(tmp_path)
    assert done.summary["n_error"] == 1
    assert rows["q5"]["error"]["type"] == "WorkerDied"
    assert rows["q5"]["error"]["message"].startswith("3 workers died while they had this question; worker ")
    assert rows["q5"]["cost"]["calls"] == 0


def test_where_no_worker_is_left_the_run_says_so_and_keeps_what_is_finished(tmp_path):
    workers = NearWorkers(2, dies=lambda worker, message: worker.rows == 2 or (worker.number and message[0] == "row"))
    said = (
        r"no worker is left of near workers, .* the same command goes on with it\. The last one: worker \d was killed\."
    )
    with pytest.raises(RunFailed, match=said):
        run(tmp_path, workers)
    assert len(workers.started) == 3 + 1 + 3  # three in a row without an answer, in each of two places
    assert sum(row["status"] == "ok" for row in values(tmp_path).values()) == 2
    assert read_header(tmp_path)["status"] == "interrupted"
    assert run(tmp_path, NearWorkers(1)).summary["n_ok"] == 24


class Cramped(NearWorkers):
    """There is room for so many of them."""

    room = 1

    async def start(self):
        if len(self.started) == self.room:
            raise RunFailed("there is no CPU free.")
        return await super().start()


def test_a_worker_for_which_there_is_no_room_is_done_without_as_long_as_there_are_others(tmp_path):
    assert run(tmp_path / "one", Cramped(3)).summary["n_ok"] == 24
    none = Cramped(2)
    none.room = 0
    with pytest.raises(RunFailed, match=r"no worker is left of near workers, .*The last one: there is no CPU free\."):
        run(tmp_path / "none", none)


def test_workers_that_die_now_and_then_are_replaced_as_long_as_they_answer(tmp_path):
    died_with = set()

    def dies(worker, message):
        """With its third row, but never with a question that another died with."""
        if message[0] != "row" or worker.rows < 2 or message[2]["id"] in died_with:
            return False
        died_with.add(message[2]["id"])
        return True

    workers = NearWorkers(2, dies)
    assert run(tmp_path, workers, concurrency=1).summary["n_ok"] == 24
    assert len(workers.started) > len(died_with) >= 7


@pytest.fixture
def server():
    with OpenAIServer(lambda prompt: {field.name: "river 1" for field in prompt.output_fields}) as running:
        yield running


def test_no_call_is_paid_twice_though_several_workers_make_it_at_once(tmp_path, server):
    same = [Question(id=f"q{n}", question="Where is town 8?", answers=("river 1",)) for n in range(12)]
    lm = open_lm("server/m", api_base=server.url, api_key="k")
    run(tmp_path / "here", lm=lm, questions=same)
    before = server.requests
    done = run(tmp_path / "there", NearWorkers(3), lm=lm, questions=same)
    assert (before, server.requests) == (1, 2)
    assert done.summary["cost"]["cached"] == 11
    assert total_paid(tmp_path / "there") == total_paid(tmp_path / "here")


def test_what_a_worker_paid_for_before_it_died_is_not_paid_again(tmp_path, server):
    lm = open_lm("server/m", api_base=server.url, api_key="k")
    workers = NearWorkers(2, dies=lambda worker, message: worker.number == 0 and message[0] == "row")
    done = run(tmp_path, workers, lm=lm, concurrency=1)
    assert done.summary["n_ok"] == 24
    assert server.requests == total_paid(tmp_path)["calls"] == 24
    run(tmp_path, NearWorkers(2), lm=lm)
    assert server.requests == 24


def test_verdicts_are_on_the_bill_apart(tmp_path, server):
    judge = open_lm("openai/judge", api_base=server.url, api_key="k")
    lm = scripted(echo)
    for name, workers in (("here", None), ("there", NearWorkers(2))):
        run(tmp_path / name, workers, lm=lm, metrics=[Judged(judge)], cache="off", limit=9)
    assert total_paid(tmp_path / "there") == total_paid(tmp_path / "here")
    assert total_paid(tmp_path / "there")["judging"]["calls"] == 18  # what cannot be read is asked for again


def test_calls_that_are_used_up_end_the_run(tmp_path):
    with Spending(limit=7) as spending, dspy.context(usage_tracker=spending), pytest.raises(Spent):
        run(tmp_path, NearWorkers(2), concurrency=1)
    assert 7 <= spending.calls <= 9  # what was under way is counted as well
    assert len(values(tmp_path)) <= 7


def test_any_module_is_answered_by_workers(tmp_path):
    module = dspy.ChainOfThought("question -> answer")
    lm = scripted(lambda prompt: {"reasoning": "so", **echo(prompt)})
    run(tmp_path / "here", lm=lm, program=module)
    run(tmp_path / "there", NearWorkers(2), lm=lm, program=module)
    assert values(tmp_path / "there") == values(tmp_path / "here")
    assert total_paid(tmp_path / "there") == total_paid(tmp_path / "here")


def test_a_question_in_time_out_is_an_error_as_in_one_process(tmp_path):
    done = run(tmp_path, NearWorkers(2), lm=scripted(echo, latency=30), questions=QUESTIONS[:3], timeout=0.05)
    assert done.summary["errors"] == {"TimeoutError": 3}


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    finished = []

    def watch(row, before):
        finished.append(row["id"])
        if len(finished) == 5:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, NearWorkers(2), watch=watch)
    kept = values(tmp_path)
    assert 5 <= len(kept) < 24
    run(tmp_path, NearWorkers(2))
    assert len(values(tmp_path)) == 24


class Locked(Direct):
    """A program with something that cannot leave its process."""

    def __init__(self, **limits):
        super().__init__(**limits)
        self.lock = threading.Lock()


def test_what_workers_cannot_do_is_said_in_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"^Locked cannot be handed to a worker \(TypeError: cannot pickle"):
        run(tmp_path / "a", NearWorkers(1), program=Locked())
    with pytest.raises(InputError, match="^Scripted answers in the order in which it is asked, so that only one"):
        run(tmp_path / "b", NearWorkers(1), lm=scripted([{"answer": "yes"}]))


def test_a_worker_that_cannot_begin_ends_the_run(tmp_path, monkeypatch):
    def unpack(packed):
        raise MismatchError("mine now holds another index than the one that was handed on.")

    monkeypatch.setattr("multihop.evaluation.workers.serving.unpack_job", unpack)
    with pytest.raises(MismatchError, match="^mine now holds another index"):
        asyncio.run(asyncio.to_thread(run, tmp_path, NearWorkers(2)))
