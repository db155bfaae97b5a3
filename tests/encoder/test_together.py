import asyncio

import pytest

from multihop.encoder import Encoder, Pair, judge, next_query

pytestmark = pytest.mark.at_once


class Counting(Encoder):
    """An encoder that remembers its batches."""

    batches = ()

    def judge(self, pairs):
        self.batches += (len(pairs),)
        return super().judge(pairs)

    def next_queries(self, findings):
        self.batches += (len(findings),)
        return super().next_queries(findings)


def test_what_is_asked_at_once_is_one_run_and_judging_and_picking_do_not_share_it(tiny_encoder_folder):
    encoder, pairs = Counting(tiny_encoder_folder), [Pair("Where is it?", f"Passage {number}.") for number in range(5)]

    async def main():
        asked = (judge(encoder, pair) for pair in [*pairs, pairs[0]])
        return await asyncio.gather(*asked, next_query(encoder, "Who is it?", "Ada"))

    *judged, picked = asyncio.run(main())
    assert sorted(encoder.batches) == [1, 5]
    assert judged == [*Encoder(tiny_encoder_folder).judge(pairs), judged[0]]
    assert picked.found == "Ada"
