"""The dollars that runs cost and pay, and the end of a run that may pay no more."""

import asyncio

import dspy
import pytest
import ujson
from openai_server import OpenAIServer

from multihop import Direct, InputError, Question, RunFailed, compare, evaluate, evaluate_repeatedly, open_lm, priced_by
from multihop.evaluation.journal import read_header, read_rows
from multihop.evaluation.report import write_summary
from multihop.runtime import total_paid

QUESTIONS = [Question(id=f"q{i:02}", question=f"word{i:02}?", answers=(f"word{i:02}",)) for i in range(20)]
PRICES = {"server/m": {"input": 1.0, "output": 10.0}}


def echo(prompt):
    return {"answer": prompt.inputs["question"].rstrip("?")}


@pytest.fixture
def server():
    with OpenAIServer(echo) as server, dspy.context(lm=open_lm("server/m", api_base=server.url)):
        yield server


def billed(server):
    """Dollars, by the server's own bill."""
    return (server.tokens["in"] * 1 + server.tokens["out"] * 10) / 1e6


def run(folder, *, prices=PRICES, **options):
    with priced_by(prices):
        return evaluate(Direct(), QUESTIONS, out=folder, progress=False, **options)


def test_cost_and_payment_are_what_the_server_gave_out(server, tmp_path):
    first = run(tmp_path / "a").summary
    assert first["cost"]["usd"] == first["paid"]["usd"] == pytest.approx(billed(server), abs=1e-15)
    again = run(tmp_path / "a", cache="run").summary
    assert (again["cost"]["usd"], again["paid"]["usd"]) == (first["cost"]["usd"], first["paid"]["usd"])
    page = (tmp_path / "a" / "summary.md").read_text()
    assert f"| dollars | ${first['cost']['usd'] / 20:.3g}" in page.replace("0 |", " |").replace("00 ", " ")
    assert read_header(tmp_path / "a")["prices"]["server/m"] == {"input": 1.0, "output": 10.0}
    assert sum(row["cost"]["usd"] for row in read_rows(tmp_path / "a")) == pytest.approx(first["cost"]["usd"])


def test_a_run_keeps_its_prices_and_an_unknown_one_is_unknown(server, tmp_path):
    run(tmp_path / "known")
    run(tmp_path / "unknown", prices=None)
    assert write_summary(tmp_path / "known")["cost"]["usd"] == pytest.approx(billed(server) / 2)
    summary = write_summary(tmp_path / "unknown")
    assert summary["cost"]["usd"] is None
    assert summary["paid"]["usd"] is None
    page = (tmp_path / "unknown" / "summary.md").read_text()
    assert "| dollars | price unknown |" in page
    assert "tokens, price unknown." in page
    found = compare(tmp_path / "known", tmp_path / "unknown")
    assert found.cost["usd"] == (pytest.approx(billed(server) / 40), None)
    with priced_by(PRICES):
        assert compare(tmp_path / "known", tmp_path / "unknown").cost["usd"][1] == found.cost["usd"][0]


def test_a_run_that_has_spent_its_money_ends_what_is_in_flight_and_goes_on_with_more(server, tmp_path):
    with pytest.raises(RunFailed) as stopped:
        run(tmp_path, budget_usd=0.0015, concurrency=4)
    paid, rows = total_paid(tmp_path)["calls"], len(list(read_rows(tmp_path)))
    assert "the budget of $0.0015 is spent" in str(stopped.value)
    assert f"the run in {tmp_path} was stopped, the same command with a higher budget goes on" in str(stopped.value)
    assert 0 < rows == paid == server.answered < 20, "nothing that was paid is lost"
    assert billed(server) >= 0.0015
    assert read_header(tmp_path)["status"] == "interrupted"
    assert ujson.loads((tmp_path / "summary.json").read_text())["n"] == rows
    with pytest.raises(RunFailed, match="is spent"):
        run(tmp_path, budget_usd=0.0015)
    assert server.answered == paid, "what was paid before counts"
    assert run(tmp_path, budget_usd=1).summary["n_ok"] == 20
    assert server.answered == 20


def test_a_run_that_is_whole_needs_no_money(server, tmp_path):
    run(tmp_path)
    assert run(tmp_path, budget_usd=0.000001).summary["n_ok"] == 20


def test_repeats_share_one_purse(server, tmp_path):
    run(tmp_path / "once")
    each = billed(server)
    with priced_by(PRICES), pytest.raises(RunFailed, match="is spent"):
        evaluate_repeatedly(
            Direct(), QUESTIONS, repeats=3, out=tmp_path / "r", progress=False, budget_usd=1.5 * each, concurrency=2
        )
    assert write_summary(tmp_path / "r" / "repeat-1")["n_ok"] == 20
    assert 0 < write_summary(tmp_path / "r" / "repeat-2")["n_ok"] <= 20
    assert not (tmp_path / "r" / "repeat-3").exists()


def test_a_budget_without_a_price_is_refused_before_anything_is_asked(server, tmp_path):
    with pytest.raises(InputError, match="needs the price of server/m, which is not known"):
        run(tmp_path, prices=None, budget_usd=1)
    assert server.requests == 0
    assert not list(tmp_path.iterdir())
    assert asyncio.run(asyncio.sleep(0, "no loop was left behind")) == "no loop was left behind"
