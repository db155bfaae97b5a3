"""One LM call with everything around it: the limit, the budget, the count, and the retry of what cannot be parsed."""

import functools
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ..base import InputError
from ..signatures.output_types import Texts
from .answer_cache import current_caching
from .branch import Branch
from .budget import Account, Budget
from .plain_adapter import PlainAdapter, lone_text
from .step_lm import AnsweringLM, Gate, KnownFailure
from .streaming import current_call
from .texts import given_adapter, keeping_texts

NO_LM = "no LM is configured; call dspy.configure(lm=...) first, for instance with multihop.local()."


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
    draw: int = 0,
    logprobs: bool = False,
    cloned: bool = False,
) -> dspy.Prediction:
    """The predictor's answer, paid from the branch's account; with `logprobs`, where the LM can tell them.

    An LM that was `cloned` is first asked in the form that it was trained on, whatever form its server could keep to.

    Raises:
        InputError: There is no LM to ask.
        OverBudget: `reserve` is not None, and the budget has no room for one more call.
        AdapterParseError: None of the `1 + retries` completions could be parsed, and passed the check.
    """
    account, before = branch.account, branch.chain
    current_call.set(object())  # the next call of this task sets its own
    parts = [predictor] if type(predictor) is dspy.Predict else predictor.predictors()
    own = next((part.lm for part in parts if part.lm is not None), None)
    asked = own or lm
    if asked is None:
        raise InputError(NO_LM)
    config = {"logprobs": True} if logprobs and "logprobs" in asked.supported_params else {}
    failed: list[AnsweringLM] = []
    async with AsyncExitStack() as alike:
        for attempt in range(1 + retries):
            adapter = adapter_of(attempt, None if cloned else asked)
            account.begin(role, reserve)
            branch.chain = max(branch.chain, before + attempt + 1)
            answering = AnsweringLM(
                asked,
                role=role,
                cost=account.cost,
                gate=gate,
                tracker=dspy.settings.usage_tracker,
                alike=alike,
                may_skip=attempt < retries,
            )
            options = _options(asked, draw * (1 + retries) + attempt, config)
            if own is not None:
                options["lm"] = answering.lm
            if not cloned and len(parts) == 1 and given_adapter() is None:  # those given know steps by their signature
                options["signature"] = counted(parts[0].signature, inputs)
            try:
                with dspy.context(adapter=adapter, lm=answering.lm, usage_tracker=answering):
                    prediction = await predictor.acall(**inputs, **options)
                if check is not None:
                    _check(prediction, check, predictor)
                if config and (told := prediction.get("logprobs")) is not None:
                    del prediction["logprobs"]  # of the one that demonstrations are made of
                    prediction = prediction.copy(logprobs=told)
                await answering.keep()
                for each in failed:
                    await each.keep_failure()
                return prediction
            except (AdapterParseError, KnownFailure):
                account.cost.parse_failures += 1
                failed.append(answering)
                if attempt == retries:
                    raise
            finally:
                answering.settle()
    raise AssertionError("unreachable: the last attempt returns or raises")


async def ask_alone(
    predictor: dspy.Module, inputs: dict[str, Any], *, role: str, gate: Gate, retries: int = 1
) -> dspy.Prediction:
    """The predictor's answer outside any program, with the same cache, bill and retries.

    Raises:
        AdapterParseError: No completion could be parsed.
    """
    branch: Branch[Any] = Branch(Account(Budget()))
    return await call_predictor(
        predictor, inputs, lm=dspy.settings.lm, role=role, branch=branch, gate=gate, retries=retries, reserve=None
    )


def _check(prediction: dspy.Prediction, check: Callable[[dspy.Prediction], object], predictor: dspy.Module) -> None:
    """Treat a prediction that cannot be used like a completion that cannot be parsed."""
    try:
        check(prediction)
    except ValueError as error:
        if dspy.settings.trace:
            dspy.settings.trace.pop()  # nothing to learn from
        signature = predictor.predictors()[0].signature
        raise AdapterParseError("check", signature, str(prediction.toDict()), message=str(error)) from error


def adapter_of(attempt: int, lm: dspy.BaseLM | None) -> dspy.Adapter:
    """The adapter of an attempt: the one that is set, else the one for the form in which the LM is asked (`open_lm`).

    DSPy's chat adapter asks once more as JSON by itself; here that is the second attempt, so that it is counted.
    """
    adapter = given_adapter()
    if adapter is None:
        if attempt == 1:
            return _json_adapter()
        return _chat_adapter() if getattr(lm, "structured", "text") == "text" else _plain_adapter()
    if not getattr(adapter, "use_json_adapter_fallback", False) or isinstance(adapter, dspy.JSONAdapter):
        return keeping_texts(adapter)
    if attempt == 1:
        return _json_adapter()
    adapter = keeping_texts(adapter)
    adapter.use_json_adapter_fallback = False
    return adapter


def asks_for_text_alone(signature: type[dspy.Signature], lm: dspy.BaseLM | None) -> bool:
    """True if the LM is first asked for the one text that the signature wants, and for nothing around it."""
    return lone_text(signature) is not None and isinstance(adapter_of(0, lm), PlainAdapter)


@functools.cache
def _chat_adapter() -> dspy.Adapter:
    return _for_every_call(dspy.ChatAdapter(use_json_adapter_fallback=False))


@functools.cache
def _json_adapter() -> dspy.Adapter:
    return _for_every_call(dspy.JSONAdapter())


@functools.cache
def _plain_adapter() -> dspy.Adapter:
    return _for_every_call(PlainAdapter())


def _for_every_call(adapter: dspy.Adapter) -> dspy.Adapter:
    """The adapter with its system messages kept: they are the same for every question, and much work."""
    system_message = adapter.format_system_message
    write = functools.lru_cache(256)(lambda signature, instructions: system_message(signature))
    adapter.format_system_message = lambda signature: write(signature, signature.instructions)
    return keeping_texts(adapter)


def _options(lm: dspy.BaseLM, number: int, config: dict[str, Any]) -> dict[str, Any]:
    """The call's own settings; those of a further answer make it differ: a fresh cache entry, a temperature above 0."""
    if number:
        config = {**config, "rollout_id": number, "temperature": lm.kwargs.get("temperature") or 1.0}
    seed, draw = lm.kwargs.get("seed"), current_caching.get().draw
    if seed is not None and (number or draw):  # with its own seed the LM would say the same again
        config = {**config, "seed": Random(f"{seed} {draw} {number}").getrandbits(31)}
    return {"config": config} if config else {}


NUMBER = "number"
"""The input that tells a step how many to name."""


def counted(signature: Any, inputs: Mapping[str, Any]) -> Any:
    """The signature with its lists of texts as long as the inputs say; the same one if they say nothing of it.

    An LM that is held to a schema then stops there, and a small one does not go on naming what nobody reads.

    Examples:
        >>> from multihop.runtime.call import counted
        >>> from multihop.signatures import ProposeSubQuestions
        >>> counted(ProposeSubQuestions, {"number": 3}).output_fields["sub_questions"].annotation.most
        3
    """
    number = str(inputs.get(NUMBER, ""))
    return _shortened(signature, int(number)) if number.isdecimal() and int(number) else signature


@functools.lru_cache(256)
def _shortened(signature: Any, number: int) -> Any:
    for name, field in signature.output_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Texts):
            signature = signature.with_updated_fields(name, type_=kind.at_most(number))
    return signature
