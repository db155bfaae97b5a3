"""The encoder as a page asks it: at once and alone, or together with the other pages on an event loop."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from ...encoder import Encoder, Judgement, Pages, PagesReading, Pair, judge, next_query, read

Value = TypeVar("Value")


class AskedEncoder:
    """The encoder asked by one page alone: its coroutines never wait."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        return self.encoder.judge(pairs)

    async def read(self, asked: Sequence[Pages]) -> list[PagesReading]:
        """The reader's reading of each group of pages, in their order."""
        return self.encoder.read(asked)

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        return [picked.query for picked in self.encoder.next_queries(findings)]


class SharedEncoder(AskedEncoder):
    """The encoder asked together with every other page on this event loop."""

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        return await asyncio.gather(*(judge(self.encoder, pair) for pair in pairs))

    async def read(self, asked: Sequence[Pages]) -> list[PagesReading]:
        """The reader's reading of each group of pages, in their order."""
        return await asyncio.gather(*(read(self.encoder, pages) for pages in asked))

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        picked = await asyncio.gather(*(next_query(self.encoder, *finding) for finding in findings))
        return [each.query for each in picked]


def finish_now(work: Coroutine[Any, Any, Value]) -> Value:
    """The result of a coroutine that never waits, such as one that asks an `AskedEncoder`.

    Each field is filled by one coroutine, whether it is asked for synchronously or not. The synchronous caller needs
    no event loop for it, and could not start one: in a notebook one is already running in this thread.
    """
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("this coroutine waits for something; await it on an event loop instead.")
