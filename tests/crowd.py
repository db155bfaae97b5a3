"""An LM whose calls wait for each other, for tests that steps run at once: one after the other they never end."""

import asyncio

from multihop.lms import AsyncEngine, Scripted, as_lm
from multihop.lms.prompt import parse_prompt

PATIENCE = 60
"""Seconds that a call waits for its company before the test fails."""


class Crowd(Scripted):
    """A script that knows how many calls were under way at once."""

    most_at_once = 0


class Waiting(AsyncEngine):
    """Answers a call only when as many of its kind are under way as there have to be."""

    def __init__(self, engine, together):
        super().__init__(engine)
        self.barriers, self.under_way = {}, 0
        for fields, number in together.items():
            self.barriers |= dict.fromkeys(fields.split(), asyncio.Barrier(number))

    async def complete(self, request):
        self.under_way += 1
        self.engine.most_at_once = max(self.engine.most_at_once, self.under_way)
        try:
            for field in parse_prompt(request).output_fields:
                if field.name in self.barriers:
                    await asyncio.wait_for(self.barriers[field.name].wait(), PATIENCE)
            return self.engine.complete(request)
        finally:
            self.under_way -= 1


def crowd(answers, **together):
    """A scripted LM; for an output field, or for "two fields", it is given how many calls are answered together."""
    engine = Crowd(answers)
    return as_lm(engine, "crowd", twin=Waiting(engine, together))
