"""The encoder as a page asks it: at once and alone, or together with the other pages on an event loop."""

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from ...encoder import Encoder, Judgement, Pair, judge, next_query

Value = TypeVar("Value")


class AskedEncoder(Protocol):
    """What a page asks of the encoder."""

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The judgements, in the order of the pairs."""
        ...

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        ...


class JudgingEngine(Protocol):
    """An engine that holds an encoder and the judgements it has made."""

    encoder: Encoder
    judged: OrderedDict[Pair, Judgement]

    def remember(self, pairs: Sequence[Pair], judged: Sequence[Judgement]) -> None:
        """Keep judgements."""
        ...


class LoneEncoder:
    """The encoder asked by one page alone: its coroutines never wait."""

    def __init__(self, engine: JudgingEngine) -> None:
        self.engine = engine

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The judgements, those made before looked up."""
        judgements = {pair: self.engine.judged[pair] for pair in pairs if pair in self.engine.judged}
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in judgements]
        new = await self.new_judgements(missing)
        self.engine.remember(missing, new)
        judgements.update(zip(missing, new, strict=True))
        return [judgements[pair] for pair in pairs]

    async def new_judgements(self, pairs: list[Pair]) -> list[Judgement]:
        """Judgements that nobody has made yet."""
        return self.engine.encoder.judge(pairs)

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        return [picked.query for picked in self.engine.encoder.next_queries(findings)]


class SharedEncoder(LoneEncoder):
    """The encoder asked together with every other page on this event loop."""

    async def new_judgements(self, pairs: list[Pair]) -> list[Judgement]:
        """Judgements that nobody has made yet."""
        return await asyncio.gather(*(judge(self.engine.encoder, pair) for pair in pairs))

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        picked = await asyncio.gather(*(next_query(self.engine.encoder, *finding) for finding in findings))
        return [each.query for each in picked]


def finish_now(work: Coroutine[Any, Any, Value]) -> Value:
    """What a coroutine returns that never waits, such as one that asks a `LoneEncoder`.

    Each field is filled by one coroutine, whether it is asked for synchronously or not. The synchronous caller needs
    no event loop for it, and could not start one: in a notebook one is already running in this thread.

    Examples:
        >>> from multihop.models.local_engine.asked_encoder import finish_now
        >>> async def add(a, b):
        ...     return a + b
        >>> finish_now(add(1, 2))
        3
    """
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    work.close()
    raise RuntimeError("this coroutine waits for something; await it on an event loop instead.")
