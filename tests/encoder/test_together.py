import asyncio

import pytest

from multihop.encoder import Encoder, Pair, judge, next_query

pytestmark = pytest.mark.at_once


class Counting:
    """An encoder that remembers its batches."""

    def __init__(self):
        self.batches = []

    def judge(self, pairs):
        self.batches.append(len(pairs))
        return Encoder.load().judge(pairs)

    def next_queries(self, findings):
        self.batches.append(len(findings))
        return Encoder.load().next_queries(findings)


def test_what_is_asked_at_once_is_one_run():
    encoder, pairs = Counting(), [Pair("Where is it?", f"Passage number {number}.") for number in range(5)]

    async def main():
        return await asyncio.gather(*(judge(encoder, pair) for pair in [*pairs, pairs[0]]))

    judged = asyncio.run(main())
    assert encoder.batches == [5]
    assert judged[0] == judged[5]
    assert [each.relevant for each in judged[:5]] == [each.relevant for each in Encoder.load().judge(pairs)]


def test_judging_and_picking_do_not_share_a_run():
    encoder = Counting()

    async def main():
        return await asyncio.gather(judge(encoder, Pair("Who?", "A text.")), next_query(encoder, "Who is it?", "Ada"))

    assert asyncio.run(main())[1].found == "Ada"
    assert encoder.batches == [1, 1]
