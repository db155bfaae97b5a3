"""A compiled program as one JSON file: DSPy's own state, and what is needed to rebuild the program around it.

The file holds no code and no pickle, no key and no address; loading it runs nothing. DSPy's own `load` reads it too.
"""

import hashlib
import os
import sys
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dspy
import ujson

from ..base import DamagedFileError, InputError, MismatchError, unknown, writing
from ..base.plain import plain_value
from ..data import open_retriever
from ..programs import create
from ..retrieval import Retriever, fingerprint
from ..runtime import Program, settings_of
from .compiled_for import note_on_other_lm
from .corpus_path import find_corpus, stored_corpus
from .saved_class import class_of, class_to_save

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
    corpus: str | os.PathLike[str] | None = None,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write the program to one JSON file; `load` rebuilds it.

    LMs are not saved, only the names of those that `lms` gives to single steps.

    Args:
        program: Any program, also one of your own: its class is written down as MODULE:CLASS.
        path: The file, which appears only when all of it is written.
        corpus: The corpus of the program's retriever, for `load` to open again: an index folder, best. A path is
            written down as seen from the program's file, so that the two can be moved together.
        about: Further facts for a reader, as plain values: data, optimizer, dev scores, the LM it is meant for.

    Examples:
        >>> import tempfile, pathlib
        >>> from multihop import Direct
        >>> from multihop.optimize import load, save
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "direct.json"
        >>> save(Direct(retries=1), path)
        >>> load(path).settings["retries"]
        1
    """
    own = class_to_save(program)
    state = {name: {**part, "lm": None} for name, part in program.dump_state().items()}
    ours = {
        "format": FORMAT,
        "program": program.name,
        **({"class": own} if own else {}),
        "settings": {
            name: plain_value(value, otherwise=lambda each: each)
            for name, value in program.settings.items()
            if name not in _APART
        },
        "fields": _fields(program),
        "retriever": None if program.retriever is None else fingerprint(program.retriever),
        "corpus": None if corpus is None else stored_corpus(corpus, path),
        "about": dict(about or {}),
        "versions": {package: version(package) for package in PACKAGES},
    }
    versions = {"python": ".".join(map(str, sys.version_info[:2])), "dspy": version("dspy")}  # for DSPy's own `load`
    content: dict[str, Any] = {**state, "metadata": {"dependency_versions": versions, _OURS: ours}}
    ours["digest"] = _digest(content)
    with writing(path) as file:
        file.write(ujson.dumps(content, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n")


def load(
    path: str | os.PathLike[str],
    retriever: Retriever | None = None,
    lm: dspy.LM | None = None,
    *,
    corpus: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    program: type[Program] | None = None,
    allow: Iterable[str] = (),
) -> Program:
    """The program that `save` wrote, ready to call.

    Args:
        path: The file.
        retriever: The source of passages; by default the corpus that the file names is opened.
        lm: The LM of all steps that have none of their own; by default DSPy's configured one, at every call.
        corpus: Another corpus than the file names: "world", a corpus file, or an index folder.
        settings: Settings to change, such as `{"k": 10}`.
        program: The class of a program of your own, as in `load("two.json", program=TwoHops)`.
        allow: Modules from which such a class may be imported, as in `load("two.json", allow=["mymethods"])`; what is
            named by a file is never imported otherwise. Programs of installed packages are found by their names.

    Raises:
        InputError: The file is damaged, was edited, or does not fit this version; the message says which.

    Warns:
        UserWarning: The file comes from another release series of multihop or DSPy; or it was compiled for another LM
            than the one given here, or the one that DSPy is configured with now.
    """
    if retriever is not None and corpus is not None:
        raise InputError("load takes a retriever or a corpus, not both.")
    content = read_artefact(path)
    ours = content["metadata"][_OURS]
    _check_versions(path, ours["versions"])
    kind = class_of(path, ours, program, [allow] if isinstance(allow, str) else list(allow))
    all_settings = {**ours["settings"], **(settings or {})}
    _check_settings(path, kind, all_settings, settings or {})
    if kind.retrieves and all_settings.get("retrieval", True) and retriever is None:
        retriever = open_retriever(corpus) if corpus is not None else _own_retriever(path, ours)
    result = create(kind, retriever, **all_settings)
    _take_state(path, result, content)
    if note := note_on_other_lm(path, ours["about"], lm or dspy.settings.lm):
        warnings.warn(note, stacklevel=2)
    if lm is not None:
        result.lms = {**dict.fromkeys(result.steps, lm), **result.step_lms}
    return result


def _check_settings(
    path: str | os.PathLike[str], kind: type[Program], settings: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """Refuse settings that the program does not have: the caller's own, or those of another version's file."""
    for name in settings:
        if name not in settings_of(kind):
            error = unknown(f"setting of '{kind.name}' in {path}", name, settings_of(kind))
            raise error if name in given else MismatchError(str(error))


def _take_state(path: str | os.PathLike[str], program: Program, content: Mapping[str, Any]) -> None:
    """Give the program the demonstrations and instructions of the file, if its steps are still the file's."""
    fields = content["metadata"][_OURS]["fields"]
    if _fields(program) != fields:
        raise MismatchError(f"{path} does not fit this version: {_difference(_fields(program), fields)}.")
    try:
        program.load_state({name: content[name] for name in fields})
    except Exception as error:
        raise DamagedFileError(f"{path} holds a state that DSPy cannot load: {error}.") from None


def saved_class(path: str | os.PathLike[str], allow: Iterable[str] = ()) -> type[Program]:
    """The class of the program that `save` wrote; see `load`."""
    return class_of(path, read_artefact(path)["metadata"][_OURS], None, list(allow))


def corpus_of(path: str | os.PathLike[str]) -> str | None:
    """The corpus that a saved program names, where it lies now; None where it names none."""
    stored = read_artefact(path)["metadata"][_OURS]["corpus"]
    return None if stored is None else find_corpus(stored, path)


def about_artefact(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts about the program that `save` was given: data, optimizer, dev scores, the LM it was compiled for."""
    return dict(read_artefact(path)["metadata"][_OURS]["about"])


def _own_retriever(path: str | os.PathLike[str], ours: dict[str, Any]) -> Retriever:
    """The retriever over the corpus that the file names, if it is still that corpus."""
    if ours["corpus"] is None:
        raise InputError(
            f"{path} names no corpus; give load a retriever or a corpus (on the command line, --corpus or --retriever)."
        )
    place = find_corpus(ours["corpus"], path)
    retriever = open_retriever(place)
    if fingerprint(retriever) != ours["retriever"]:
        raise MismatchError(
            f"{place} is not the corpus that {path} was compiled with; "
            "to use it all the same, give it as corpus (on the command line, --corpus)."
        )
    return retriever


def read_artefact(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The file's content, checked to be a whole artefact that nobody has changed."""
    try:
        size = Path(path).stat().st_size
        text = Path(path).read_bytes() if size <= LARGEST else b""
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if size > LARGEST:
        raise DamagedFileError(f"{path} has {size:,} bytes; no saved program has more than {LARGEST:,}.")
    try:
        content: Any = ujson.loads(text.decode("utf-8"))
    except ValueError:
        raise DamagedFileError(f"{path} is not whole JSON; a saved program is one JSON object.") from None
    metadata = content.get("metadata") if isinstance(content, dict) else None
    ours = metadata.get(_OURS) if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        raise DamagedFileError(f"{path} is not a program saved by multihop.")
    if ours.get("format") != FORMAT:
        raise MismatchError(f"{path} has format {ours.get('format')!r}; this version reads format {FORMAT}.")
    digest = ours.pop("digest", None)
    if digest != _digest(content):
        raise DamagedFileError(
            f"{path} was changed after it was saved; save the program again instead of editing the file."
        )
    _check_shape(path, content, ours)
    return dict(content)


def _check_shape(path: Any, content: dict[str, Any], ours: dict[str, Any]) -> None:
    """Refuse what the digest cannot: a file made up to look like one of ours."""
    types = {"program": str, "settings": dict, "fields": dict, "about": dict, "versions": dict}
    wrong = [name for name, kind in types.items() if not isinstance(ours.get(name), kind)]
    corpus = ours.get("corpus")
    if not isinstance(ours.get("class", ""), str):
        wrong.append("class")
    if wrong or not (corpus is None or isinstance(corpus, str)):
        raise DamagedFileError(
            f"{path} is not a program saved by multihop: its block lacks {', '.join(wrong or ['corpus'])}."
        )
    if content.keys() - {"metadata"} != ours["fields"].keys():
        raise DamagedFileError(f"{path} is not a program saved by multihop: its steps and its fields differ.")
    for name in ours["fields"]:
        state = content[name]
        whole = isinstance(state, dict) and state.keys() == _STATE and state["lm"] is None
        if not whole or not all(isinstance(demo, dict) for demo in state["demos"]):
            raise DamagedFileError(
                f"{path} is not a program saved by multihop: the state of '{name}' is not one of DSPy's."
            )


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


def _digest(content: Any) -> str:
    return hashlib.blake2b(ujson.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()
