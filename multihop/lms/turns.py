"""Marks of turns in what a server of one's own is asked: taken apart, since a server reads them as tokens of its own.

Such a server puts the messages into the model's chat template and reads every special token in the result, also one
that came with a passage. Which text is content only the server knows; so what opens or ends a turn is written with a
blank more, `< |im_start|>`, which a model still reads as what it says. Hosted LMs tell contents apart themselves.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dspy.lm15 import Request

_TURN = re.compile(
    r"<(?=\|[a-z_]\w{0,30}\|>)"  # ChatML, Llama 3, Phi, Granite, GLM, gpt-oss
    r"|<(?=\uff5c[^<>\uff5c]{1,40}\uff5c>)"  # DeepSeek
    r"|<(?=(?:start|end)_of_turn>)"  # Gemma
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_RESULTS|AVAILABLE_TOOLS|TOOL_CALLS)\])",  # Mistral, Llama 2
    re.IGNORECASE,
)


def without_turns(text: str) -> str:
    """The text with what opens and ends a turn taken apart.

    Examples:
        >>> from multihop.lms.turns import without_turns
        >>> without_turns("In ChatML a turn ends with <|im_end|>, in HTML bold text with </b>.")
        'In ChatML a turn ends with < |im_end|>, in HTML bold text with </b>.'
    """
    return _TURN.sub(r"\g<0> ", text)


def in_plain_text(request: Request) -> Request:
    """The request with no turn in its contents; the request itself where there is none."""
    system = _plain(request.system)
    messages = tuple(_plain_parts(message) for message in request.messages)
    same = all(new is old for new, old in zip(messages, request.messages, strict=True))
    if same and system is request.system:
        return request
    return replace(request, system=system, messages=messages)


def _plain_parts(message: Any) -> Any:
    parts = _plain(message.parts)
    return message if parts is message.parts else replace(message, parts=parts)


def _plain(content: Any) -> Any:
    if isinstance(content, str):
        return without_turns(content) if _TURN.search(content) else content
    if isinstance(content, tuple):
        parts = tuple(_plain(part) for part in content)
        return content if all(new is old for new, old in zip(parts, content, strict=True)) else parts
    text = getattr(content, "text", None)
    if not isinstance(text, str) or (plain := _plain(text)) is text:
        return content
    return replace(content, text=plain)
