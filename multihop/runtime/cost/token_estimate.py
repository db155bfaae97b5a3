"""Estimates a call's tokens where the LM does not tell: counted as OpenAI's models do, and marked as estimated."""

import functools
import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import dspy

from ...base.private_names import tokenizer_table
from .tokens import Tokens

CHARACTERS = 4
"""A token is about so many, where no tokenizer is to be had."""


def estimate_tokens(messages: Any, outputs: list[Any]) -> Tokens:
    """The tokens of a prompt and its completions.

    Examples:
        >>> from multihop.runtime import estimate_tokens
        >>> estimate_tokens([{"role": "user", "content": "Who wrote Emma?"}], ["Jane Austen"]).estimated
        True
    """
    count = _counter()
    return Tokens(count(text_of(messages)), sum(count(text_of(output)) for output in outputs), estimated=True)


def estimate_prompt(predictor: dspy.Module, inputs: Mapping[str, Any], adapter: dspy.Adapter) -> int:
    """The tokens of the prompt with which a predictor would be asked first.

    Examples:
        >>> import dspy
        >>> from multihop.runtime.cost.token_estimate import estimate_prompt
        >>> predictor, adapter = dspy.Predict("question -> answer"), dspy.ChatAdapter()
        >>> short, long = (estimate_prompt(predictor, {"question": text}, adapter) for text in ("Who?", "Who? " * 100))
        >>> 150 < long - short < 250
        True
    """
    part = predictor if isinstance(predictor, dspy.Predict) else predictor.predictors()[0]
    if set(part.signature.input_fields) <= set(inputs):
        messages: Any = adapter.format(part.signature, part.demos, dict(inputs))
    else:  # a module that makes other inputs of these
        messages = [part.signature.instructions, *map(str, inputs.values())]
    return estimate_tokens(messages, []).into


def text_of(value: Any) -> str:
    """All text within messages or outputs."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(text_of(part) for name, part in value.items() if name not in ("role", "type", "logprobs"))
    return "\n".join(map(text_of, value)) if isinstance(value, list | tuple) else ""


@functools.cache
def _counter() -> Callable[[str], int]:
    """Counts tokens with the table that comes with LiteLLM: nothing is downloaded."""
    table = tokenizer_table()
    if table is None or find_spec("tiktoken") is None:
        return lambda text: -(-len(text) // CHARACTERS)
    import tiktoken

    before = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(table.parent)
    try:
        encoding = tiktoken.get_encoding("cl100k_base")
    finally:
        if before is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = before
    return lambda text: len(encoding.encode(text, disallowed_special=()))
