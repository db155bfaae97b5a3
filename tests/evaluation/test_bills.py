"""Our bill beside the server's, in calls, tokens and dollars: cold, warm, killed and resumed, and with a budget."""

import asyncio
import tempfile
from contextlib import suppress
from functools import cache

import dspy
import pytest
import ujson
from answering import reply
from hypothesis import given, settings
from hypothesis import strategies as st
from openai_server import OpenAIServer
from toys import echo, words

from multihop import (
    BM25,
    PROGRAMS,
    Little,
    RunFailed,
    aevaluate,
    compare,
    create,
    evaluate,
    evaluate_repeatedly,
    open_lm,
    priced_by,
)
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.report import write_summary
from multihop.programs import Direct
from multihop.runtime import token_count, total_paid

QUESTIONS = list(Little().questions())[:2]


@cache
def index():
    return BM25.build(Little().passages())


def build(name, **settings):
    return create(name, index(), concurrency=1, **(settings or PROGRAMS[name].small))


def life(program, server, folder, *, cache="run", kill=None, faults=None):
    """One process's life: the run goes on until it ends, or until the server sees request `kill` of this life."""
    first = server.requests

    async def run():
        loop, lm = asyncio.get_running_loop(), open_lm("server/m", api_base=server.url, num_retries=0)

        def fault(number):
            if kill is not None and number - first >= kill:
                loop.call_soon_threadsafe(task.cancel)
                return "dropped"
            return (faults or {}).get(number - first)

        server.fault = fault
        with dspy.context(lm=lm, num_threads=1):
            task = asyncio.ensure_future(aevaluate(program, QUESTIONS, out=folder, concurrency=1, cache=cache))
            with suppress(asyncio.CancelledError):
                return await task

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


@pytest.mark.parametrize("name", ["one-step", "resp", "tor", "mzqa"])
def test_our_bill_is_the_servers_cold_warm_and_killed(name, tmp_path):
    with OpenAIServer(reply) as server:
        cold = life(build(name), server, tmp_path / "cold", cache="shared")
        assert agrees(tmp_path / "cold", server)
        assert server.answered > 0
        paid = sum(token_count(row["cost"]["paid_tokens"]) for row in cold.rows())
        assert paid == server.tokens.total() <= sum(token_count(row["cost"]["tokens"]) for row in cold.rows())
        before = server.requests
        warm = life(build(name), server, tmp_path / "warm", cache="shared")
        assert server.requests == before
        assert total_paid(tmp_path / "warm")["calls"] == 0
        assert costs(warm) == costs(cold)
        same = {what: cold.summary["cost"][what] for what in ("calls", "tokens")}
        assert warm.summary["cost"].items() >= same.items()
    with OpenAIServer(reply) as server:
        assert life(build(name), server, tmp_path / "killed", kill=max(1, before // 2)) is None
        resumed = life(build(name), server, tmp_path / "killed")
        assert agrees(tmp_path / "killed", server)
        assert server.answered == before  # nothing was paid twice
        assert costs(resumed) == costs(cold)


LIVES = st.lists(
    st.tuples(
        st.integers(0, 9) | st.none(),
        st.dictionaries(st.integers(0, 9), st.sampled_from([429, 500, 401, "dropped", "unparseable"]), max_size=3),
        st.sampled_from(["run", "shared", "off"]),
        st.booleans(),
    ),
    max_size=3,
)
SMALL = {"tor": {"widths": (2, 2), "depth": 2}, "ircot": {"k": 2}, "one-step-cot": {"k": 2}}
GOES_ON = {"tor", "ircot"}
"""Methods that go on without a step that cannot be parsed, and then rightly answer something else."""


def patient(name):
    """Without retries, an unparseable completion is an error of its question, to be asked again in the next life."""
    return build(name, retries=0, **SMALL[name])


@cache
def undisturbed(name):
    with OpenAIServer(reply) as server, tempfile.TemporaryDirectory() as folder:
        dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
        return costs(life(patient(name), server, folder, cache="off"))


@pytest.mark.seconds
@settings(max_examples=settings.default.max_examples // 10)  # each is several runs against a server
@given(lives=LIVES, name=st.sampled_from(sorted(SMALL)))
def test_whatever_happens_on_the_way_answers_costs_and_the_bill_are_the_same(lives, name):
    expected = undisturbed(name)
    with OpenAIServer(reply) as server, tempfile.TemporaryDirectory() as folder:
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


PRICES = {"server/m": {"input": 1.0, "output": 10.0}}


@pytest.fixture
def server():
    with OpenAIServer(echo) as server, dspy.context(lm=open_lm("server/m", api_base=server.url)):
        yield server


def billed(server):
    """Dollars, by the server's own bill."""
    return (server.tokens["in"] * 1 + server.tokens["out"] * 10) / 1e6


def ask_words(folder, *, prices=PRICES, **options):
    with priced_by(prices):
        return evaluate(Direct(), words(20), out=folder, progress=False, **options)


def test_dollars_are_what_the_server_gave_out_by_the_prices_of_the_run(server, tmp_path):
    first = ask_words(tmp_path / "a").summary
    assert first["cost"]["usd"] == first["paid"]["usd"] == pytest.approx(billed(server), abs=1e-15)
    whole = ask_words(tmp_path / "a", budget_usd=0.000001).summary  # a run that is whole needs no money
    assert (whole["cost"]["usd"], whole["paid"]["usd"]) == (first["cost"]["usd"], first["paid"]["usd"])
    assert read_header(tmp_path / "a")["prices"]["server/m"] == {"input": 1.0, "output": 10.0}
    assert sum(row["cost"]["usd"] for row in read_rows(tmp_path / "a")) == pytest.approx(first["cost"]["usd"])
    assert write_summary(tmp_path / "a")["cost"]["usd"] == first["cost"]["usd"]  # without prices around it


def test_where_a_price_is_unknown_so_are_the_dollars(server, tmp_path):
    known, unknown = (ask_words(tmp_path / name, prices=prices) for name, prices in (("a", PRICES), ("b", None)))
    assert (unknown.summary["cost"]["usd"], unknown.summary["paid"]["usd"]) == (None, None)
    page = (tmp_path / "b" / "summary.md").read_text()
    assert "| dollars | price unknown |" in page
    assert "tokens, price unknown." in page
    found = compare(known, unknown)
    assert found.cost["usd"] == (pytest.approx(billed(server) / 40), None)
    with priced_by(PRICES):
        assert compare(known, unknown).cost["usd"][1] == found.cost["usd"][0]


def test_a_run_that_has_spent_its_money_ends_what_is_in_flight_and_goes_on_with_more(server, tmp_path):
    with pytest.raises(RunFailed) as stopped:
        ask_words(tmp_path, budget_usd=0.0015, concurrency=4)
    paid, rows = total_paid(tmp_path)["calls"], len(list(read_rows(tmp_path)))
    assert "the budget of $0.0015 is spent" in str(stopped.value)
    assert f"the run in {tmp_path} was stopped, the same command with a higher budget goes on" in str(stopped.value)
    assert 0 < rows == paid == server.answered < 20, "nothing that was paid is lost"
    assert billed(server) >= 0.0015
    assert read_header(tmp_path)["status"] == "interrupted"
    assert ujson.loads((tmp_path / "summary.json").read_text())["n"] == rows
    with pytest.raises(RunFailed, match="is spent"):
        ask_words(tmp_path, budget_usd=0.0015)
    assert server.answered == paid, "what was paid before counts"
    assert ask_words(tmp_path, budget_usd=1).summary["n_ok"] == 20
    assert server.answered == 20


def test_repeats_share_one_purse(server, tmp_path):
    ask_words(tmp_path / "once", limit=8)
    each = billed(server)
    options = {"out": tmp_path, "progress": False, "budget_usd": 1.5 * each, "concurrency": 2, "limit": 8}
    with priced_by(PRICES), pytest.raises(RunFailed, match="is spent"):
        evaluate_repeatedly(Direct(), words(20), repeats=3, **options)
    assert write_summary(tmp_path / "repeat-1")["n_ok"] == 8
    assert 0 < write_summary(tmp_path / "repeat-2")["n_ok"] <= 8
    assert not (tmp_path / "repeat-3").exists()
