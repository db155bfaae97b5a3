"""The header of a run: everything that decides its outcome, and what else a reader of its files should know."""

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import PurePath
from typing import Any, Literal, NotRequired

import dspy
import ujson
from typing_extensions import TypedDict  # which pydantic can read a header as

from ..base import InputError
from ..base.errors import check_lm_name, names_secret, public_address, public_parameters, remember_secrets
from ..base.texts import plain_value
from ..data import Question, Selection
from ..encoder.taught import is_built_in
from ..retrieval import fingerprint
from ..runtime import NO_LM, PriceList, PriceRecord, Program, current_prices
from ..runtime.cache import address_of

_APART = ("concurrency", "lms", "cloned")
"""Settings that change no answer, or whose effect is elsewhere in the header."""
_ADDRESS = ("api_base", "base_url", "headers", "extra_headers", "organization", "project")
"""Parameters of an LM that say where it is asked."""
ALL = Selection()
"""Every question is asked."""
PACKAGES = ("multihop", "dspy", "numpy")


class LMIdentity(TypedDict):
    """An LM without its address and key."""

    model: str
    """The LM's name, such as "openai/gpt-4.1"."""
    type: str
    """DSPy's kind of model, such as "chat"."""
    decoding: dict[str, Any]
    """The parameters it is called with, such as the temperature; "others" is a digest of those that may hold keys."""
    structured: NotRequired[str]
    """The form in which it is asked for its answers, where that is not plain text: "schema" or "json"."""


class PromptIdentity(TypedDict):
    """The text that a predictor's LM is shown beside the inputs."""

    instructions: str
    """The signature's instructions."""
    fields: dict[str, str]
    """The description of each field, by its name."""
    demos: list[dict[str, str]]
    """The demonstrations, field by field."""


class ProgramIdentity(TypedDict):
    """The program that answers."""

    name: str
    """The program's name, such as "one-step"; of another module its class."""
    settings: dict[str, Any]
    """The settings that change answers, with the fingerprint of a folder of weights; empty for another module."""
    prompts: dict[str, PromptIdentity]
    """The prompt of each predictor, by the name DSPy lists it under."""


class DataIdentity(TypedDict):
    """The questions that are asked, with the gold that is measured against."""

    questions: int
    """The number of questions."""
    fingerprint: str
    """A hash of all questions with their gold."""
    offset: NotRequired[int]
    """So many questions from the first on were passed over; missing where none was."""
    sample: NotRequired[int]
    """So many of the others were drawn; missing where all were asked."""
    sample_seed: NotRequired[int]
    """The seed they were drawn with; missing where none were."""


class Identity(TypedDict):
    """Everything that must be the same for a run to be continued."""

    program: ProgramIdentity
    """The program that answers."""
    lm: dict[str, LMIdentity]
    """The LM of each predictor, by the name DSPy lists it under."""
    adapter: str
    """The class of DSPy's adapter, such as "ChatAdapter"."""
    retriever: str | None
    """The retriever's fingerprint; None for a program that does not retrieve."""
    data: DataIdentity
    """The questions."""
    metrics: dict[str, Any]
    """By each metric's name, everything that decides its number, such as the version."""
    draw: NotRequired[int]
    """The seed, where there is one other than 0: other seeds draw other answers."""


class RunLimits(TypedDict):
    """The limits of a run; a later call may have other limits, and the last one's are here."""

    questions: int | None
    """The number of questions to ask, from the first on; None for all."""
    concurrency: int
    """Questions in flight at once."""
    timeout: float | None
    """Seconds after which a question counted as failed; None for no limit."""
    usd: float | None
    """The most dollars to be paid; None for no limit."""


class About(TypedDict):
    """Everything else that the last call says of itself."""

    started: str
    """The time at which the last call began, in UTC, as ISO 8601."""
    python: str
    """The version of Python."""
    packages: dict[str, str]
    """The versions of the packages that decide most."""
    git: str | None
    """The git revision of the working directory, marked "-dirty" with changes; None outside a repository."""
    seed: int | None
    """The seed that was given."""
    cache: str
    """The kept answers that were used: "off", "run", "shared", or "by LM" where the LM decides."""
    endpoints: dict[str, str]
    """The address of each predictor's server, by the predictor's name, and of the judge's, under "judged"; LMs of a
    provider and of this process have none."""
    limits: RunLimits
    """The run's limits."""
    source: NotRequired[str]
    """The name of what the questions were read from: "little", a set on the hub, of a file its folder and name."""
    prices: dict[str, PriceRecord | None]
    """The price of each LM's tokens, by its name; None where it is not known."""


class Header(About):
    """The header of a run: run.json."""

    format: int
    """The version of the files' format."""
    status: Literal["running", "finished", "interrupted"]
    """The run's state; "running" is also what a kill leaves behind."""
    identity: Identity
    """Everything that must be the same for the run to be continued."""


def identity(
    program: dspy.Module,
    questions: Iterable[Question],
    metrics: Iterable[Any],
    *,
    selection: Selection = ALL,
    draw: int = 0,
) -> Identity:
    """Describe all that must be the same for a run to be continued, as plain values: no keys, no addresses."""
    lms = _lms(program)
    if any(lm is None for lm in lms.values()):
        raise InputError(NO_LM)
    ours = program if isinstance(program, Program) else None
    settings, fingerprints = (ours.settings, ours.fingerprints) if ours is not None else ({}, {})
    retriever = None if ours is None else ours.retriever
    data = describe_questions(questions)
    if selection.offset:
        data["offset"] = selection.offset
    if selection.sample is not None:
        data |= {"sample": selection.sample, "sample_seed": selection.seed}
    found: Identity = {
        "program": {
            "name": (ours.name if ours is not None else "") or type(program).__name__,
            "settings": {
                name: fingerprints.get(name, plain_value(value))
                for name, value in settings.items()
                if name not in _APART and not names_secret(name)
            },
            "prompts": {name: _prompt(predictor) for name, predictor in program.named_predictors()},
        },
        "lm": {name: lm_identity(lm) for name, lm in lms.items()},
        "adapter": type(dspy.settings.adapter or dspy.ChatAdapter()).__name__,
        "retriever": None if retriever is None else fingerprint(retriever),
        "data": data,
        "metrics": {metric.name: metric.identity for metric in metrics},
    }
    return {**found, "draw": draw} if draw else found


def lm_identity(lm: dspy.LM) -> LMIdentity:
    """The LM's name and parameters, without its address and key, which from now on no error tells."""
    check_lm_name(lm.model)
    remember_secrets(lm.kwargs)
    given = {name: plain_value(value) for name, value in sorted(lm.kwargs.items()) if value is not None}
    decoding = public_parameters({name: value for name, value in given.items() if name not in _ADDRESS})
    found: LMIdentity = {"model": lm.model, "type": lm.model_type, "decoding": decoding}
    if (form := getattr(lm, "structured", "text")) != "text":
        found["structured"] = form
    return found


def asks_built_in(header: Header) -> bool:
    """True if networks that come with the library answered, judged passages or wrote queries in this run."""
    identity = header["identity"]
    weights = identity.get("program", {}).get("settings", {}).get("weights")
    lms = identity.get("lm", {}).values()
    return any(is_built_in(str(each)) for each in (weights, *(lm.get("model") for lm in lms)))


def about(
    program: dspy.Module,
    metrics: Iterable[Any] = (),
    *,
    seed: int | None,
    limits: RunLimits,
    cache: str | None,
    source: str = "",
) -> About:
    """Describe the rest for a reader: versions, revision, start, and limits."""
    lms = _lms(program)
    judges = {metric.name: metric.lm for metric in metrics if isinstance(getattr(metric, "lm", None), dspy.LM)}
    asked = {name: lm for name, lm in {**lms, **judges}.items() if lm is not None}
    told: About = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "packages": {package: version(package) for package in PACKAGES},
        "git": _revision(),
        "seed": seed,
        "cache": cache or "by LM",
        "endpoints": {name: public_address(found) for name, lm in asked.items() if (found := address_of(lm))},
        "limits": limits,
        "prices": {model: current_prices.get().of(model) for model in sorted({lm.model for lm in asked.values()})},
    }
    if source:
        told["source"] = source if source.startswith("hub:") else "/".join(PurePath(source).parts[-2:])
    return told


def prices_of(header: Header) -> PriceList:
    """The prices that a run was made with; today's for LMs that it does not know of."""
    known = {model: price for model, price in header.get("prices", {}).items() if price is not None}
    return current_prices.get().with_own(known, where="the prices in run.json")


def describe_questions(questions: Iterable[Question]) -> DataIdentity:
    """Count the questions, and hash all that is asked and measured against."""
    digest, count = hashlib.blake2b(digest_size=16), 0
    for question in questions:
        gold: tuple[Any, ...] = (
            question.id, question.question, question.answers, question.supporting, question.supporting_sents
        )  # fmt: skip
        digest.update(ujson.dumps(gold if question.answerable else (*gold, "no answer")).encode())
        count += 1
    return {"questions": count, "fingerprint": digest.hexdigest()}


def selection_of(data: DataIdentity) -> Selection:
    """The part of its source that a run asks."""
    return Selection(data.get("offset", 0), data.get("sample"), data.get("sample_seed", 0))


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


def _revision() -> str | None:
    """The git revision of the working directory, marked when it has changes; None outside a repository."""
    try:
        call = ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
        return subprocess.run(call, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
