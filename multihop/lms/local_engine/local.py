"""The built-in LM: a small encoder that reads the prompt's passages and fills each step's fields from its heads."""

import asyncio
from typing import TYPE_CHECKING, Any

from ...encoder import Encoder
from ..engine import AsyncEngine, Engine, as_lm
from ..known_outputs import fillable_output, harmless
from ..prompt import Prompt, parse_prompt
from .asked_encoder import AskedEncoder, SharedEncoder, finish_now
from .page import LocalPage
from .roles import ROLES

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response


class Local(Engine):
    """The engine behind `local`: an extractive reader of 22 million parameters, computed here, with no key."""

    def __init__(self, *, weights: str | None = None, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self.weights = weights
        self.encoder = Encoder.load(weights)

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field."""
        return finish_now(self._fill(prompt, AskedEncoder(self.encoder)))

    async def areply(self, prompt: Prompt) -> dict[str, Any]:
        """The same; requests to the encoder from other prompts at the same time go through it in one run."""
        return await self._fill(prompt, SharedEncoder(self.encoder))

    def dump_state(self) -> dict[str, Any]:
        """The values from which `load_state` rebuilds this engine."""
        return {**super().dump_state(), "weights": self.weights}

    async def _fill(self, prompt: Prompt, encoder: AskedEncoder) -> dict[str, Any]:
        """Each output field by its role."""
        page = LocalPage(prompt, encoder)
        filled: dict[str, Any] = {}
        for field in prompt.output_fields:
            filled[field.name] = harmless(await ROLES[fillable_output(field)](page))
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
