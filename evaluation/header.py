"""What a run is: everything that decides its outcome, and what else a reader of its files should know."""

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import dspy
import ujson

from ..data import Question
from ..errors import InputError
from ..programs import Program
from ..retrieval import fingerprint
from .metrics import Metric

_SECRET = ("key", "token", "secret", "password", "credential")
_ADDRESS = ("api_base", "base_url", "headers", "extra_headers", "organization", "project")
_APART = ("concurrency", "lms")
"""Settings that change no answer, or stand elsewhere in the header."""
PACKAGES = ("multihop", "dspy", "bm25s", "numpy")


def identity(program: Program, questions: Iterable[Question], metrics: Iterable[Metric]) -> dict[str, Any]:
    """What must be the same for a run to be continued, as plain values: no keys, no addresses."""
    if any(program.lm_of(name) is None for name, _ in program.named_predictors()):
        raise InputError(
            "no LM is configured; call dspy.configure(lm=...) first, for instance with multihop.lexical()."
        )
    return {
        "program": {
            "name": program.name or type(program).__name__,
            "settings": {name: _plain(value) for name, value in program.settings.items() if name not in _APART},
            "prompts": {name: _prompt(predictor) for name, predictor in program.named_predictors()},
        },
        "lm": {name: _lm(program.lm_of(name)) for name, _ in program.named_predictors()},
        "adapter": type(dspy.settings.adapter or dspy.ChatAdapter()).__name__,
        "retriever": None if program.retriever is None else fingerprint(program.retriever),
        "data": describe_questions(questions),
        "metrics": {metric.name: metric.identity for metric in metrics},
    }


def about(program: Program, *, seed: int | None, limits: dict[str, Any]) -> dict[str, Any]:
    """What a reader should know besides: versions, revision, start, limits, and whether the LM is a simulation."""
    return {
        "simulated": any(
            getattr(program.lm_of(name), "model", "").startswith("multihop/simulated")
            for name, _ in program.named_predictors()
        ),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "packages": {package: version(package) for package in PACKAGES},
        "git": _revision(),
        "seed": seed,
        "limits": limits,
    }


def describe_questions(questions: Iterable[Question]) -> dict[str, Any]:
    """How many questions there are, and a hash of all that is asked and measured against."""
    digest, count = hashlib.blake2b(digest_size=16), 0
    for question in questions:
        gold = (question.id, question.question, question.answers, question.supporting, question.supporting_sents)
        digest.update(ujson.dumps(gold).encode())
        count += 1
    return {"questions": count, "fingerprint": digest.hexdigest()}


def _prompt(predictor: dspy.Predict) -> dict[str, Any]:
    signature = predictor.signature
    return {
        "instructions": signature.instructions,
        "fields": {name: str(field.json_schema_extra.get("desc")) for name, field in signature.fields.items()},
        "demos": [{name: str(value) for name, value in dict(demo).items()} for demo in predictor.demos],
    }


def _lm(lm: dspy.LM) -> dict[str, Any]:
    decoding = {
        name: _plain(value)
        for name, value in sorted(lm.kwargs.items())
        if value is not None and name not in _ADDRESS and not any(word in name.lower() for word in _SECRET)
    }
    return {"model": lm.model, "type": lm.model_type, "decoding": decoding}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return value if isinstance(value, str | int | float | bool | list | tuple | dict | None) else str(value)


def _revision() -> str | None:
    """The git revision of the working directory, marked when it has changes; None outside a repository."""
    try:
        call = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        return subprocess.run(call, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
