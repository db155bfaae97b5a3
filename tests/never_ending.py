"""An LM whose calls never end, for tests that they are cancelled when nobody wants their answers any more."""

import asyncio

from multihop.lms import AsyncEngine, Scripted, as_lm


class NeverEnding(AsyncEngine):
    """Answers at once what its script has an answer for, and keeps all else waiting."""

    def __init__(self, engine):
        super().__init__(engine)
        self.begun, self.cancelled = asyncio.Event(), asyncio.Event()
        self.under_way = 0

    async def complete(self, request):
        if (reply := self.engine.complete(request)).message.text:
            return reply
        self.under_way += 1
        self.begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.under_way -= 1
            if not self.under_way:
                self.cancelled.set()


def never_ending(answers=lambda prompt: ""):
    """The LM, and its engine, which knows when a call has begun and when the last was cancelled."""
    twin = NeverEnding(Scripted(answers))
    return as_lm(twin.engine, "never-ending", twin=twin), twin
