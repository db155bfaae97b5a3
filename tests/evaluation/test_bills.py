"""Our bill beside the server's: every program, cold and warm, killed and resumed, with and without usage."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache

import dspy
import pytest
from answering import reply
from hypothesis import given, settings
from hypothesis import strategies as st
from openai_server import OpenAIServer

from multihop import BM25, PROGRAMS, Little, aevaluate, create, open_lm
from multihop.evaluation.runner import Evaluation
from multihop.runtime import total_paid

QUESTIONS = list(Little().questions())[:2]
NAMES = sorted(PROGRAMS)


@cache
def index():
    return BM25.build(Little().passages())


def build(name):
    kind = PROGRAMS[name]
    small = {"k": 3} if name == "efficientrag" else kind.small  # an untrained encoder lets all chunks pass
    return create(name, index() if kind.retrieves else None, concurrency=1, **small)


def serving(**options):
    return OpenAIServer(reply, **options)


def life(program, server, folder, *, cache="run", kill=None, faults=None, questions=QUESTIONS):
    """One process's life: the run goes on until it ends, or until the server sees request `kill` of this life."""
    first = server.requests

    async def run() -> Evaluation | None:
        lm = open_lm("server/m", api_base=server.url, num_retries=0)
        loop = asyncio.get_running_loop()

        def fault(number):
            if kill is not None and number - first >= kill:
                loop.call_soon_threadsafe(task.cancel)
                return "dropped"
            return (faults or {}).get(number - first)

        server.fault = fault
        with dspy.context(lm=lm, num_threads=1):
            task = asyncio.ensure_future(aevaluate(program, questions, out=folder, concurrency=1, cache=cache))
            try:
                return await task
            except asyncio.CancelledError:
                return None

    return asyncio.run(asyncio.wait_for(run(), 120))


def costs(run):
    """Everything of each question that may not depend on caches, kills or the clock."""
    apart = {"seconds", "cached", "paid_tokens", "paid_usd"}
    return {
        row["id"]: (row["answer"], row["passages"], {name: of for name, of in row["cost"].items() if name not in apart})
        for row in run.rows()
    }


def agrees(folder, server):
    """True if what we paid is what the server gave out."""
    paid = total_paid(folder)
    spent = paid["tokens"].get("server/m", {"in": 0, "out": 0})
    return (paid["calls"], spent["in"], spent["out"]) == server.bill


@pytest.mark.grid(most=12)
@pytest.mark.usefixtures("tiny_encoder")
@pytest.mark.parametrize("name", NAMES)
def test_our_bill_is_the_servers_cold_warm_and_killed(name, tmp_path):
    with serving() as server:
        cold = life(build(name), server, tmp_path / "cold", cache="shared")
        assert agrees(tmp_path / "cold", server)
        assert server.answered > 0
        told = sum(sum(spent.values()) for row in cold.rows() for spent in row["cost"]["tokens"].values())
        paid = sum(sum(spent.values()) for row in cold.rows() for spent in row["cost"]["paid_tokens"].values())
        assert paid == server.tokens.total() <= told
        before = server.requests
        warm = life(build(name), server, tmp_path / "warm", cache="shared")
        assert server.requests == before
        assert total_paid(tmp_path / "warm")["calls"] == 0
        assert costs(warm) == costs(cold)
        assert warm.summary["cost"]["calls"] == cold.summary["cost"]["calls"]
        assert warm.summary["cost"]["tokens"] == cold.summary["cost"]["tokens"]
    with serving() as server:
        kill = max(1, before // 2)
        assert life(build(name), server, tmp_path / "killed", kill=kill) is None
        resumed = life(build(name), server, tmp_path / "killed")
        assert agrees(tmp_path / "killed", server)
        assert server.answered == before  # nothing was paid twice
        assert costs(resumed) == costs(cold)


@pytest.mark.parametrize("name", ["one-step", "resp", "tor"])
def test_without_usage_every_call_is_estimated_and_none_is_free(name, tmp_path):
    with serving(usage=False) as server:
        run = life(build(name), server, tmp_path)
        paid = total_paid(tmp_path)
        assert paid["calls"] == paid["estimated"] == server.answered
        assert 0.5 < paid["tokens"]["server/m"]["in"] / server.tokens["in"] < 2
        assert run.summary["cost"]["estimated"] == run.summary["cost"]["calls"]["total"]


LIVES = st.lists(
    st.tuples(
        st.integers(0, 9) | st.none(),
        st.dictionaries(st.integers(0, 9), st.sampled_from([429, 500, 401, "dropped", "unparseable"]), max_size=3),
        st.sampled_from(["run", "shared", "off"]),
        st.booleans(),
    ),
    max_size=3,
)


@cache
def undisturbed(name):
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
        return costs(life(patient(name), server, folder, cache="off"))


def patient(name):
    """Without retries, an unparseable completion is an error of its question, to be asked again in the next life."""
    return create(name, index(), concurrency=1, retries=0, **SMALL[name])


SMALL = {
    "resp": {"k": 2},
    "tor": {"widths": (2, 2), "depth": 2},
    "ircot": {"k": 2},
    "one-step": {"k": 2},
    "one-step-cot": {"k": 2},
}
GOES_ON = {"resp", "tor", "ircot"}
"""Methods that go on without a step that cannot be parsed, and then rightly answer something else."""


@pytest.mark.seconds
@settings(max_examples=settings.default.max_examples // 4)  # each is several runs against a server
@given(lives=LIVES, name=st.sampled_from(sorted(SMALL)))
def test_whatever_happens_on_the_way_answers_costs_and_the_bill_are_the_same(lives, name):
    expected = undisturbed(name)
    with serving() as server, tempfile.TemporaryDirectory() as folder:
        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
        for kill, faults, scope, forget in lives:
            if name in GOES_ON:
                faults = {number: fault for number, fault in faults.items() if fault != "unparseable"}
            life(patient(name), server, folder, cache=scope, kill=kill, faults=faults)
            if forget:
                dspy.cache.reset_memory_cache()
        run = life(patient(name), server, folder, cache="run")
        assert run.summary["n_error"] == 0
        assert costs(run) == expected
        assert agrees(folder, server)


SCRIPT = """
import sys
from multihop.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.seconds
def test_a_process_killed_outright_loses_no_line_of_the_bill(tmp_path):
    with serving() as server:

        def run(kill=None):
            first = server.requests
            command = ["evaluate", "resp", "--out", str(tmp_path / "run"), "--concurrency", "1", "--set", "k=2"]
            command += ["--questions", "little", "--limit", "2", "--corpus", "little"]
            command += ["--lm", f"server/m@{server.url}"]
            environment = {**os.environ, "DSPY_CACHEDIR": str(tmp_path / "cache")}
            process = subprocess.Popen([sys.executable, "-c", SCRIPT, *command], env=environment, stdout=-3, stderr=-3)

            def fault(number):
                if kill is not None and number - first == kill:
                    os.kill(process.pid, signal.SIGKILL)
                    return "dropped"
                return None

            server.fault = fault
            return process.wait(120)

        assert run(kill=3) == -signal.SIGKILL
        assert agrees(tmp_path / "run", server)
        assert server.answered == 3
        assert run() == 0
        assert agrees(tmp_path / "run", server)
        assert max(server.seen.values()) == 2  # only the request that was never answered was made twice
