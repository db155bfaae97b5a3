"""What a run is: everything that decides its outcome, and what else a reader of its files should know."""

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Literal, NotRequired, TypedDict

import dspy
import ujson

from ..base import InputError
from ..base.plain import plain_value
from ..data import Question
from ..retrieval import fingerprint
from ..runtime import NO_LM, Program
from .metrics import Metric

_SECRET = ("key", "token", "secret", "password", "credential")
_ADDRESS = ("api_base", "base_url", "headers", "extra_headers", "organization", "project")
_APART = ("concurrency", "lms")
"""Settings that change no answer, or are elsewhere in the header."""
PACKAGES = ("multihop", "dspy", "bm25s", "numpy")


class PromptIdentity(TypedDict):
    """What a predictor's LM is shown beside the inputs."""

    instructions: str
    """The signature's instructions."""
    fields: dict[str, str]
    """What each field is said to be, by its name."""
    demos: list[dict[str, str]]
    """The demonstrations, field by field."""


class ProgramIdentity(TypedDict):
    """What answers."""

    name: str
    """The program's name, such as "one-step"; of another module its class."""
    settings: dict[str, Any]
    """Its settings, without the concurrency; empty for a module that is no program of multihop's kind."""
    prompts: dict[str, PromptIdentity]
    """The prompt of each predictor, by the name DSPy lists it under."""


class LMIdentity(TypedDict):
    """An LM without its address and key."""

    model: str
    """Its name, such as "openai/gpt-4.1"."""
    type: str
    """DSPy's kind of model, such as "chat"."""
    decoding: dict[str, Any]
    """The parameters it is called with, such as the temperature."""


class DataIdentity(TypedDict):
    """What is asked and measured against."""

    questions: int
    """How many questions there are."""
    fingerprint: str
    """A hash of all questions with their gold."""


class Identity(TypedDict):
    """What must be the same for a run to be continued."""

    program: ProgramIdentity
    """What answers."""
    lm: dict[str, LMIdentity]
    """The LM of each predictor, by the name DSPy lists it under."""
    adapter: str
    """The class of DSPy's adapter, such as "ChatAdapter"."""
    retriever: str | None
    """The retriever's fingerprint; None for a program that does not retrieve."""
    data: DataIdentity
    """The questions."""
    metrics: dict[str, Any]
    """By each metric's name, everything that decides its number: the version, and whose rules apply, where there is a
    choice. Early runs have the version alone."""
    draw: NotRequired[int]
    """The seed, where there is one other than 0: other seeds draw other answers."""


class RunLimits(TypedDict):
    """How a run was limited; a later call may have other limits, and the last one's are here."""

    questions: int | None
    """Only the first so many questions; None for all."""
    concurrency: int
    """Questions in flight at once."""
    timeout: float | None
    """Seconds after which a question counted as failed; None for no limit."""
    max_errors: NotRequired[int | None]
    """The most errors of any kind; None where only ten equal ones from the start stop the run."""


class About(TypedDict):
    """What else the last call says of itself."""

    simulated: bool
    """Whether the LM knew the gold, so that the numbers say nothing about quality."""
    started: str
    """When the last call began, in UTC, as ISO 8601."""
    python: str
    """The version of Python."""
    packages: dict[str, str]
    """The versions of the packages that decide most."""
    git: str | None
    """The git revision of the working directory, marked "-dirty" with changes; None outside a repository."""
    seed: int | None
    """The seed that was given."""
    cache: NotRequired[str]
    """Which kept answers were used: "off", "run", "shared", or "by LM" where the LM decides."""
    limits: RunLimits
    """How the run was limited."""


class Header(About):
    """What a run is: run.json."""

    format: int
    """The version of the files' format."""
    status: Literal["running", "finished", "interrupted"]
    """How far the run is; "running" is also what a kill leaves behind."""
    identity: Identity
    """What must be the same for the run to be continued."""


def identity(program: dspy.Module, questions: Iterable[Question], metrics: Iterable[Metric]) -> Identity:
    """What must be the same for a run to be continued, as plain values: no keys, no addresses.

    Of a module that is not a `Program`, only its class and its predictors are known: no settings, no retriever.
    """
    lms = _lms(program)
    if any(lm is None for lm in lms.values()):
        raise InputError(NO_LM)
    ours = program if isinstance(program, Program) else None
    settings, retriever = (ours.settings, ours.retriever) if ours is not None else ({}, None)
    return {
        "program": {
            "name": (ours.name if ours is not None else "") or type(program).__name__,
            "settings": {name: plain_value(value) for name, value in settings.items() if name not in _APART},
            "prompts": {name: _prompt(predictor) for name, predictor in program.named_predictors()},
        },
        "lm": {name: _lm(lm) for name, lm in lms.items()},
        "adapter": type(dspy.settings.adapter or dspy.ChatAdapter()).__name__,
        "retriever": None if retriever is None else fingerprint(retriever),
        "data": describe_questions(questions),
        "metrics": {metric.name: metric.identity for metric in metrics},
    }


def about(program: dspy.Module, *, seed: int | None, limits: RunLimits, cache: str | None) -> About:
    """What a reader should know besides: versions, revision, start, limits, and whether the LM is a simulation."""
    return {
        "simulated": any(getattr(lm, "model", "").startswith("multihop/simulated") for lm in _lms(program).values()),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "packages": {package: version(package) for package in PACKAGES},
        "git": _revision(),
        "seed": seed,
        "cache": cache or "by LM",
        "limits": limits,
    }


def describe_questions(questions: Iterable[Question]) -> DataIdentity:
    """How many questions there are, and a hash of all that is asked and measured against."""
    digest, count = hashlib.blake2b(digest_size=16), 0
    for question in questions:
        gold = (question.id, question.question, question.answers, question.supporting, question.supporting_sents)
        digest.update(ujson.dumps(gold).encode())
        count += 1
    return {"questions": count, "fingerprint": digest.hexdigest()}


def _lms(program: dspy.Module) -> dict[str, Any]:
    """The LM of each predictor; None where none is configured."""
    predictors = program.named_predictors()
    if isinstance(program, Program):
        return {name: program.lm_of(name) for name, _ in predictors}
    return {name: predictor.lm or dspy.settings.lm for name, predictor in predictors}


def _prompt(predictor: dspy.Predict) -> PromptIdentity:
    signature = predictor.signature
    return {
        "instructions": signature.instructions,
        "fields": {name: str(field.json_schema_extra.get("desc")) for name, field in signature.fields.items()},
        "demos": [{name: str(value) for name, value in dict(demo).items()} for demo in predictor.demos],
    }


def _lm(lm: dspy.LM) -> LMIdentity:
    decoding = {
        name: plain_value(value)
        for name, value in sorted(lm.kwargs.items())
        if value is not None and name not in _ADDRESS and not any(word in name.lower() for word in _SECRET)
    }
    return {"model": lm.model, "type": lm.model_type, "decoding": decoding}


def _revision() -> str | None:
    """The git revision of the working directory, marked when it has changes; None outside a repository."""
    try:
        call = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        return subprocess.run(call, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
