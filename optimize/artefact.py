"""A compiled program as one JSON file: DSPy's own state, and what is needed to rebuild the program around it.

The file holds no code and no pickle, no key and no address; loading it runs nothing and contacts nothing, whoever made
it. DSPy's own `load` reads it too.
"""

import os
import sys
import warnings
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import version
from typing import Any

import dspy

from ..base import DamagedFileError, InputError, MismatchError, unknown, writing
from ..base.texts import plain_value
from ..data import open_retriever
from ..encoder.hub import fetching_nothing
from ..programs import create
from ..retrieval import Retriever, fingerprint
from ..runtime import Program, settings_of
from .compiled_for import note_on_other_lm, note_on_step_lms
from .corpus_path import stored_corpus
from .saved_class import class_of, class_to_save
from .saved_program import FORMAT, OURS, SavedProgram, as_written

PACKAGES = ("multihop", "dspy")
GONE = frozenset({"abstain_below", "calibration", "decide", "enough_at", "grounds", "relevant_at", "speculate"})
"""Settings that programs of 0.1 had: a file that gives one is loaded without it, with one warning that names them."""
GONE_STOPS = frozenset({"settled"})
"""Rules of the setting `stops` that programs of 0.1 had: they are left out of it, with the same warning."""
_APART = ("concurrency", "retriever")


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
    if places := {name: each for name, each in program.fingerprints.items() if program.settings[name] is not None}:
        ours["fingerprints"] = places
    versions = {"python": ".".join(map(str, sys.version_info[:2])), "dspy": version("dspy")}  # for DSPy's own `load`
    content: dict[str, Any] = {**state, "metadata": {"dependency_versions": versions, OURS: ours}}
    with writing(path) as file:
        file.write(as_written(content))


def load(
    path: str | os.PathLike[str],
    retriever: Retriever | None = None,
    lm: dspy.LM | None = None,
    *,
    corpus: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    program: type[Program] | None = None,
    allow: Iterable[str] = (),
    sha256: str | Collection[str] | None = None,
) -> Program:
    """The program that `save` wrote, ready to call; a file names no place, so nothing is contacted on the way.

    Args:
        path: The file.
        retriever: The source of passages; by default the corpus that the file names is opened.
        lm: The LM of all steps that have none of their own; by default DSPy's configured one, at every call.
        corpus: Another corpus than the file names: "little", a corpus file, or an index folder.
        settings: Settings to change, such as `{"k": 10}`.
        program: The class of a program of your own, as in `load("two.json", program=TwoHops)`.
        allow: Modules from which such a class may be imported, as in `load("two.json", allow=["mymethods"])`; what is
            named by a file is never imported otherwise. Programs of installed packages are found by their names.
        sha256: The digest that the file must have, as `sha256sum` prints it, or several of which it must have one.

    Raises:
        InputError: The file is damaged, was edited, does not fit this version, or is another one than was pinned; the
            message says which.

    Warns:
        UserWarning: The file comes from another release series of multihop or DSPy; or it gives settings that are gone,
            or an LM that is no plain name, which are left out; or it was compiled for another LM than the one given
            here, or the one that DSPy is configured with now; or it has LMs of its own for single steps, where an LM is
            given here.
    """
    saved = SavedProgram.read(path, sha256=sha256)
    for note in saved.notes(settings or {}):
        warnings.warn(note, stacklevel=2)
    return rebuild(saved, retriever, lm, corpus=corpus, settings=settings, program=program, allow=allow)


def rebuild(
    saved: SavedProgram,
    retriever: Retriever | None = None,
    lm: dspy.LM | None = None,
    *,
    corpus: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    program: type[Program] | None = None,
    allow: Iterable[str] = (),
) -> Program:
    """The program in a file that was read; see `load`."""
    if retriever is not None and corpus is not None:
        raise InputError("load takes a retriever or a corpus, not both.")
    path, block = saved.path, saved.block
    _check_versions(path, block.versions)
    kind = class_of(path, block, program, [allow] if isinstance(allow, str) else list(allow))
    all_settings = {**_without_gone(path, kind, block.settings), **(settings or {})}
    _check_settings(path, kind, all_settings, settings or {})
    if kind.retrieves and all_settings.get("retrieval", True) and retriever is None:
        retriever = open_retriever(corpus) if corpus is not None else _own_retriever(saved)
    result = create(kind, retriever, **all_settings)
    _check_fingerprints(saved, result, settings or {})
    _take_state(saved, result)
    if note := note_on_other_lm(path, saved.about, lm or dspy.settings.lm):
        warnings.warn(note, stacklevel=3)
    if lm is not None:
        if "lms" not in (settings or {}) and (note := note_on_step_lms(path, result.step_lms, lm.model)):
            warnings.warn(note, stacklevel=3)
        result.lms = {**dict.fromkeys(result.steps, lm), **result.step_lms}
    return result


def _without_gone(path: str | os.PathLike[str], kind: type[Program], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a file without those that programs no longer have, of which a warning tells."""
    known = settings_of(kind)
    gone = [f"'{name}'" for name in settings if name in GONE and name not in known]
    kept = {name: value for name, value in settings.items() if name not in GONE or name in known}
    if isinstance(stops := kept.get("stops"), list | tuple) and not GONE_STOPS.isdisjoint(stops):
        kept["stops"] = [rule for rule in stops if rule not in GONE_STOPS]
        gone += [f"'{rule}' of 'stops'" for rule in stops if rule in GONE_STOPS]
    if gone:
        names = " and ".join(filter(None, (", ".join(gone[:-1]), gone[-1])))
        verb = "settings that are gone and are" if len(gone) > 1 else "a setting that is gone and is"
        warnings.warn(f"{path} gives {verb} left out: {names} (docs/versions.md).", stacklevel=4)
    return kept


def _check_settings(
    path: str | os.PathLike[str], kind: type[Program], settings: Mapping[str, Any], given: Mapping[str, Any]
) -> None:
    """Refuse settings that the program does not have: the caller's own, or those of another version's file."""
    for name in settings:
        if name not in settings_of(kind):
            error = unknown(f"setting of '{kind.name}' in {path}", name, settings_of(kind))
            raise error if name in given else MismatchError(str(error))


def _check_fingerprints(saved: SavedProgram, program: Program, given: Mapping[str, Any]) -> None:
    """Refuse a place that a setting of the file names, such as a folder of weights, if it holds others by now."""
    for name, was in saved.block.fingerprints.items():
        if name not in given and program.fingerprints.get(name) != was:
            raise MismatchError(
                f"{program.settings[name]} does not hold the {name} that {saved.path} was compiled with; "
                f"to use them all the same, give them as the setting {name} (on the command line, --set {name}=...)."
            )


def _take_state(saved: SavedProgram, program: Program) -> None:
    """Give the program the demonstrations and instructions of the file, if its steps are still the file's."""
    here, there = _fields(program), {name: each.model_dump() for name, each in saved.block.fields.items()}
    if here != there:
        raise MismatchError(f"{saved.path} does not fit this version: {_difference(here, there)}.")
    try:
        program.load_state(dict(saved.content))
        _write_prompts(program)
    except Exception as error:
        raise DamagedFileError(f"{saved.path} holds a state that DSPy cannot load: {error}.") from None


def _write_prompts(program: Program) -> None:
    """Write a prompt of every step, as a question would: a state that is of the right form may still be of no use."""
    adapter = dspy.ChatAdapter()
    for predictor in program.predictors():
        adapter.format(predictor.signature, predictor.demos, dict.fromkeys(predictor.signature.input_fields, ""))


def about_artefact(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts about the program that `save` was given: data, optimizer, dev scores, the LM it was compiled for."""
    return SavedProgram.read(path).about


def _own_retriever(saved: SavedProgram) -> Retriever:
    """The retriever over the corpus that the file names, if it is still that corpus."""
    place = saved.corpus
    if place is None:
        raise InputError(
            f"{saved.path} names no corpus; give load a retriever or a corpus "
            "(on the command line, --corpus or --retriever)."
        )
    with fetching_nothing():  # its manifest may name an encoder of a hub
        retriever = open_retriever(place)
    if fingerprint(retriever) != saved.block.retriever:
        raise MismatchError(
            f"{place} is not the corpus that {saved.path} was compiled with; "
            "to use it all the same, give it as corpus (on the command line, --corpus)."
        )
    return retriever


def _check_versions(path: Any, saved: Mapping[str, Any]) -> None:
    """Say so where the file comes from another release series: it may fit, and its prompts may read otherwise."""
    here = {package: version(package) for package in PACKAGES}
    other = [name for name in PACKAGES if _series(saved.get(name, "")) != _series(here[name])]
    if other:
        was = ", ".join(f"{name} {saved.get(name, 'unknown')}" for name in other)
        warnings.warn(
            f"{path} was saved with {was}; here it is {', '.join(f'{name} {here[name]}' for name in other)}.",
            stacklevel=4,
        )


def _series(release: Any) -> str:
    """The first two numbers of a release."""
    return ".".join(str(release).split(".")[:2])


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
