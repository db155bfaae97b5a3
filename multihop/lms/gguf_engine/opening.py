"""A model file as an LM: light to import, since the library that runs files is loaded with the first of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ..engine import as_lm
from ..family import decoding, family_of
from ..own_server import Structured, check_structured
from .files import find_file
from .header import read_header

if TYPE_CHECKING:
    import dspy


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
        path: The file, such as a quantized instruct model of one to eight billion parameters. A name alone is looked
            for here, then in the folders of `MULTIHOP_MODELS`.
        structured: The form in which answers are asked for: "schema", also by "auto", for JSON that a grammar holds to
            the step's fields; "json"; or "text", DSPy's marked fields.
        thinking: True for a model that thinks before it answers; by default, and with False, one that can be told not
            to does not. What thinks is asked for text.
        context: Tokens that the context holds, over all calls at once and what is kept of earlier ones; by default
            8,192, or what the model was trained with if that is less.
        at_once: Calls that are computed at the same time.
        kept: Earlier prompts and answers that are kept for what later ones share with them.
        threads: Threads of the processor; all cores by default.
        chunk: Tokens of prompts that are computed in one step.
        **options: For `dspy.LM`, such as `temperature`, `max_tokens`, `seed`. Above a temperature of 0, `top_p` and
            `top_k` are those that the makers of a known family recommend.

    Raises:
        InputError: The file cannot be used, llama.cpp is not installed, or there is no memory for the context.
    """
    from .engine import GGUF, AsyncGGUF
    from .worker import Room

    check_structured(structured)
    file = find_file(path)
    header = read_header(file)
    family = family_of(header.name, file.stem, architecture=header.architecture)
    switches = family.switches(file.name, thinking) if family else _told(thinking)
    thinks = family.thinks(thinking) if family else bool(thinking)
    if thinks and structured == "schema":
        raise InputError(
            f"'{file.name}' would think before it answers, which no schema lets it: ask it for 'json' or 'text', or "
            "turn its thinking off."
        )
    form = structured if structured != "auto" else "text" if thinks else "schema"
    room = Room(context=context, at_once=at_once, kept=kept, threads=threads, chunk=chunk)
    engine = GGUF(file, room, constrained=form == "schema", switches=switches)
    options = {"cache": True, **decoding(family, options, thinks=thinks)}
    lm = as_lm(engine, engine.name, twin=AsyncGGUF(engine), **options)
    lm.structured = form
    return lm


def _told(thinking: bool | None) -> dict[str, bool | str]:
    """The values for the chat template of a model of no known family."""
    return {} if thinking is None else {"enable_thinking": thinking}
