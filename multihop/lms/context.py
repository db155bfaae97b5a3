"""A prompt that is longer than a model's context: told in one sentence before the call, wherever the model runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dspy.lm15 import ContextLengthError

_PIECE = re.compile(r"\w+|[^\w\s]+")


def too_long(tokens: int, model: str, context: int, *, remedy: str, about: str = "") -> ContextLengthError:
    """The error for such a prompt.

    Args:
        tokens: The tokens that it has.
        model: The name of the model.
        context: The tokens that fit.
        remedy: The other thing that can be done than to show less.
        about: "at least", where the tokens are not counted by the model's own tokenizer.
    """
    from dspy.lm15 import ContextLengthError

    has = f"{about} {tokens:,}".strip()
    return ContextLengthError(
        f"the prompt has {has} tokens, and the context of {model} {context:,}; show fewer passages, or {remedy}."
    )


def least_tokens(text: str) -> int:
    """Tokens that a text has at least: one a word and one a run of marks.

    No tokenizer in use joins words; those of language models have a sixth more tokens of English prose, or twice as
    many.

    Examples:
        >>> from multihop.lms.context import least_tokens
        >>> least_tokens("[[ ## answer ## ]] Toruń, in Poland.")
        10
    """
    return len(_PIECE.findall(text))
