"""What this library knows of DSPy from the inside, and whether the DSPy that is installed is the one it knows.

`message_layout.py` and `short_call.py` do at less cost what functions of DSPy 3.4 do for every call. They import from
here whatever is not DSPy's public face, and nothing else in the library knows of it. They ask here first, at every
call: a function whose source is another than it was written for, be it a later version's or one that a tool has put
in its place, is not known, and the call then goes DSPy's own way.

A DSPy that changes one of the functions costs speed, not correctness. To make it known, compare the functions, follow
the change in the two files, and add its digest to `SOURCES`; tests/runtime/test_inside_dspy.py prints it.
"""

import functools
import hashlib
import linecache
import math
from operator import attrgetter
from typing import Any

import dspy

try:
    from dspy.adapters import decision, utils
    from dspy.adapters.base import _expand_legacy_custom_type_markers_in_chat_message as expand_markers
    from dspy.adapters.chat_adapter import field_header_pattern
    from dspy.clients import execution
    from dspy.clients._deprecation import adapter_message_call
    from dspy.clients.base_lm import BaseLM
    from dspy.clients.capabilities import planning_scope, prepare_async, with_capability_planning
    from dspy.predict import predict
    from dspy.primitives.module import Module
    from dspy.utils.callback import with_callbacks
    from dspy.utils.constants import IS_TYPE_UNDEFINED
except ImportError:  # a DSPy in which something has moved
    _imported = False
else:
    _imported = True

__all__ = [
    "IS_TYPE_UNDEFINED",
    "adapter_kind",
    "adapter_message_call",
    "execution",
    "expand_markers",
    "field_header_pattern",
    "knows_lms",
    "knows_predictors",
    "planning_scope",
    "predict",
    "prepare_async",
    "utils",
]

SOURCES = {
    "chat": {"6866d53fdbb62343"},
    "json": {"81af0c7406348f74"},
    "values": {"fe488b52271d04b4"},
    "predictors": {"505d660d0754852d"},
    "lms": {"1c9281458a550749"},
}
"""The digests of the sources that are known, by what the functions do; all are those of DSPy 3.4.1."""

_ADAPTER = attrgetter(
    "acall",
    "format",
    "parse",
    "format_system_message",
    "format_field_description",
    "format_field_structure",
    "format_task_description",
    "format_demos",
    "format_user_message_content",
    "user_message_output_requirements",
    "format_assistant_message_content",
    "format_field_with_value",
    "_call_preprocess",
    "_call_postprocess",
    "_get_history_field_name",
)
_VALUES = attrgetter(
    "format_field_value", "serialize_for_json", "parse_value", "apply_output_field_defaults", "translate_field_type"
)
_PREDICT = attrgetter("acall", "aforward", "_forward_preprocess", "_forward_postprocess", "_should_stream")
_EXECUTION = attrgetter(
    "prepare",
    "aexecute",
    "finalize",
    "_engine",
    "_select_engine",
    "_canonical",
    "_aattempt",
    "_accept_response",
    "_price_result",
    "_account_failed_call",
    "_retryable",
    "_delay",
)


def adapter_kind(adapter: Any) -> str | None:
    """What an adapter of this class writes: "chat" as `ChatAdapter`, "json" as `JSONAdapter`; None if anything else.

    Examples:
        >>> import dspy
        >>> from multihop.runtime.inside_dspy import adapter_kind
        >>> adapter_kind(dspy.JSONAdapter), adapter_kind(dspy.XMLAdapter)
        ('json', None)
    """
    if not (_imported and issubclass(adapter, dspy.ChatAdapter)):
        return None
    kind, functions = "chat", _ADAPTER(adapter)
    if issubclass(adapter, dspy.JSONAdapter):
        kind, functions = "json", (*functions, adapter._prepare_response_format)
    return kind if _known(kind, functions) and _known("values", _VALUES(utils)) else None


def knows_predictors() -> bool:
    """Whether `dspy.Predict` does what it is known to do."""
    return _imported and _known("predictors", _predictors())


def knows_lms() -> bool:
    """Whether `dspy.LM` does what it is known to do."""
    return _imported and _known("lms", _lms())


def _predictors() -> tuple[Any, ...]:
    around = with_callbacks, with_capability_planning, decision.resolve_adapter
    return (*_PREDICT(dspy.Predict), Module.acall, *around)


def _lms() -> tuple[Any, ...]:
    return (*_EXECUTION(execution), BaseLM.acall, dspy.LM.acall)


@functools.lru_cache(maxsize=64)
def _known(what: str, functions: tuple[Any, ...]) -> bool:
    return digest_of(functions) in SOURCES[what]


def digest_of(functions: tuple[Any, ...]) -> str:
    """What is equal for functions of equal source."""
    return hashlib.blake2b("".join(map(source, functions)).encode(), digest_size=8).hexdigest()


def source(function: Any) -> str:
    """The function's source, without what DSPy wraps around it; empty where there is none.

    Examples:
        >>> import dspy
        >>> from multihop.runtime.inside_dspy import source
        >>> print(source(dspy.ChatAdapter.format_system_message).splitlines()[0])
            def format_system_message(self, signature: type[Signature]) -> str:
    """
    while getattr(function, "__code__", None) in _wrappers():
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :] if code else []
    start = next((n for n, line in enumerate(lines) if line.lstrip().startswith(("def ", "async def "))), 0)
    beyond = next((n for n in range(start + 1, len(lines)) if _depth(lines[n]) <= _depth(lines[start])), len(lines))
    return "".join(lines[:beyond]).rstrip()


def _depth(line: str) -> float:
    """How far a statement is indented; any depth for what begins none."""
    text = line.lstrip()
    return math.inf if not text or text.startswith(")") else len(line) - len(text)


@functools.cache
def _wrappers() -> frozenset[Any]:
    """The code of what DSPy wraps around its functions."""

    def at_once(self: Any, lm: Any, lm_kwargs: Any) -> None: ...
    async def later(self: Any, lm: Any, lm_kwargs: Any) -> None: ...

    decorators = with_callbacks, with_capability_planning
    return frozenset(decorate(function).__code__ for decorate in decorators for function in (at_once, later))
