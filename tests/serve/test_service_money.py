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


def service_of(lm, stream):
    served = Served(name="direct", program=Direct(), lm=lm)
    return Service(Catalogue([served]), cache="run", log=EventLog(stream)), served


def ask(lm, times, prices):
    stream = io.StringIO()
    service, served = service_of(lm, stream)

    async def main():
        return [(await service.ask(served, "Which river?"))["cost"] for _ in range(times)]

    with priced_by(prices):
        costs = asyncio.run(main())
    counts = dict(line.rsplit(" ", 1) for line in service.metrics.text().splitlines() if not line.startswith("#"))
    return costs, counts, [ujson.loads(line) for line in stream.getvalue().splitlines()]


def test_dollars_are_counted_apart_from_what_was_paid():
    with OpenAIServer(lambda prompt: {"answer": "Po"}) as server:
        costs, counts, lines = ask(open_lm("server/m", api_base=server.url), 2, PRICES)
    usd = (server.tokens["in"] + 10 * server.tokens["out"]) / 1e6
    assert [(cost["usd"], cost["paid_usd"]) for cost in costs] == [(usd, usd), (usd, 0.0)]
    assert float(counts['multihop_usd_total{program="direct"}']) == pytest.approx(2 * usd)
    assert float(counts['multihop_paid_usd_total{program="direct"}']) == pytest.approx(usd)
    assert [line["usd"] for line in lines] == [usd, usd]
    assert 'multihop_unpriced_answers_total{program="direct"}' not in counts


def test_an_unknown_price_is_counted_as_such():
    with OpenAIServer(lambda prompt: {"answer": "Po"}) as server:
        costs, counts, lines = ask(open_lm("server/n", api_base=server.url), 1, PRICES)
    assert (costs[0]["usd"], lines[0]["usd"]) == (None, None)
    assert counts['multihop_unpriced_answers_total{program="direct"}'] == "1.0"
    assert 'multihop_usd_total{program="direct"}' not in counts
