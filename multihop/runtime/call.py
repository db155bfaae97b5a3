"""One LM call with everything around it: the budget, the attempts until a completion can be read, what is kept."""

import functools
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from random import Random
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ..base import InputError
from ..signatures.output_types import Texts
from .adapters import adapter_of, given_adapter
from .branch import Branch
from .cache import current_caching
from .cost import Account, Budget
from .step_lm import Attempt, Gate, KnownFailure, step_lm
from .streaming import current_call

NO_LM = "no LM is configured; call dspy.configure(lm=...) first, for instance with multihop.local()."


@dataclass(frozen=True, slots=True)
class Call:
    """A step's predictor, and the way in which it is asked."""

    predictor: dspy.Module
    role: str
    """The step's name."""
    lm: dspy.BaseLM | None
    """The step's LM, where the predictor has none of its own."""
    gate: Gate
    retries: int
    check: Callable[[dspy.Prediction], object] | None = None
    """Raises ValueError for a prediction to treat like a completion that cannot be parsed."""
    draw: int = 0
    logprobs: bool = False
    cloned: bool = False
    """True for an LM that was trained on the step: it is asked in the form of its training at every attempt."""

    async def answer(self, inputs: dict[str, Any], branch: Branch[Any], reserve: int | None) -> dspy.Prediction:
        """The predictor's prediction, paid from the branch's account; the errors of the last attempt are raised."""
        parts = [self.predictor] if type(self.predictor) is dspy.Predict else self.predictor.predictors()
        own = next((part.lm for part in parts if part.lm is not None), None)
        if (lm := own or self.lm) is None:
            raise InputError(NO_LM)
        shorter, signature = None, parts[0].signature if len(parts) == 1 else None
        if signature and not self.cloned and given_adapter() is None:  # those given know steps by their signature
            shorter = counted(signature, inputs)
        current_call.set(object())  # the next call of this task sets its own
        before, failed = branch.chain, list[Attempt]()
        async with AsyncExitStack() as turns:
            for number in range(1 + self.retries):
                branch.account.begin(self.role, reserve)
                branch.chain = max(branch.chain, before + number + 1)
                attempt = Attempt(self.role, branch.account, self.gate, turns, is_last=number == self.retries)
                asked, options = step_lm(lm, attempt), self._options(lm, number)
                if own is not None:
                    options["lm"] = asked
                if shorter is not None:
                    options["signature"] = shorter
                adapter = adapter_of(number, lm, signature, tuned=self.cloned)
                try:
                    with dspy.context(adapter=adapter, lm=asked, usage_tracker=attempt):
                        prediction = self._checked(await self.predictor.acall(**inputs, **options))
                    await attempt.keep()
                    return prediction
                except (AdapterParseError, KnownFailure):
                    branch.account.cost.parse_failures += 1
                    if number == self.retries:
                        for each in failed:  # asked anew, the question may do better
                            await each.forget()
                        raise
                    failed.append(attempt)
                    await attempt.keep(parsed=False)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _options(self, lm: dspy.BaseLM, attempt: int) -> dict[str, Any]:
        """The call's settings; those of a further answer make it differ: another cache entry, a temperature above 0."""
        number = self.draw * (1 + self.retries) + attempt
        config: dict[str, Any] = {"logprobs": True} if self.logprobs and "logprobs" in lm.supported_params else {}
        if number:
            config |= {"rollout_id": number, "temperature": lm.kwargs.get("temperature") or 1.0}
        seed, draw = lm.kwargs.get("seed"), current_caching.get().draw
        if seed is not None and (number or draw):  # with its own seed the LM would say the same again
            config |= {"seed": Random(f"{seed} {draw} {number}").getrandbits(31)}
        return {"config": config} if config else {}

    def _checked(self, prediction: dspy.Prediction) -> dspy.Prediction:
        """The prediction; one that cannot be used is treated like a completion that cannot be parsed."""
        try:
            if self.check is not None:
                self.check(prediction)
        except ValueError as error:
            if dspy.settings.trace:
                dspy.settings.trace.pop()  # nothing to learn from
            signature = self.predictor.predictors()[0].signature
            raise AdapterParseError("check", signature, str(prediction.toDict()), message=str(error)) from error
        if self.logprobs and (told := prediction.get("logprobs")) is not None:
            del prediction["logprobs"]  # of the one that demonstrations are made of
            prediction = prediction.copy(logprobs=told)
        return prediction


async def ask_alone(
    predictor: dspy.Module, inputs: dict[str, Any], *, role: str, gate: Gate, retries: int = 1
) -> dspy.Prediction:
    """The predictor's answer outside any program, with the same cache, bill and retries."""
    branch: Branch[Any] = Branch(Account(Budget(), current_caching.get().bill))
    return await Call(predictor, role, dspy.settings.lm, gate, retries).answer(inputs, branch, None)


NUMBER = "number"
"""The input that tells a step how many to name."""


def counted(signature: Any, inputs: Mapping[str, Any]) -> Any:
    """The signature with its lists of texts as long as the inputs say, for an LM to stop there; None if they do not."""
    number = str(inputs.get(NUMBER, ""))
    return _shortened(signature, int(number)) if number.isdecimal() and int(number) else None


@functools.lru_cache(256)
def _shortened(signature: Any, number: int) -> Any:
    shorter = None
    for name, field in signature.output_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Texts):
            shorter = (shorter or signature).with_updated_fields(name, type_=kind.at_most(number))
    return shorter
