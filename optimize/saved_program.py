"""The file of a saved program as it was read: checked whole, pinned where asked, and naming no place to contact."""

import hashlib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import ujson
from pydantic import Field

from ..base import DamagedFileError, InputError, MismatchError, read_small
from ..base.typed_files import FileModel, FiniteJson, parsed
from ..retrieval.servers.address import hide_login
from .corpus_path import find_corpus, is_stored_corpus

FORMAT = 1
OURS = "multihop"
_WHAT = "a program saved by multihop"
_LM_NAME = re.compile(r"[A-Za-z0-9][\w.:+-]*(/[\w.:+-]+)*(@[\w-]+)?", re.ASCII)
"""The plain name of an LM, such as "openai/gpt-4.1": it has no room for an address."""


class StepState(FileModel):
    """DSPy's own state of a predictor; its LM is never saved."""

    traces: list[FiniteJson]
    train: list[FiniteJson]
    demos: list[dict[str, FiniteJson]]
    signature: dict[str, FiniteJson]
    lm: None


class StepFields(FileModel):
    """The fields of a predictor's signature, in their order."""

    inputs: list[str]
    outputs: list[str]


class Block(FileModel):
    """Our part of the file: all that is needed to rebuild the program around DSPy's state."""

    format: Literal[1]
    program: str
    own_class: str | None = Field(None, alias="class")
    """MODULE:CLASS of a program of one's own."""
    settings: dict[str, FiniteJson]
    fields: dict[str, StepFields]
    retriever: str | None = None
    """The fingerprint of the corpus."""
    corpus: str | None
    about: dict[str, FiniteJson]
    versions: dict[str, FiniteJson]
    fingerprints: dict[str, FiniteJson] = {}
    """Of the places that settings name, such as a folder of weights."""


@dataclass(frozen=True)
class SavedProgram:
    """A file that `save` wrote, from wherever it comes: data, which names models and never a place to contact."""

    path: str
    """The file, for messages and for the corpus beside it."""
    content: Mapping[str, Any]
    """DSPy's state of every predictor, by its name, and the metadata."""
    block: Block
    left_out: Mapping[str, str] = field(default_factory=dict)
    """What the file gives and nobody uses, by its place in the file: a corpus or an LM that is no plain name."""

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, sha256: str | Collection[str] | None = None) -> "SavedProgram":
        """The file's content, checked to be a whole artefact that nobody has edited.

        Args:
            path: The file.
            sha256: The digest that the file must have, as `sha256sum` prints it, or several of which it must have one.

        Raises:
            InputError: It cannot be read, is not whole, or is another file than the one that was pinned.
        """
        name = os.fspath(path)
        if name.startswith("hf://"):
            raise InputError(f"{name} is no file: download it with huggingface_hub.hf_hub_download and load the file.")
        try:
            given = read_small(path)
        except OSError as error:
            raise InputError(f"{name} cannot be read: {error.strerror}.") from None
        if sha256 is not None:
            _check_pinned(name, given, [sha256] if isinstance(sha256, str) else sha256)
        return cls(name, *_checked(name, given))

    @property
    def about(self) -> dict[str, Any]:
        """The facts that `save` was given: data, optimizer, dev scores, the LM it was compiled for."""
        return dict(self.block.about)

    @property
    def step_lms(self) -> dict[str, str]:
        """The names of the LMs that it has for single steps, by the steps' names."""
        return dict(self.block.settings.get("lms") or {})  # type: ignore[arg-type]

    @property
    def lm(self) -> str | None:
        """The name of the LM it was compiled for; None where the file says nothing of one."""
        return self.about.get("lm") or None

    @property
    def corpus(self) -> str | None:
        """The corpus that it names, where it lies now; None where it names none.

        Raises:
            InputError: It is not there, or what the file names is neither a path nor the little encyclopedia.
        """
        if (elsewhere := self.left_out.get("corpus")) is not None:
            raise InputError(
                f"{self.path} names the corpus {hide_login(elsewhere)!r:.80}, which is no path, and nothing that a "
                "file names is contacted: give the corpus with --corpus (in Python, corpus=...)."
            )
        return None if self.block.corpus is None else find_corpus(self.block.corpus, self.path)

    def notes(self, given: Collection[str]) -> list[str]:
        """One sentence for each LM that the file gives and nobody uses, but for settings that the caller has given."""
        return [
            f"{self.path} gives {hide_login(text)!r:.80} as {place}, which is no plain name of an LM and is left out."
            for place, text in self.left_out.items()
            if place != "corpus" and place.partition(".")[0] not in given
        ]


def as_written(content: Mapping[str, Any]) -> str:
    """The text of the file with that content, whose digest stands in it."""
    ours = {**content["metadata"][OURS], "digest": digest_of(content)}
    whole = {**content, "metadata": {**content["metadata"], OURS: ours}}
    return ujson.dumps(whole, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n"


def digest_of(content: Any) -> str:
    """The digest by which an artefact is known not to have been edited; a stranger can make one that fits."""
    return hashlib.blake2b(ujson.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _check_pinned(path: str, given: bytes, pinned: Collection[str]) -> None:
    for digest in pinned:
        if not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
            raise InputError(f"a sha256 is 64 hexadecimal digits, as sha256sum FILE prints them, not '{digest:.80}'.")
    found = hashlib.sha256(given).hexdigest()
    if found not in {digest.lower() for digest in pinned}:
        raise MismatchError(f"{path} is not the file that was pinned: its sha256 is {found}, not {', '.join(pinned)}.")


def _checked(path: str, given: bytes) -> tuple[dict[str, Any], Block, dict[str, str]]:
    """The file's states, our block of it, and what in it is left out."""
    content = parsed(dict[str, FiniteJson], given, path, _WHAT)
    metadata = content.get("metadata")
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        raise DamagedFileError(f"{path} is not {_WHAT}.")
    if ours.get("format") != FORMAT:
        raise MismatchError(f"{path} has format {ours.get('format')!r}; this version reads format {FORMAT}.")
    if ours.pop("digest", None) != digest_of(content):
        raise DamagedFileError(
            f"{path} was changed after it was saved; save the program again instead of editing the file."
        )
    left_out = _take_places_out(ours)
    block = parsed(Block, ujson.dumps(ours), path, _WHAT)
    states = {name: state for name, state in content.items() if name != "metadata"}
    if states.keys() != block.fields.keys():
        raise DamagedFileError(f"{path} is not {_WHAT}: its steps and its fields differ.")
    parsed(dict[str, StepState], ujson.dumps(states), path, _WHAT)
    return states, block, left_out


def _take_places_out(ours: dict[str, Any]) -> dict[str, str]:
    """Take out of the block whatever could be a place to contact, and say what it was, by its place in the block."""
    left_out = {}
    corpus, settings, about = ours.get("corpus"), ours.get("settings"), ours.get("about")
    if isinstance(corpus, str) and not is_stored_corpus(corpus):
        left_out["corpus"], ours["corpus"] = corpus, None
    if isinstance(about, dict) and about.get("lm") is not None and not _is_lm_name(about["lm"]):
        left_out["about.lm"] = str(about.pop("lm"))
    if isinstance(settings, dict) and settings.get("lms") is not None:
        lms = settings["lms"] if isinstance(settings["lms"], dict) else {"": settings["lms"]}
        left_out |= {f"lms.{step}".rstrip("."): str(lm) for step, lm in lms.items() if not _is_lm_name(lm)}
        settings["lms"] = {step: lm for step, lm in lms.items() if _is_lm_name(lm)} or None
    return left_out


def _is_lm_name(name: Any) -> bool:
    return isinstance(name, str) and _LM_NAME.fullmatch(name) is not None
