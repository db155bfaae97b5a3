"""A plain call of a predictor and of an LM, without what only other calls need.

DSPy leads every call through layers for tools, decisions, streams, callbacks and several answers, and hands it to
worker threads and back three times. A call that needs none of this is made here on the event loop; predictions,
errors, traces, usage and histories are the same. Every other call goes DSPy's own way.
"""

import asyncio
import copy
import functools
import re
from collections.abc import Callable, Mapping, Set
from typing import Any

import dspy
from dspy.lm15 import Message, Request, TextPart
from pydantic_core import PydanticUndefined

from . import inside_dspy
from .message_layout import is_watched, layout_of, quicken, read_completion, text_of

_SCALARS = frozenset({str, int, float, bool, type(None)})
_MESSAGE, _SPEAKERS = frozenset({"role", "content"}), frozenset({"user", "assistant"})
_PLAIN_OPTIONS = frozenset({"cache", "temperature", "max_tokens"})
_REQUEST_APART = frozenset({"n", "num_generations", "rollout_id", "prompt_cache"})
_HALF = re.compile("[\\ud800-\\udfff]")
"""Half a character, which DSPy refuses in a sentence."""
_SEVERAL_ANSWERS = frozenset({"n", "num_generations", "parallel_tool_calls"})
_OWN_ARGUMENTS = frozenset({"signature", "new_signature", "demos", "config", "lm", "prediction", "_trace"})
"""Inputs of such a name mean something to `dspy.Predict`."""


async def predict(
    predictor: Any, inputs: dict[str, Any], options: dict[str, Any], *, adapter: Any, lm: Any, tracker: Any
) -> dspy.Prediction:
    """What `predictor.acall(**inputs, **options)` predicts with this adapter, LM and usage tracker."""
    kind, adapter = quicken(adapter)
    config = options.get("config", {})
    filled = None if kind is None else _plain_inputs(predictor, inputs, adapter, kind, lm, config)
    if kind is None or filled is None:
        with dspy.context(adapter=adapter, lm=lm, usage_tracker=tracker):
            return await predictor.acall(**inputs, **options)
    signature, config = predictor.signature, {**predictor.config, **config}
    layout, callers = layout_of(signature), [*(dspy.settings.caller_modules or []), predictor]
    with dspy.context(adapter=adapter, lm=lm, usage_tracker=tracker, caller_modules=callers):
        if kind == "json":
            with inside_dspy.planning_scope(lm, config):
                await inside_dspy.prepare_async(lm)
                adapter._prepare_response_format(lm, config, signature)
        if not adapter.use_native_function_calling:
            for name in ("tools", "tool_choice", "parallel_tool_calls"):
                config.pop(name, None)
        messages = [
            {"role": "system", "content": text_of("format_system_message", layout, kind, adapter, signature)},
            *adapter.format_demos(signature, predictor.demos),
            {"role": "user", "content": adapter.format_user_message_content(signature, filled, main_request=True)},
        ]
        messages = [inside_dspy.expand_markers(message) for message in messages]
        with inside_dspy.adapter_message_call(lm, messages):
            outputs = await lm.acall(messages=messages, **config)
        completions = [
            read_completion(kind, layout, signature, output) if type(output) is str else None for output in outputs
        ]
        if None in completions:
            completions = adapter._call_postprocess(signature, signature, outputs, lm, config)
        return predictor._forward_postprocess(completions, signature, **filled)


def _plain_inputs(
    predictor: Any, inputs: dict[str, Any], adapter: Any, kind: str, lm: Any, config: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The inputs with defaults where some are missing; None where this call needs anything more of DSPy."""
    if type(predictor) is not dspy.Predict or not inside_dspy.knows_predictors():
        return None
    own, settings = vars(predictor), dspy.settings
    if "acall" in own or "aforward" in own or own.get("fields") or is_watched(predictor) or is_watched(adapter):
        return None
    if settings.send_stream is not None or not _OWN_ARGUMENTS.isdisjoint(inputs):
        return None
    if kind == "chat" and adapter.use_json_adapter_fallback:
        return None
    if not all(_SEVERAL_ANSWERS.isdisjoint(options) for options in (own["config"], config, lm.kwargs)):
        return None
    layout, filled = layout_of(own["signature"]), dict(inputs)
    for name, field in layout.inputs.items():
        if name not in filled:
            if field.default is PydanticUndefined:
                return None
            filled[name] = field.default
    if not layout.plain or len(filled) != len(layout.inputs):
        return None
    return filled if not settings.warn_on_type_mismatch or all(map(layout.takes, filled, filled.values())) else None


def copy_lm(lm: dspy.BaseLM) -> Any:
    """A shallow copy."""
    if type(lm) is not dspy.LM:
        return copy.copy(lm)
    twin = object.__new__(dspy.LM)
    vars(twin).update(vars(lm))
    return twin


async def complete(lm: Any, prompt: str | None, messages: Any, options: dict[str, Any]) -> list[Any]:
    """What `lm.acall(prompt, messages=messages, **options)` returns."""
    if _is_plain(lm):
        execution = inside_dspy.execution
        call, request = _plain_call(lm, messages, options) or (None, None)
        if call is not None:
            result = await _execute(lm, call, lm._async_engine_spec, request, None)
            return execution.finalize(lm, call, result)  # type: ignore[no-any-return]
        call = execution.prepare(lm, prompt, messages, options, asynchronous=True)
        if call.managed and call.n == 1 and not call.cache and call.request is None:
            backend, request, provider = execution._engine(lm, call, True)
            if request is not None:
                result = await _execute(lm, call, backend, request, provider)
                return execution.finalize(lm, call, result)  # type: ignore[no-any-return]
    # The method of the class: that of the instance may be what calls this.
    ask: Callable[..., Any] = type(lm).acall
    return await ask(lm, prompt, messages=messages, **options)  # type: ignore[no-any-return]


def _is_plain(lm: Any) -> bool:
    if type(lm) is not dspy.LM or dspy.settings.send_stream is not None or is_watched(lm):
        return False
    return inside_dspy.knows_lms()


def _plain_call(lm: Any, messages: Any, options: dict[str, Any]) -> tuple[Any, Request] | None:
    """The call of an engine of one's own that is asked nothing but text, and its request; None for any other."""
    engine, settings = lm._async_engine_spec, {**lm.kwargs, **options}
    cached = settings.pop("cache", lm.cache)
    if engine is None or hasattr(engine, "complete_legacy") or cached or not messages or lm.use_developer_role:
        return None
    if not _PLAIN_OPTIONS.issuperset(options) or not _REQUEST_APART.isdisjoint(settings):
        return None
    if {*map(type, settings.values())} - _SCALARS or "aforward" in vars(lm):
        return None
    system, *others = messages
    if not _is_text(system, {"system"}) or not others or not all(_is_text(each, _SPEAKERS) for each in others):
        return None
    template = _template("model", lm.model, *(part for option in settings.items() for part in option))
    spoken = tuple(Message(each["role"], (TextPart(each["content"]),)) for each in others)
    request = Request(lm.model, spoken, system["content"], template.tools, template.config)
    legacy = {"model": lm.model, "messages": messages, **settings}
    return inside_dspy.execution.PreparedCall(None, messages, options, legacy, None, False, 1, True), request


def _is_text(message: dict[str, Any], roles: Set[str]) -> bool:
    if message.keys() != _MESSAGE or message["role"] not in roles or type(message["content"]) is not str:
        return False
    return message["content"].isascii() or not _HALF.search(message["content"])


@functools.lru_cache(maxsize=64, typed=True)
def _template(*options: Any) -> Request:
    """The request that DSPy makes of these options, name by name, whatever the messages."""
    legacy = {**dict(zip(options[::2], options[1::2], strict=True)), "messages": [{"role": "user", "content": "?"}]}
    call = inside_dspy.execution.PreparedCall(None, None, {}, legacy, None, False, 1, True)
    request: Request = inside_dspy.execution._canonical(call)
    return request


async def _execute(lm: Any, call: Any, backend: Any, request: Any, provider: str | None) -> Any:
    """DSPy's `aexecute` for a single answer that DSPy's cache does not keep; only what reads a file is in a thread."""
    execution = inside_dspy.execution
    results: list[Any] = []
    try:
        for attempt in range(lm.num_retries + 1):
            state = execution._Attempt()
            try:
                with execution.error_boundary(lm.model, provider=provider, unexpected=True):
                    await execution._aattempt(lm, call, backend, request, provider, state, results)
                break
            except Exception as error:
                if not execution._retryable(state, error, attempt, lm.num_retries):
                    raise
                await asyncio.sleep(execution._delay(error, attempt))
        if provider is None:
            execution._price_result(lm, state.result, state.response, provider, request)
        else:
            await asyncio.to_thread(execution._price_result, lm, state.result, state.response, provider, request)
        return results[0]
    except BaseException as error:
        execution._hint_responses_api(lm, error)
        execution._account_failed_call(lm, results, error)
        raise
