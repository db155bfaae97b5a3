"""The file of a compiled program: DSPy's own state, and what is needed to rebuild the program around it.

It is one JSON file without code, pickle, key or address, so reading it runs nothing and contacts nothing. DSPy's own
`load` reads it too.
"""

import hashlib
import os
import re
import sys
import warnings
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import reduce
from importlib.metadata import version
from operator import getitem
from pathlib import Path
from shlex import quote
from typing import Any, cast

import dspy
import ujson
from pydantic import ValidationError

from ..base import DamagedFileError, InputError, MismatchError, read_small, writing
from ..base.errors import hide_login, names_secret
from ..base.files import FiniteJson, parsed
from ..base.texts import plain_value
from ..data.little import is_little
from ..evaluation.header import lm_identity
from ..lms.own_server import PROVIDER
from ..programs.registry import check_name, is_found_by_name, reference_of
from ..retrieval import fingerprint
from ..runtime import Program
from ..runtime.adapters import tuned_adapter
from .artefact_file import PLAIN, Block, SavedFile
from .finetuning import Tuned
from .local_finetuning import serving

FORMAT = 1
OURS = "multihop"
PACKAGES = ("multihop", "dspy")
_WHAT = "a program saved by multihop"
_NOT_SAVED = ("concurrency", "retriever")
"""Settings of the place where a program runs."""


@dataclass(frozen=True)
class SavedProgram:
    """A file that `save` wrote, from any source: data, which names models and never a place to contact."""

    path: str
    """The file, for messages and for the corpus beside it."""
    content: Mapping[str, Any]
    """DSPy's state of every predictor, by its name."""
    block: Block
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Values of the file that are not used, by their places in it."""

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, sha256: str | Collection[str] | None = None) -> "SavedProgram":
        """The file's content, checked to be a whole artefact that was not edited, with a `sha256` that was given."""
        name = os.fspath(path)
        if name.startswith("hf://"):
            raise InputError(f"{name} is no file: download it with huggingface_hub.hf_hub_download and load the file.")
        given = read_small(path)
        if sha256 is not None:
            _check_pinned(name, given, [sha256] if isinstance(sha256, str) else sha256)
        _check_digest(name, given)
        whole, left_out = _read(name, given)
        states = {step: state.model_dump() for step, state in whole.__pydantic_extra__.items()}
        if states.keys() != whole.metadata.multihop.fields.keys():
            raise DamagedFileError(f"{name} is not {_WHAT}: its steps and its fields differ.")
        return cls(name, states, whole.metadata.multihop, left_out)

    @property
    def about(self) -> dict[str, Any]:
        """The facts that `save` was given: data, optimizer, dev scores, the LM it was compiled for."""
        return self.block.about.model_dump(exclude_unset=True)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the file gives."""
        return self.block.settings.model_dump(exclude_unset=True)

    @property
    def step_lms(self) -> dict[str, str]:
        """The names of the LMs that it has for single steps, by the steps' names."""
        return dict(self.block.settings.lms or {})

    @property
    def lm(self) -> str | None:
        """The name of the LM it was compiled for; None where the file says nothing of one."""
        return self.block.about.lm or None

    @property
    def corpus(self) -> str | None:
        """The corpus that it names, where it lies now; None where it names none."""
        if (elsewhere := self.left_out.get("corpus")) is not None:
            raise InputError(
                f"{self.path} names the corpus {hide_login(elsewhere)!r:.80}, which is no path, and nothing that a "
                "file names is contacted: give the corpus with --corpus (in Python, corpus=...)."
            )
        return None if self.block.corpus is None else find_corpus(self.block.corpus, self.path)

    def notes(self, given: Collection[str]) -> list[str]:
        """One sentence for each value of the file that is not used, without settings that the caller gives."""
        return [
            f"{self.path} gives {hide_login(text)!r:.80} as {place}, which is no plain name of an LM "
            f"{'' if place.startswith(('lms', 'about')) else 'or path '}and is left out."
            for place, text in self.left_out.items()
            if place != "corpus" and place.partition(".")[0] not in given
        ]

    @property
    def served(self) -> dict[str, str]:
        """The LMs of steps that are asked on a server of one's own, by the steps' names."""
        return {step: name for step, name in self.step_lms.items() if name.startswith(f"{PROVIDER}/")}

    def note_on_server(self) -> str:
        """One sentence that says what to start for the steps whose LM is on a server of one's own."""
        served = self.served
        alone = len(set(served.values())) == 1 and set(served) == {name.partition(".")[0] for name in self.content}
        asked = " and ".join(f"{name} for the step {step}" for step, name in served.items())
        given = " ".join(f"--lm {step}={name}@http://HOST:PORT/v1" for step, name in served.items())
        if alone:
            (name,) = set(served.values())
            asked, given = f"{name} at every step", f"--lm {name}@http://HOST:PORT/v1"
        start = f"start it ({self.start}) and " if self.start else ""
        return f"{self.path} asks {asked}, on a server whose address is not stored: {start}give it with {given}."

    @property
    def start(self) -> str:
        """The command that serves the tuned model; empty where it was not trained on this machine."""
        tuned = self.block.about.tuned
        if tuned is None or not (tuned.folder and tuned.base):
            return ""
        folder = quote(os.path.normpath(os.path.join(os.path.dirname(self.path), tuned.folder)))
        return serving(Path(folder), {"base": quote(tuned.base), "rank": tuned.rank})

    def note_on_other_lm(self, lm: dspy.BaseLM | None) -> str | None:
        """One sentence if the program was compiled for another LM than this one."""
        if self.lm is None or lm is None or lm.model == self.lm:
            return None
        return (
            f"{self.path} was compiled for {self.lm} and is used with {lm.model}; its scores were not measured with it."
        )

    def note_on_step_lms(self, lm: dspy.BaseLM) -> str | None:
        """One sentence if single steps have other LMs than the one that is given for all."""
        others = [f"{name} for the step {step}" for step, name in self.step_lms.items() if name != lm.model]
        if not others:
            return None
        return (
            f"{self.path} asks {' and '.join(others)}, and {lm.model} for all others; "
            "--lm STEP=LM (in Python, settings={'lms': ...}) gives others."
        )


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
    kind = type(program)
    kept = {name: each for name, each in program.settings.items() if not (name in _NOT_SAVED or names_secret(name))}
    check_name(kind)
    if replaced := [name for name in ("forward", "aforward") if name in vars(program)]:  # as by dspy.KNNFewShot
        raise InputError(f"{program.name} cannot be saved: its {replaced[0]} was replaced, and no file can hold that.")
    if note := note_on_demonstrations(program):
        warnings.warn(note, stacklevel=2)
    ours = {
        "format": FORMAT,
        "program": program.name,
        **({} if is_found_by_name(kind) else {"class": reference_of(kind)}),
        "settings": {name: plain_value(value, otherwise=lambda each: each) for name, value in kept.items()},
        "fields": step_fields(program),
        "retriever": None if program.retriever is None else fingerprint(program.retriever),
        "corpus": None if corpus is None else stored_corpus(corpus, path),
        "about": dict(about or {}),
        "versions": {package: version(package) for package in PACKAGES},
    }
    if program.cloned:
        ours["tuned_prompts"] = digest_of_prompts(program, program.settings["lms"] or {})
    if places := {name: each for name, each in program.fingerprints.items() if program.settings[name] is not None}:
        ours["fingerprints"] = places
    states = {name: {**state, "lm": None} for name, state in program.dump_state().items()}
    versions = {"python": ".".join(map(str, sys.version_info[:2])), "dspy": version("dspy")}  # for DSPy's own `load`
    text = as_written({**states, "metadata": {"dependency_versions": versions, OURS: ours}})
    with writing(path) as file:
        file.write(text)


def as_written(content: Mapping[str, Any]) -> str:
    """The text of the file with that content, whose digest stands in it."""
    ours = {**content["metadata"][OURS], "digest": digest_of(content)}
    whole = {**content, "metadata": {**content["metadata"], OURS: ours}}
    return ujson.dumps(whole, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n"


def digest_of(content: Any) -> str:
    """The digest by which an artefact is known not to have been edited; a stranger can make one that fits."""
    return hashlib.blake2b(ujson.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def step_fields(program: Program) -> dict[str, dict[str, list[str]]]:
    """The signature fields of every predictor, by name."""
    return {
        name: {"inputs": list(each.signature.input_fields), "outputs": list(each.signature.output_fields)}
        for name, each in program.named_predictors()
    }


def note_on_demonstrations(program: Program) -> str | None:
    """One sentence if steps have demonstrations that DSPy leaves out of their prompts."""
    outputs = {name: set(each["outputs"]) for name, each in step_fields(program).items()}
    steps = [name for name, each in program.named_predictors() if any(map(outputs[name].isdisjoint, each.demos))]
    if not steps:
        return None
    return (
        f"{', '.join(steps)}: demonstrations without any output of the step, which no LM is shown; dspy.LabeledFewShot "
        "gives every step the questions themselves, the variants labeled-N what each step says."
    )


def digest_of_prompts(program: Program, lms: Mapping[str, str]) -> str:
    """The digest of what tuned steps are asked, beside the values of their inputs; `lms` names their LMs."""
    messages = []
    for name, predictor in program.named_predictors():
        if (step := name.partition(".")[0]) in program.cloned:
            inputs = {field: f"{{{field}}}" for field in predictor.signature.input_fields}
            messages.append([name, tuned_adapter(lms.get(step, "")).format(predictor.signature, [], inputs)])
    return hashlib.blake2b(ujson.dumps(messages).encode(), digest_size=16).hexdigest()


def about_tuned(tuned: Tuned, file: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts that the file of a saved program keeps about a model that was trained for it."""
    folder = {} if tuned.folder is None else {"folder": stored_corpus(tuned.folder, file)}
    return {"lm": tuned.lm, **tuned.facts, **folder}


def tuned_of(saved: SavedProgram, file: str | os.PathLike[str]) -> dict[str, Any]:
    """The facts about the tuned model of a saved program, for another file of it; empty where there is none."""
    if (tuned := saved.block.about.tuned) is None:
        return {}
    folder = tuned.folder and stored_corpus(os.path.join(os.path.dirname(saved.path), tuned.folder), file)
    return {"tuned": {**tuned.model_dump(exclude_unset=True), **({"folder": folder} if folder else {})}}


def about_lm(lm: Any) -> dict[str, Any]:
    """The facts that a saved program keeps about the LM it was compiled for: its name, never its address."""
    if not isinstance(lm, dspy.BaseLM):
        return {"lm": None}
    decoding = lm_identity(lm)["decoding"]
    served = {"own server": True} if lm.kwargs.get("api_base") else {}
    return {"lm": lm.model, **({"decoding": decoding} if decoding else {}), **served}


def stored_corpus(corpus: str | os.PathLike[str], file: str | os.PathLike[str]) -> str | None:
    """The corpus as the file of a saved program names it; None where it is no path, since a file holds no address.

    A path begins with `./` or `../`, as seen from the file's folder, so that the two can be moved together. It is
    whole where they share no folder except the root of the disk.
    """
    text = os.path.expanduser(os.fspath(corpus))
    if is_little(text):
        return text
    is_path = os.path.basename(text) != text or bool(Path(text).suffix) or os.path.exists(text)
    if not (PLAIN.fullmatch(text) and is_path):
        return None
    place, folder = os.path.abspath(text), os.path.dirname(os.path.abspath(file))
    try:
        shared = os.path.commonpath([place, folder])
    except ValueError:  # on another drive
        return place
    if os.path.dirname(shared) == shared:
        return place
    seen = Path(os.path.relpath(place, folder)).as_posix()
    return seen if seen.startswith("../") else f"./{seen}"


def find_corpus(stored: str, file: str | os.PathLike[str]) -> str:
    """The corpus that the file of a saved program names, seen from the file's folder or from the working directory."""
    if is_little(stored):
        return stored
    folders = [os.path.dirname(os.path.abspath(file)), os.path.dirname(os.path.realpath(file)), os.getcwd()]
    places = list(dict.fromkeys(os.path.normpath(os.path.join(folder, stored)) for folder in folders))
    for place in places:
        if os.path.exists(place):
            return place
    raise InputError(
        f"the corpus that {os.fspath(file)} names, '{stored}', is not there: looked for {' and '.join(places)}; "
        "say where it is with --corpus (in Python, corpus=...)."
    )


def _check_pinned(path: str, given: bytes, pinned: Collection[str]) -> None:
    for digest in pinned:
        if not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
            raise InputError(f"a sha256 is 64 hexadecimal digits, as sha256sum FILE prints them, not '{digest:.80}'.")
    found = hashlib.sha256(given).hexdigest()
    if found not in {digest.lower() for digest in pinned}:
        raise MismatchError(f"{path} is not the file that was pinned: its sha256 is {found}, not {', '.join(pinned)}.")


def _check_digest(path: str, given: bytes) -> None:
    """Refuse a file of another format, and one that was edited."""
    content = parsed(dict[str, FiniteJson], given, path, _WHAT)
    metadata = content.get("metadata")
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        raise DamagedFileError(f"{path} is not {_WHAT}; a state that DSPy saved is read by a program's own load(path).")
    if ours.get("format") != FORMAT:
        raise MismatchError(f"{path} has format {ours.get('format')!r}; this version reads format {FORMAT}.")
    if ours.pop("digest", None) != digest_of(content):
        raise DamagedFileError(f"{path} was changed after it was saved; save the program again instead of editing it.")


def _read(path: str, given: bytes) -> tuple[SavedFile, dict[str, str]]:
    """The content by its types, and the values that were taken out of it, by their places."""
    left_out: dict[str, str] = {}
    while True:
        try:
            return parsed(SavedFile, given, path, _WHAT), left_out
        except DamagedFileError as damage:
            problems = cast(ValidationError, damage.__cause__).errors()
            places = [(*each["loc"], each["input"]) for each in problems if each["type"] == "value_error"]  # `_plain`'s
            if not places:
                raise
        content = ujson.loads(given)
        for *way, last, text in places:
            left_out[".".join([*way[2:], last]).removeprefix("settings.")] = str(text)
            del reduce(getitem, way, content)[last]
        given = ujson.dumps(content).encode()
