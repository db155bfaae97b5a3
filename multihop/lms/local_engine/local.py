"""The built-in LM: a small encoder that reads the prompt's passages and fills each step's fields from its heads."""

import asyncio
from typing import TYPE_CHECKING, Any

from ...base.batch_cache import BatchCache
from ...encoder import Encoder
from ..engine import AsyncEngine, Engine, as_lm
from ..known_outputs import fillable_output, harmless
from ..prompt import Prompt, parse_prompt
from .asked_encoder import AskedEncoder, SharedEncoder, finish_now
from .calibration import Calibration, Decided, fit
from .page import LocalPage
from .roles import ROLES, DecisionRole

if TYPE_CHECKING:
    import dspy
    from dspy.lm15 import Request, Response

CALIBRATED = 1 << 8
"""Calibrations that are kept: every prompt of a step shows the same demonstrations."""


class Local(Engine):
    """The engine behind `local`: an extractive reader of 22 million parameters, computed here, with no key."""

    def __init__(self, *, weights: str | None = None, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self.weights = weights
        self.encoder = Encoder.load(weights)
        self._calibrations: BatchCache[tuple[str, str], Calibration] = BatchCache(CALIBRATED)

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
        """Each output field by its role; decisions as the demonstrations calibrate them."""
        page = LocalPage(prompt, encoder)
        filled: dict[str, Any] = {}
        for field in prompt.output_fields:
            role = ROLES[fillable_output(field, "local")]
            if isinstance(role, DecisionRole):
                value = await role.value(page, self._calibration(field.name, role, prompt))
            else:
                value = await role(page)
            filled[field.name] = harmless(value)
        return filled

    def _calibration(self, name: str, role: DecisionRole, prompt: Prompt) -> Calibration:
        """A field's calibration by the prompt's demonstrations; each set of them is read once, alone and at once."""
        if not prompt.demonstrations:
            return Calibration()
        page = LocalPage(prompt, AskedEncoder(self.encoder))
        key = (name, repr(prompt.demonstrations))
        return self._calibrations.get([key], lambda _: [fit(finish_now(_cases(name, role, page)), role.share)])[0]


async def _cases(name: str, role: DecisionRole, page: LocalPage) -> list[Decided]:
    """The odds of each demonstration that decides the field, and the probability that its decision means."""
    examples = []
    for demonstration in page.prompt.demonstrations:
        right = role.probability_of(demonstration.outputs[name]) if name in demonstration.outputs else None
        if right is not None:
            examples.append((await role.fill(page.demonstration_page(demonstration.inputs)), right))
    return examples


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
