import asyncio
import io

import pytest
import ujson
from openai_server import OpenAIServer

from multihop import Direct, open_lm, priced_by
from multihop.serve.catalogue import Catalogue, Served
from multihop.serve.operation import EventLog
from multihop.serve.service import Service

PRICES = {"server/m": {"input": 1.0, "output": 10.0}}


def ask(model, times):
    """The costs of so many answers of this model, the counts, the lines of the log, and the tokens that were paid."""
    stream = io.StringIO()

    async def main():
        return [(await service.ask(served, "Which river?"))["cost"] for _ in range(times)]

    with priced_by(PRICES), OpenAIServer(lambda prompt: {"answer": "Po"}) as server:
        served = Served(name="direct", program=Direct(), lm=open_lm(f"server/{model}", api_base=server.url))
        service = Service(Catalogue([served]), cache="run", log=EventLog(stream))
        costs = asyncio.run(main())
    counts = dict(line.rsplit(" ", 1) for line in service.metrics.text().splitlines() if not line.startswith("#"))
    return costs, counts, [ujson.loads(line) for line in stream.getvalue().splitlines()], server.tokens


def test_dollars_are_counted_apart_from_what_was_paid():
    costs, counts, lines, tokens = ask("m", 2)
    usd = (tokens["in"] + 10 * tokens["out"]) / 1e6
    assert [(cost["usd"], cost["paid_usd"]) for cost in costs] == [(usd, usd), (usd, 0.0)]
    assert float(counts['multihop_usd_total{program="direct"}']) == pytest.approx(2 * usd)
    assert float(counts['multihop_paid_usd_total{program="direct"}']) == pytest.approx(usd)
    assert [line["usd"] for line in lines] == [usd, usd]
    assert 'multihop_unpriced_answers_total{program="direct"}' not in counts


def test_an_unknown_price_is_counted_as_such():
    costs, counts, lines, _ = ask("n", 1)
    assert (costs[0]["usd"], lines[0]["usd"]) == (None, None)
    assert counts['multihop_unpriced_answers_total{program="direct"}'] == "1.0"
    assert 'multihop_usd_total{program="direct"}' not in counts
