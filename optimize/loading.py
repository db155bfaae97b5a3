"""Rebuilds a program from the file that `save` wrote.

A file that names a class of its writer's own is data from anywhere: it never makes anything be imported by itself.
"""

import os
import warnings
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import version
from typing import Any

import dspy

from ..base import DamagedFileError, InputError, MismatchError
from ..base.imports import import_reference, is_reference, may_be_imported
from ..data import open_retriever
from ..programs import create, program_named
from ..programs.registry import KIND
from ..retrieval import Retriever, fingerprint
from ..runtime import Program, check_setting, settings_of
from .artefact import PACKAGES, Block, SavedProgram, digest_of_prompts, step_fields

GONE = (
    "abstain_below", "calibration", "cut", "decide", "enough_at", "grounds", "relevant_at", "speculate", "stop_after",
    "suggests",
)  # fmt: skip
"""Settings that programs of 0.1 had: a file that gives one is loaded without it, with one warning that names them."""
GONE_ITEMS = {"stops": "settled", "pruning": "semantic"}
"""An item that such a setting could have: it is left out, with the same warning."""


def load(
    path: str | os.PathLike[str] | SavedProgram,
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
        path: The file, or one that was read.
        retriever: The source of passages; by default the corpus that the file names is opened.
        lm: The LM of all steps that have none of their own; by default DSPy's configured one, at every call.
        corpus: Another corpus than the file names: "little", a corpus file, or an index folder.
        settings: Settings to change, such as `{"k": 10}`.
        program: The class of a program of your own, as in `load("two.json", program=TwoHops)`.
        allow: Modules from which such a class may be imported, as in `load("two.json", allow=["mymethods"])`; what is
            named by a file is never imported otherwise. Programs of installed packages are found by their names.
        sha256: The digest that the file must have, as `sha256sum` prints it, or several of which it must have one.

    Raises:
        InputError: The file is damaged, was edited, does not fit this version, or is another one than was pinned; or
            its steps were tuned, and the LM is not theirs; the message says which.

    Warns:
        UserWarning: The file comes from another release series of multihop or DSPy; or it gives settings that are gone,
            or an LM that is no plain name, which are left out; or it was compiled for another LM than the one given
            here, or the one that DSPy is configured with now; or it has LMs of its own for single steps, where an LM is
            given here.
    """
    given = settings or {}
    if isinstance(path, SavedProgram):
        saved = path
    else:
        saved = SavedProgram.read(path, sha256=sha256)
        for unused in saved.notes(given):
            warnings.warn(unused, stacklevel=2)
    if retriever is not None and corpus is not None:
        raise InputError("load takes a retriever or a corpus, not both.")
    _check_versions(saved)
    kind = class_of(saved.path, saved.block, program, [allow] if isinstance(allow, str) else list(allow))
    all_settings = {**_without_gone(saved, kind), **given}
    for name, value in all_settings.items():
        try:
            check_setting(f"'{kind.name}' in {saved.path}", name, value, settings_of(kind))
        except InputError as error:
            raise error if name in given else MismatchError(str(error)) from None
    if kind.retrieves and all_settings.get("retrieval", True) and retriever is None:
        retriever = open_retriever(corpus) if corpus is not None else _own_retriever(saved)
    if saved.served and "lms" not in given:
        all_settings["lms"] = _lms_of_steps(saved, lm)
    result = create(kind, retriever, **all_settings)
    _check_fingerprints(saved, result, given)
    _take_state(saved, result)
    _check_tuned(saved, result)
    if note := saved.note_on_other_lm(lm or dspy.settings.lm):
        warnings.warn(note, stacklevel=2)
    if lm is not None:
        if "lms" not in given and (note := saved.note_on_step_lms(lm)):
            warnings.warn(note, stacklevel=2)
        result.lms = {**dict.fromkeys(result.steps, lm), **(result.lms or {})}
    return result


def class_of(path: str, saved: Block, given: type[Program] | None, allowed: Collection[str]) -> type[Program]:
    """The class of the program in the file: found by its name, handed over, or imported from `allowed` modules."""
    name, own = saved.program, saved.own_class
    if given is not None:
        if not (isinstance(given, type) and issubclass(given, Program)):
            raise InputError(f"program takes the class of a program, such as program=TwoHops, not {given!r:.60}.")
        if given.name != name:
            raise InputError(f"{path} holds the program '{name}', not '{given.name}'.")
        return given
    if own is not None:
        return _import_class(path, name, own, allowed)
    if is_reference(name):
        raise InputError(f"{path} names its program '{name}', which is no name of one.")
    return program_named(name)


def _import_class(path: str, name: str, own: str, allowed: Collection[str]) -> type[Program]:
    """The class that the file names as MODULE:CLASS, if it may be imported and is still that program."""
    module, _, kind = own.partition(":")
    importable = is_reference(own) and module != "__main__"
    if not may_be_imported(own, [*allowed, "multihop.programs"]):  # ours that are listed nowhere
        or_allowed = f', or allow=["{module}"] (on the command line, --allow {module})' if importable else ""
        raise InputError(
            f"{path} holds {own}, a class of one's own, which is never imported unasked: "
            f"give load program={kind.rpartition('.')[2]}{or_allowed}."
        )
    program = import_reference(KIND, own)
    if not (isinstance(program, type) and issubclass(program, Program)) or program.name != name:
        raise InputError(f"{path} holds the program '{name}', and {own} is not that any more.")
    return program


def _without_gone(saved: SavedProgram, kind: type[Program]) -> dict[str, Any]:
    """The settings of a file without those that programs no longer have, of which a warning tells."""
    settings, known = saved.settings, settings_of(kind)
    kept: dict[str, Any] = {name: value for name, value in settings.items() if name not in GONE or name in known}
    gone = [f"'{name}'" for name in settings if name not in kept]
    for name, item in GONE_ITEMS.items():
        if isinstance(given := kept.get(name), list) and item in given:
            kept[name] = [each for each in given if each != item]
            gone.append(f"'{item}' of '{name}'")
    if gone:
        warnings.warn(f"{saved.path} gives settings that are gone: {', '.join(gone)} (docs/versions.md).", stacklevel=3)
    return kept


def _own_retriever(saved: SavedProgram) -> Retriever:
    """The retriever over the corpus that the file names, if it is still that corpus."""
    place = saved.corpus
    if place is None:
        raise InputError(
            f"{saved.path} names no corpus; give load a retriever or a corpus "
            "(on the command line, --corpus or --retriever)."
        )
    retriever = open_retriever(place)
    if fingerprint(retriever) != saved.block.retriever:
        raise MismatchError(
            f"{place} is not the corpus that {saved.path} was compiled with; "
            "to use it all the same, give it as corpus (on the command line, --corpus)."
        )
    return retriever


def _lms_of_steps(saved: SavedProgram, lm: dspy.BaseLM | None) -> dict[str, Any]:
    """The LMs of steps, those on a server of one's own by the LM that is given or configured, if it is that one."""
    beside = lm or dspy.settings.lm
    found: dict[str, Any] = {
        step: beside if beside is not None and beside.model == name else name for step, name in saved.step_lms.items()
    }
    if any(isinstance(found[step], str) for step in saved.served):
        if lm is not None:
            raise InputError(saved.note_on_server())
        warnings.warn(saved.note_on_server(), stacklevel=3)
    return found


def _check_tuned(saved: SavedProgram, program: Program) -> None:
    """Refuse steps whose LM learned other prompts than those that it would get here."""
    lms = saved.step_lms
    was = saved.block.tuned_prompts  # older files have none: those of a server learned another form of the same prompts
    if not (program.cloned and lms) or (was is None and not saved.served):
        return
    if was != digest_of_prompts(program, lms):
        name = next(iter(lms.values()))
        raise MismatchError(
            f"{saved.path} asks {name}, which was tuned on other prompts than this version writes: "
            "tune it again, with the command that made the file."
        )


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
    here, there = step_fields(program), saved.block.fields
    if here != there:
        raise MismatchError(f"{saved.path} does not fit this version: {_difference(here, there)}.")
    try:
        program.load_state(dict(saved.content))
        adapter = dspy.ChatAdapter()
        for each in program.predictors():  # a state of the right form may still make no prompt
            adapter.format(each.signature, each.demos, dict.fromkeys(each.signature.input_fields, ""))
    except Exception as error:
        raise DamagedFileError(f"{saved.path} holds a state that DSPy cannot load: {error}.") from None


def _difference(here: Mapping[str, Any], there: Mapping[str, Any]) -> str:
    name = next(name for name in (*there, *here) if here.get(name) != there.get(name))
    if name not in here:
        return f"it has a step '{name}' that the program no longer has"
    if name not in there:
        return f"the program has a step '{name}' that it lacks"
    return f"the fields of '{name}' are {here[name]} now and {there[name]} in the file"


def _check_versions(saved: SavedProgram) -> None:
    """Say so where the file comes from another release series: it may fit, and its prompts may read otherwise."""
    was, here = saved.block.versions, {package: version(package) for package in PACKAGES}
    other = [name for name in PACKAGES if _series(was.get(name, "")) != _series(here[name])]
    if other:
        then = ", ".join(f"{name} {was.get(name, 'unknown')}" for name in other)
        now = ", ".join(f"{name} {here[name]}" for name in other)
        warnings.warn(f"{saved.path} was saved with {then}; here it is {now}.", stacklevel=3)


def _series(release: Any) -> str:
    """The first two numbers of a release."""
    return ".".join(str(release).split(".")[:2])
