"""A model folder as an LM: light to import, since PyTorch is loaded with the first of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ..engine import as_lm
from ..family import Family, decoding, family_of
from ..gguf_engine.opening import gguf
from ..own_server import Structured, check_structured
from .files import ModelFolder, check_digest, check_folder, config_of, find_folder, split_digest

if TYPE_CHECKING:
    import dspy


def folder_lm(
    path: str | os.PathLike[str],
    *,
    structured: Structured = "auto",
    thinking: bool | None = None,
    context: int | None = None,
    at_once: int = 16,
    kept: int = 8192,
    threads: int | None = None,
    device: str | None = None,
    **options: Any,
) -> dspy.LM:
    """A model folder as an LM in this process, such as the clone that `multihop clone` trained: no server, no key.

    It is a folder of transformers, an adapter with its base, or a clone that holds one GGUF file (`gguf`). All LMs of
    one folder share its weights. Calls that wait at the same time are answered together, and what prompts have in
    common is computed once. On a GPU it computes in 16 bits, where a call may be answered otherwise beside others than
    alone; on a processor in 32.

    Args:
        path: The folder. A name alone is looked for here, then in the folders of `MULTIHOP_MODELS`. With "@" and the
            digest of a run's files behind it, it must hold that very model.
        structured: The form in which answers are asked for: "text", also by "auto", DSPy's marked fields; or "json".
        thinking: True for a model that thinks before it answers; by default, and with False, one that can be told not
            to does not. A clone is asked as it was trained, unless this says otherwise.
        context: Tokens of a prompt and its answer; by default those that the model can take.
        at_once: Calls that are answered together at most; a GGUF file has its own number, and the same is true of
            `kept` and `device`.
        kept: Tokens of earlier prompts that are kept for what later ones share with them.
        threads: Threads of the processor; by default as many as PyTorch takes.
        device: The device, such as "cuda:1"; by default the first GPU, where there is one.
        **options: For `dspy.LM`, such as `temperature`, `max_tokens`, `seed`. Above a temperature of 0, `top_p` and
            `top_k` are those that the makers of a known family recommend.

    Raises:
        InputError: The folder cannot be used, or the extra is not installed.
    """
    check_structured(structured)
    place, digest = split_digest(path)
    folder = check_folder(find_folder(place))
    check_digest(folder, digest)
    if folder.gguf is not None:
        same: Any = {"structured": structured, "thinking": thinking, "context": context, "threads": threads}
        return gguf(folder.gguf, **same, **options)
    if structured == "schema":
        raise InputError(f"'{folder.path.name}' is held to no schema; ask it for 'text' or 'json'.")
    from .engine import AsyncTransformers, Transformers
    from .worker import Space

    family = _family(folder)
    switches = _switches(folder, family, thinking)
    thinks = family.thinks(thinking) if family and folder.cloned_from is None else bool(thinking)
    space = Space(context=context, at_once=at_once, kept=kept, threads=threads, device=device)
    engine = Transformers(folder.path, space, switches=switches)
    options = {"cache": True, **decoding(family, options, thinks=thinks)}
    lm = as_lm(engine, engine.name, twin=AsyncTransformers(engine), **options)
    lm.finetuning_model = options.get("finetuning_model") or str(folder.path)
    lm.structured = "text" if structured == "auto" else structured
    return lm


def _family(folder: ModelFolder) -> Family | None:
    return family_of(
        folder.path.name, folder.base, folder.cloned_from, architecture=config_of(folder).get("model_type")
    )


def _switches(folder: ModelFolder, family: Family | None, thinking: bool | None) -> dict[str, bool | str]:
    """The values for the chat template: none for a clone, as it was trained with none."""
    if folder.cloned_from is not None or family is None:
        return {} if thinking is None else {"enable_thinking": thinking}
    return family.switches(folder.path.name, thinking)
