"""The built-in LM: a small encoder that reads the prompt's passages and fills each step's fields from its heads."""

import asyncio
from typing import TYPE_CHECKING, Any, Self

from ...base.concurrency import BackgroundLoop
from ...encoder import Encoder
from ..engine import AsyncEngine, Engine, as_lm
from ..prompt import Prompt, parse_prompt
from .page import AskedEncoder, LocalPage
from .roles import ROLES, fillable_output

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response

_loop = BackgroundLoop("multihop-local")
"""The loop for synchronous calls."""


class Local(Engine):
    """The engine behind `local`: an extractive reader of 22 million parameters, computed here, with no key."""

    def __init__(self, *, weights: str | None = None, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self.weights = weights
        self.encoder = Encoder.load(weights)

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field."""
        return _loop.run(self.areply(prompt))

    async def areply(self, prompt: Prompt) -> dict[str, Any]:
        """The same; requests to the encoder from other prompts at the same time go through it in one run."""
        page = LocalPage(prompt, AskedEncoder(self.encoder))
        filled = {}
        for field in prompt.output_fields:
            _, role = ROLES[fillable_output(field)]
            filled[field.name] = _without_headers(await role(page))
        return filled

    def dump_state(self) -> dict[str, Any]:
        """The values from which `load_state` rebuilds this engine."""
        return {**super().dump_state(), "weights": self.weights}


class AsyncLocal(AsyncEngine):
    """The asynchronous half of `Local`: concurrent requests share the runs of the encoder."""

    engine: Local

    async def complete(self, request: "Request") -> "Response":
        """One answer, after the latency."""
        if self.engine.latency:
            await asyncio.sleep(self.engine.latency)
        prompt = parse_prompt(request)
        return self.engine.response(request, prompt, await self.engine.areply(prompt))

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The asynchronous half of the engine that `dump_state` described."""
        return cls(Local.load_state(state))


def local(*, weights: str | None = None, latency: float = 0.0, **options: Any) -> "dspy.LM":
    """The built-in LM: no key, no network, answers computed from the passages that the prompt shows.

    It is an encoder of 22 million parameters that can only point at words it is shown: it extracts, and invents
    nothing. It does not learn from demonstrations in the prompt.

    Args:
        weights: The folder of an encoder of your own (`multihop train`); the built-in one if not given.
        latency: Seconds that every answer waits, to imitate a slower LM.
        **options: Passed on to `dspy.LM`.

    Examples:
        >>> import dspy
        >>> from multihop.lms import local
        >>> with dspy.context(lm=local()):
        ...     read = dspy.Predict("passages: list[str], question -> answer")
        ...     read(passages=["Alien | Alien was directed by Ridley Scott."], question="Who directed Alien?").answer
        'Ridley Scott'
    """
    engine = Local(weights=weights, latency=latency)
    return as_lm(engine, f"local@{engine.encoder.fingerprint}", twin=AsyncLocal(engine), **options)


def _without_headers(value: Any) -> Any:
    """The value without headers of fields: one that is copied from a passage would end the field it is in."""
    if isinstance(value, list):
        return [_without_headers(each) for each in value]
    return value.replace("[[ ##", "[[##") if isinstance(value, str) else value
