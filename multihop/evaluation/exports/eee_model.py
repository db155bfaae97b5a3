"""The LM of a run as Every Eval Ever's records name a model, and the folder of a record in its datastore."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import ujson

from ...base import InputError
from ..journal.header import Header

_NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f]')


def describe_model(header: Header, model: str | None) -> dict[str, Any]:
    """The record's "model_info".

    Args:
        header: The run's header.
        model: The model's name on the hub, OWNER/NAME; by default the run's own name of its LM.

    Raises:
        InputError: That is no such name.
    """
    if model is not None and not re.fullmatch(r"[^/\s]+/[^/\s]+", model):
        raise InputError(f"a model's name on the hub is OWNER/NAME, such as Qwen/Qwen3-8B, not '{model}'.")
    lms = header["identity"].get("lm", {})
    names = sorted({str(lm.get("model")) for lm in lms.values()})
    in_process = bool(names) and all(name.startswith("multihop/") for name in names)
    identifier = model or model_id(names)
    told: dict[str, Any] = {
        "name": ", ".join(names) or "no LM",
        "id": identifier,
        "developer": identifier.partition("/")[0],
        "additional_details": {
            "deployment_type": "self_deployed" if in_process else "unknown",
            "model_availability": "unknown",
            "lms": ujson.dumps(lms, escape_forward_slashes=False),
        },
    }
    if in_process:
        told["inference_engine"] = {"name": "multihop", "version": header["packages"]["multihop"]}
    elif not header.get("endpoints") and len(names) == 1:
        told["inference_platform"] = names[0].partition("/")[0]
    return told


def model_id(names: Sequence[str]) -> str:
    """OWNER/NAME of the LMs of a run, as far as their names tell it.

    Examples:
        >>> from multihop.evaluation.exports.eee_model import model_id
        >>> model_id(["openrouter/qwen/qwen3-8b"]), model_id(["openai/gpt-4.1"]), model_id(["mine"])
        ('qwen/qwen3-8b', 'openai/gpt-4.1', 'unknown/mine')
        >>> model_id(["openai/gpt-4.1", "openai/gpt-4.1-mini"]), model_id([])
        ('multihop/gpt-4.1+gpt-4.1-mini', 'multihop/no-lm')
    """
    if not names:
        return "multihop/no-lm"
    if len(names) > 1:
        return f"multihop/{'+'.join(name.rpartition('/')[2] for name in names)}"
    parts = names[0].split("/")
    return "/".join(parts[-2:]) if len(parts) > 1 else f"unknown/{parts[0]}"


def record_folder(collection: str, identifier: str) -> str:
    """The folder of a record in the datastore: data/COLLECTION/OWNER/MODEL.

    Examples:
        >>> from multihop.evaluation.exports.eee_model import record_folder
        >>> record_folder("my set/dev", "qwen/qwen3:8b")
        'data/my set_dev/qwen/qwen3_8b'
    """
    owner, _, name = identifier.partition("/")
    return "/".join(("data", *map(_portable, (collection, owner, name))))


def as_texts(details: Mapping[str, Any]) -> dict[str, str]:
    """The details as the records hold them, whose values are all texts; None is left out."""
    return {
        name: value if isinstance(value, str) else ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False)
        for name, value in details.items()
        if value is not None
    }


def _portable(name: str) -> str:
    kept = _NOT_IN_NAMES.sub("_", name).rstrip(". ")
    return kept if kept not in ("", "data") else f"_{kept}"
