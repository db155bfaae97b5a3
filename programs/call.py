"""One LM call with everything around it: the limit, the budget, the count, and the retry of what cannot be parsed."""

import copy
import functools
from collections.abc import Callable
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from .branch import Branch
from .budget import Cost
from .gate import Gate


async def call_predictor(
    predictor: dspy.Module,
    inputs: dict[str, Any],
    *,
    lm: dspy.BaseLM | None,
    role: str,
    branch: Branch[Any],
    gate: Gate,
    retries: int,
    reserve: int | None,
    check: Callable[[dspy.Prediction], object] | None = None,
) -> dspy.Prediction:
    """The predictor's answer, paid from the branch's account.

    Raises:
        OverBudget: `reserve` is not None and one more call would not leave that many.
        AdapterParseError: None of the `1 + retries` completions could be parsed, and passed the check.
    """
    account, before = branch.account, branch.chain
    for attempt in range(1 + retries):
        async with gate.seat():
            if reserve is not None:
                account.check(reserve)
            account.cost.calls += 1
            account.cost.calls_by_role[role] += 1
            branch.chain = max(branch.chain, before + attempt + 1)
            meter = Meter(account.cost, role, dspy.settings.usage_tracker)
            with dspy.context(lm=lm, adapter=_adapter(attempt), usage_tracker=meter):
                try:
                    prediction = await predictor.acall(**inputs, **_sampling(predictor, attempt))
                    if check is not None:
                        _checked(prediction, check, predictor)
                    return prediction
                except AdapterParseError:
                    account.cost.parse_failures += 1
                    if attempt == retries:
                        raise
    raise AssertionError("unreachable: the last attempt returns or raises")


def _checked(prediction: dspy.Prediction, check: Callable[[dspy.Prediction], object], predictor: dspy.Module) -> None:
    """What cannot be used for what it is meant for is treated like what cannot be parsed."""
    try:
        check(prediction)
    except ValueError as error:
        if dspy.settings.trace:
            dspy.settings.trace.pop()  # nothing to learn from
        signature = predictor.predictors()[0].signature
        raise AdapterParseError("check", signature, str(prediction.toDict()), message=str(error)) from error


class Meter:
    """A DSPy usage tracker that books tokens under a role and passes them on to the tracker around it."""

    def __init__(self, cost: Cost, role: str, outer: Any) -> None:
        self.cost, self.role, self.outer = cost, role, outer

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Book one completion's usage."""
        self.cost.add_tokens(self.role, lm, usage_entry)
        if self.outer is not None:
            self.outer.add_usage(lm, usage_entry)


def _adapter(attempt: int) -> dspy.Adapter:
    """DSPy's chat adapter asks once more as JSON by itself; here that is the second attempt, so that it is counted."""
    adapter = dspy.settings.adapter
    if adapter is None:
        return _json_adapter() if attempt == 1 else _chat_adapter()
    if not getattr(adapter, "use_json_adapter_fallback", False) or isinstance(adapter, dspy.JSONAdapter):
        return adapter
    if attempt == 1:
        return _json_adapter()
    adapter = copy.copy(adapter)
    adapter.use_json_adapter_fallback = False
    return adapter


@functools.cache
def _chat_adapter() -> dspy.Adapter:
    return dspy.ChatAdapter(use_json_adapter_fallback=False)


@functools.cache
def _json_adapter() -> dspy.Adapter:
    return dspy.JSONAdapter()


def _sampling(predictor: dspy.Module, attempt: int) -> dict[str, Any]:
    """What makes a further attempt differ: a fresh cache entry, and a temperature at which the LM can differ too."""
    if attempt == 0:
        return {}
    lm = next((part.lm for part in predictor.predictors() if part.lm is not None), dspy.settings.lm)
    return {"config": {"rollout_id": attempt, "temperature": lm.kwargs.get("temperature") or 1.0}}
