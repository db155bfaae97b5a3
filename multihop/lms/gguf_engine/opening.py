"""A model file as an LM: light to import, since the library that runs files is loaded with the first of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..engine import as_lm
from ..own_server import Structured, check_structured

if TYPE_CHECKING:
    import dspy

MAX_TOKENS = 1024
"""Tokens of an answer, unless the request says otherwise."""


def gguf(
    path: str | os.PathLike[str],
    *,
    structured: Structured = "auto",
    thinking: bool | None = None,
    context: int | None = None,
    at_once: int = 4,
    kept: int = 28,
    threads: int | None = None,
    chunk: int = 128,
    **options: Any,
) -> dspy.LM:
    """A GGUF file as an LM in this process: no server, no key.

    All LMs of one file share its weights and its context, also those of several threads and event loops. What prompts
    have in common is computed once. An answer always fits its step's fields, unless it is asked for as text.

    Args:
        path: The file, such as a quantized instruct model of one to eight billion parameters.
        structured: The form in which answers are asked for: "schema", also by "auto", for JSON that a grammar holds to
            the step's fields; "json"; or "text", DSPy's marked fields.
        thinking: True or False for models that can think before they answer; None for their own default.
        context: Tokens that the context holds, over all calls at once and what is kept of earlier ones; by default
            8,192, or what the model was trained with if that is less.
        at_once: Calls that are computed at the same time.
        kept: Earlier prompts and answers that are kept for what later ones share with them.
        threads: Threads of the processor; all cores by default.
        chunk: Tokens of prompts that are computed in one step.
        **options: For `dspy.LM`, such as `temperature`, `max_tokens`, `seed`.

    Raises:
        InputError: The file cannot be used, llama.cpp is not installed, or there is no memory for the context.
    """
    from .engine import GGUF, AsyncGGUF
    from .worker import Room

    check_structured(structured)
    form = "schema" if structured == "auto" else structured
    room = Room(context=context, at_once=at_once, kept=kept, threads=threads, chunk=chunk)
    engine = GGUF(path, room, constrained=form == "schema", thinking=thinking)
    options = {"cache": True, "max_tokens": MAX_TOKENS, "temperature": 0.0, **options}
    lm = as_lm(engine, engine.name, twin=AsyncGGUF(engine), **options)
    lm.structured = form
    return lm
