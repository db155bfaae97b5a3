import asyncio
import io

import pytest
import ujson
from openai_server import OpenAIServer

from multihop import Direct, open_lm, priced_by
from multihop.serve.catalogue import Catalogue, Served
from multihop.serve.operation import EventLog
from multihop.serve.service import Service


def test_dollars_are_counted_apart_from_what_was_paid_and_an_unknown_price_as_such():
    stream = io.StringIO()

    async def main():
        names = ("known", "known", "unknown")
        return [(await service.ask(catalogue.get(name), "Which river?"))["cost"] for name in names]

    prices = {"server/m": {"input": 1.0, "output": 10.0}}
    with priced_by(prices), OpenAIServer(lambda prompt: {"answer": "Po"}) as server:
        lms = {"known": open_lm("server/m", api_base=server.url), "unknown": open_lm("server/n", api_base=server.url)}
        catalogue = Catalogue([Served(name=name, program=Direct(), lm=lm) for name, lm in lms.items()])
        service = Service(catalogue, cache="run", log=EventLog(stream))
        first, again, unknown = asyncio.run(main())
    counts = dict(line.rsplit(" ", 1) for line in service.metrics.text().splitlines() if not line.startswith("#"))
    usd = (server.tokens["in"] + 10 * server.tokens["out"]) / 2 / 1e6  # of two equal answers
    assert [(cost["usd"], cost["paid_usd"]) for cost in (first, again)] == [(usd, usd), (usd, 0.0)]
    assert float(counts['multihop_usd_total{program="known"}']) == pytest.approx(2 * usd)
    assert float(counts['multihop_paid_usd_total{program="known"}']) == pytest.approx(usd)
    assert (unknown["usd"], counts['multihop_unpriced_answers_total{program="unknown"}']) == (None, "1.0")
    assert counts.keys().isdisjoint(
        {'multihop_usd_total{program="unknown"}', 'multihop_unpriced_answers_total{program="known"}'}
    )
    assert [ujson.loads(line)["usd"] for line in stream.getvalue().splitlines()] == [usd, usd, None]
