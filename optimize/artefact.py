"""A compiled program as one JSON file: DSPy's own state, and what is needed to rebuild the program around it.

The file holds no code and no pickle, no key and no address; loading it runs nothing. DSPy's own `load` reads it too.
"""

import hashlib
import os
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy
import ujson
from dspy.utils.saving import get_dependency_versions

from ..data import open_retriever
from ..errors import InputError, unknown
from ..files import writing
from ..programs import Program, create, program_named
from ..programs.settings import settings_of
from ..retrieval import Retriever, fingerprint

FORMAT = 1
PACKAGES = ("multihop", "dspy")
LARGEST = 50_000_000
"""Bytes; a program with all its demonstrations is far smaller."""
_OURS = "multihop"
_APART = ("concurrency", "retriever")
_STATE = {"traces", "train", "demos", "signature", "lm"}


def save(
    program: Program,
    path: str | os.PathLike[str],
    *,
    corpus: str | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write the program to one JSON file; `load` rebuilds it.

    LMs are not saved, only the names of those that `lms` gives to single steps.

    Args:
        program: One of the registry's programs.
        path: The file, which appears only when all of it is written.
        corpus: What the program's retriever was opened from, for `load` to open again: an index folder, best.
        about: What a reader should know besides, as plain values: data, optimizer, dev scores, the LM it is meant for.

    Examples:
        >>> import tempfile, pathlib
        >>> from multihop import Direct
        >>> from multihop.optimize import load, save
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "direct.json"
        >>> save(Direct(retries=1), path)
        >>> load(path).settings["retries"]
        1
    """
    program_named(program.name)
    state = {name: {**part, "lm": None} for name, part in program.dump_state().items()}
    ours = {
        "format": FORMAT,
        "program": program.name,
        "settings": {name: _plain(value) for name, value in program.settings.items() if name not in _APART},
        "fields": _fields(program),
        "retriever": None if program.retriever is None else fingerprint(program.retriever),
        "corpus": None if corpus is None else os.fspath(corpus),
        "about": dict(about or {}),
        "versions": {package: version(package) for package in PACKAGES},
    }
    content: dict[str, Any] = {**state, "metadata": {"dependency_versions": get_dependency_versions(), _OURS: ours}}
    ours["digest"] = _digest(content)
    with writing(path) as file:
        file.write(ujson.dumps(content, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n")


def load(
    path: str | os.PathLike[str],
    retriever: Retriever | None = None,
    lm: dspy.LM | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
) -> Program:
    """The program that `save` wrote, ready to call.

    Args:
        path: The file.
        retriever: Where passages come from; by default what the file names is opened.
        lm: The LM of all steps that have none of their own; by default DSPy's configured one, at every call.
        settings: Settings to change, such as `{"k": 10}`.

    Raises:
        InputError: The file is damaged, was edited, or does not fit this version; the message says which.

    Warns:
        UserWarning: The file comes from another release series of multihop or DSPy.
    """
    content = read(path)
    ours = content["metadata"][_OURS]
    _check_versions(path, ours["versions"])
    kind = program_named(ours["program"])
    given = {**ours["settings"], **(settings or {})}
    for name in given:
        if name not in settings_of(kind):
            raise unknown(f"setting of '{kind.name}' in {path}", name, settings_of(kind))
    if kind.retrieves and given.get("retrieval", True) and retriever is None:
        if ours["corpus"] is None:
            raise InputError(f"{path} names no corpus; give load a retriever (on the command line, --corpus).")
        retriever = open_retriever(ours["corpus"])
        if fingerprint(retriever) != ours["retriever"]:
            raise InputError(
                f"{ours['corpus']} is not the corpus that {path} was compiled with; to use another, give a retriever."
            )
    program = create(kind.name, retriever, **given)
    if _fields(program) != ours["fields"]:
        raise InputError(f"{path} does not fit this version: {_difference(_fields(program), ours['fields'])}.")
    try:
        program.load_state({name: content[name] for name in ours["fields"]})
    except Exception as error:
        raise InputError(f"{path} holds a state that DSPy cannot load: {error}.") from None
    if lm is not None:
        program.lms = {**dict.fromkeys(program.steps, lm), **program.lms}
    return program


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The file's content, checked to be a whole artefact that nobody has changed."""
    try:
        size = Path(path).stat().st_size
        text = Path(path).read_bytes() if size <= LARGEST else b""
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if size > LARGEST:
        raise InputError(f"{path} has {size:,} bytes; no saved program has more than {LARGEST:,}.")
    try:
        content: Any = ujson.loads(text.decode("utf-8"))
    except ValueError:
        raise InputError(f"{path} is not whole JSON; a saved program is one JSON object.") from None
    metadata = content.get("metadata") if isinstance(content, dict) else None
    ours = metadata.get(_OURS) if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        raise InputError(f"{path} is not a program saved by multihop.")
    if ours.get("format") != FORMAT:
        raise InputError(f"{path} has format {ours.get('format')!r}; this version reads format {FORMAT}.")
    digest = ours.pop("digest", None)
    if digest != _digest(content):
        raise InputError(f"{path} was changed after it was saved; save the program again instead of editing the file.")
    _check_shape(path, content, ours)
    return dict(content)


def _check_shape(path: Any, content: dict[str, Any], ours: dict[str, Any]) -> None:
    """Refuse what the digest cannot: a file made up to look like one of ours."""
    wanted = {"program": str, "settings": dict, "fields": dict, "about": dict, "versions": dict}
    wrong = [name for name, kind in wanted.items() if not isinstance(ours.get(name), kind)]
    corpus = ours.get("corpus")
    if wrong or not (corpus is None or isinstance(corpus, str)):
        raise InputError(
            f"{path} is not a program saved by multihop: its block lacks {', '.join(wrong or ['corpus'])}."
        )
    if content.keys() - {"metadata"} != ours["fields"].keys():
        raise InputError(f"{path} is not a program saved by multihop: its steps and its fields differ.")
    for name in ours["fields"]:
        state = content[name]
        whole = isinstance(state, dict) and state.keys() == _STATE and state["lm"] is None
        if not whole or not all(isinstance(demo, dict) for demo in state["demos"]):
            raise InputError(f"{path} is not a program saved by multihop: the state of '{name}' is not one of DSPy's.")


def _check_versions(path: Any, saved: Mapping[str, str]) -> None:
    """Say so where the file comes from another release series: it may fit, and its prompts may read otherwise."""
    here = {package: version(package) for package in PACKAGES}
    other = [name for name in PACKAGES if _series(saved.get(name, "")) != _series(here[name])]
    if other:
        was = ", ".join(f"{name} {saved.get(name, 'unknown')}" for name in other)
        warnings.warn(
            f"{path} was saved with {was}; here it is {', '.join(f'{name} {here[name]}' for name in other)}.",
            stacklevel=3,
        )


def _series(release: str) -> str:
    """The first two numbers of a release."""
    return ".".join(release.split(".")[:2])


def _fields(program: Program) -> dict[str, dict[str, list[str]]]:
    """The signature fields of every predictor, by name."""
    return {
        name: {
            "inputs": list(predictor.signature.input_fields),
            "outputs": list(predictor.signature.output_fields),
        }
        for name, predictor in program.named_predictors()
    }


def _difference(here: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    for name in dict.fromkeys((*there, *here)):
        if name not in here:
            return f"it has a step '{name}' that the program no longer has"
        if name not in there:
            return f"the program has a step '{name}' that it lacks"
        if here[name] != there[name]:
            return f"the fields of '{name}' are {here[name]} now and {there[name]} in the file"
    return "nothing differs"


def _plain(value: Any) -> Any:
    from dataclasses import asdict, is_dataclass

    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _digest(content: Any) -> str:
    return hashlib.blake2b(ujson.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
