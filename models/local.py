"""The built-in LM: a small encoder that reads the prompt's passages and fills each step's fields from its heads."""

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..encoder import Encoder, Judgement, Pair, judge, next_query
from .calibration import shifted
from .engine import AsyncEngine, Engine, as_lm
from .fields import harmless, role_for
from .local_page import Asked, Page
from .local_roles import ROLES, Decision, Role
from .prompt import Prompt, parse_prompt

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response

Value = TypeVar("Value")
REMEMBERED = 1 << 14
"""Judgements that are kept: programs show the same passages under the same question again and again."""


class Local(Engine):
    """The engine behind `local`: an extractive reader of 22 million parameters, computed here, with no key."""

    def __init__(self, *, weights: str | None = None, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self.weights = weights
        self.encoder = Encoder.load(weights)
        self.judged: OrderedDict[Pair, Judgement] = OrderedDict()

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field."""
        return _run(fields(prompt, AtOnce(self)))

    async def areply(self, prompt: Prompt) -> dict[str, Any]:
        """The same; what other requests ask of the encoder at the same time goes through it in one run."""
        return await fields(prompt, Gathered(self))

    def remember(self, pairs: Sequence[Pair], judged: Sequence[Judgement]) -> None:
        """Keep judgements; the oldest are forgotten."""
        self.judged.update(zip(pairs, judged, strict=True))
        while len(self.judged) > REMEMBERED:
            self.judged.popitem(last=False)

    def dump_state(self) -> dict[str, Any]:
        """What `load_state` needs to rebuild this engine."""
        return {**super().dump_state(), "weights": self.weights}


class AtOnce:
    """The encoder asked by one page alone."""

    def __init__(self, engine: Local) -> None:
        self.engine = engine

    async def judge(self, pairs: Sequence[Pair]) -> list[Judgement]:
        """The judgements, those made before looked up."""
        known = {pair: self.engine.judged[pair] for pair in pairs if pair in self.engine.judged}
        missing = [pair for pair in dict.fromkeys(pairs) if pair not in known]
        judged = await self.made(missing)
        self.engine.remember(missing, judged)
        known.update(zip(missing, judged, strict=True))
        return [known[pair] for pair in pairs]

    async def made(self, pairs: list[Pair]) -> list[Judgement]:
        """Judgements that nobody has made yet."""
        return self.engine.encoder.judge(pairs)

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        return [picked.query for picked in self.engine.encoder.next_queries(findings)]


class Gathered(AtOnce):
    """The encoder asked together with every other page on this event loop."""

    async def made(self, pairs: list[Pair]) -> list[Judgement]:
        """Judgements that nobody has made yet."""
        return await asyncio.gather(*(judge(self.engine.encoder, pair) for pair in pairs))

    async def next_queries(self, findings: Sequence[tuple[str, str]]) -> list[str]:
        """For each question and what was found, the next query."""
        picked = await asyncio.gather(*(next_query(self.engine.encoder, *finding) for finding in findings))
        return [each.query for each in picked]


async def fields(prompt: Prompt, encoder: Asked) -> dict[str, Any]:
    """Each output field by its role; decisions are moved by what the demonstrations decide."""
    page = Page(prompt, encoder)
    filled: dict[str, Any] = {}
    for field in prompt.output_fields:
        role: Role | Decision = role_for(field, ROLES, "local")
        if isinstance(role, Decision):
            filled[field.name] = role.said(await shifted(await role.fill(page), field.name, role, page))
        else:
            filled[field.name] = harmless(await role.fill(page))
    return filled


class AsyncLocal(AsyncEngine):
    """The asynchronous half of `Local`: concurrent requests share the runs of the encoder."""

    engine: Local

    async def complete(self, request: "Request") -> "Response":
        """One answer, after the latency."""
        if self.engine.latency:
            await asyncio.sleep(self.engine.latency)
        prompt = parse_prompt(request)
        return self.engine.response(request, prompt, await self.engine.areply(prompt))


def local(*, weights: str | None = None, latency: float = 0.0, **options: Any) -> "dspy.LM":
    """The built-in LM: no key, no network, answers computed from the passages that the prompt shows.

    It is an encoder of 22 million parameters that can only point at words it is shown: it extracts, and invents
    nothing. Demonstrations in the prompt move its decisions (relevant, enough, answerable, valid, score).

    Args:
        weights: The folder of an encoder of your own (`multihop train`); the built-in one if not given.
        latency: Seconds that every answer waits, to stand for a slower LM.
        **options: Passed on to `dspy.LM`.

    Examples:
        >>> import dspy
        >>> from multihop.models import local
        >>> with dspy.context(lm=local()):
        ...     read = dspy.Predict("passages: list[str], question -> answer")
        ...     read(passages=["Alien | Alien was directed by Ridley Scott."], question="Who directed Alien?").answer
        'Ridley Scott'
    """
    engine = Local(weights=weights, latency=latency)
    return as_lm(engine, f"local@{engine.encoder.fingerprint}", twin=AsyncLocal(engine), **options)


def _run(work: Coroutine[Any, Any, Value]) -> Value:
    """What a coroutine returns that never has to wait."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    raise RuntimeError("a synchronous reply had to wait")  # pragma: no cover - `_at_once` never waits
