"""The file of a saved program as it was read, once: checked, pinned where asked, and how far it is trusted."""

import hashlib
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import ujson

from ..base import DamagedFileError, InputError, MismatchError, read_small
from ..retrieval.servers.address import hide_login
from .compiled_for import compiled_for
from .corpus_path import find_corpus
from .reach import Reach, holds_address, names_server, reach_of

FORMAT = 1
OURS = "multihop"
_STATE = {"traces", "train", "demos", "signature", "lm"}
_CORPUS = "--corpus (in Python, corpus=...)"
_UNASKED = "what a saved program's file names is never contacted unasked"


@dataclass(frozen=True)
class SavedProgram:
    """A file that `save` wrote, from wherever it comes: data, which contacts nothing unless it is trusted."""

    path: str
    """The file, for messages and for the corpus beside it."""
    content: Mapping[str, Any]
    """The whole of it, without its digest."""
    trust: bool = False
    """True if the servers and the names on the hub that it gives may be contacted."""

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], *, trust: bool = False, sha256: str | Collection[str] | None = None
    ) -> "SavedProgram":
        """The file's content, checked to be a whole artefact that nobody has edited.

        Args:
            path: The file.
            trust: Whether the servers and the names on the hub that it gives may be contacted.
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
        return cls(name, _checked(name, given), trust)

    @property
    def ours(self) -> dict[str, Any]:
        """Our block of the file."""
        return dict(self.content["metadata"][OURS])

    @property
    def about(self) -> dict[str, Any]:
        """The facts that `save` was given: data, optimizer, dev scores, the LM it was compiled for."""
        return dict(self.ours["about"])

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the file gives, whether they may be used or not."""
        return dict(self.ours["settings"])

    @property
    def step_lms(self) -> dict[str, str]:
        """The names of the LMs that it has for single steps, by the steps' names, whether they may be used or not."""
        given = self.settings.get("lms")
        return {step: hide_login(str(lm)) for step, lm in given.items()} if isinstance(given, dict) else {}

    @property
    def reach(self) -> Reach:
        """The places outside itself that the file names."""
        return reach_of(self.ours, self.path)

    @property
    def lm(self) -> str | None:
        """The name of the LM it was compiled for; None where the file says nothing of one.

        Raises:
            InputError: It has an address, and the file is not trusted.
        """
        name = compiled_for(self.about)
        if name is not None and holds_address(name):
            self._check_trust("the LM", name, "--lm (in Python, lm=...)")
        return name

    @property
    def corpus(self) -> str | None:
        """The corpus that it names, where it lies now; None where it names none.

        Raises:
            InputError: It is not there; or it is a server, on the hub, or an index whose encoder would come from there,
                and the file is not trusted.
        """
        stored = self.ours["corpus"]
        if stored is None:
            return None
        if names_server(stored):
            self._check_trust("the corpus", stored, _CORPUS)
        place = find_corpus(stored, self.path)
        for encoder in self.reach.encoders:
            self._check_trust(f"{place}, whose encoder is not on this machine yet,", encoder, _CORPUS)
        return place

    def check_settings(self, given: Collection[str]) -> None:
        """Refuse an address among the settings that the caller has not given anew, if the file is not trusted.

        Raises:
            InputError: There is one; the message names the setting.
        """
        for name, address in self.reach.settings.items():
            setting, _, step = name.partition(".")
            if setting in given:
                continue
            option = f"--step-lm {step}=LM" if setting == "lms" and step else f"--set {setting}=VALUE"
            self._check_trust(f"in its setting {name}", address, f"{option} (in Python, settings={{'{setting}': ...}})")

    def without_addresses(self) -> "SavedProgram":
        """The same with no address among its settings, to be looked at: what had one is as it is by default."""
        settings = self.settings
        for name in self.reach.settings:
            setting, _, step = name.partition(".")
            if setting == "lms" and step:
                settings["lms"] = {each: lm for each, lm in settings["lms"].items() if each != step}
            else:
                settings.pop(setting, None)
        metadata = {**self.content["metadata"], OURS: {**self.ours, "settings": settings}}
        return replace(self, content={**self.content, "metadata": metadata})

    def _check_trust(self, what: str, address: str, instead: str) -> None:
        if not self.trust:
            raise InputError(
                f"{self.path} names {what} {hide_login(address)}, and {_UNASKED}: give {instead}, "
                "or --trust (trust=True), if you trust who made the file."
            )


def as_written(content: Mapping[str, Any]) -> str:
    """The text of the file with that content, whose digest stands in it."""
    ours = {**content["metadata"][OURS], "digest": digest_of(content)}
    whole = {**content, "metadata": {**content["metadata"], OURS: ours}}
    return ujson.dumps(whole, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n"


def digest_of(content: Any) -> str:
    """The digest by which an artefact is known not to have been edited; whoever makes a file can make one that fits."""
    return hashlib.blake2b(ujson.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


def _check_pinned(path: str, given: bytes, pinned: Collection[str]) -> None:
    for digest in pinned:
        if not re.fullmatch(r"[0-9a-fA-F]{64}", digest):
            raise InputError(f"a sha256 is 64 hexadecimal digits, as sha256sum FILE prints them, not '{digest:.80}'.")
    found = hashlib.sha256(given).hexdigest()
    if found not in {digest.lower() for digest in pinned}:
        raise MismatchError(f"{path} is not the file that was pinned: its sha256 is {found}, not {', '.join(pinned)}.")


def _checked(path: str, given: bytes) -> dict[str, Any]:
    try:
        content: Any = ujson.loads(given.decode("utf-8"))
    except ValueError:
        raise DamagedFileError(f"{path} is not whole JSON; a saved program is one JSON object.") from None
    metadata = content.get("metadata") if isinstance(content, dict) else None
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        raise DamagedFileError(f"{path} is not a program saved by multihop.")
    if ours.get("format") != FORMAT:
        raise MismatchError(f"{path} has format {ours.get('format')!r}; this version reads format {FORMAT}.")
    if ours.pop("digest", None) != digest_of(content):
        raise DamagedFileError(
            f"{path} was changed after it was saved; save the program again instead of editing the file."
        )
    _check_shape(path, content, ours)
    return dict(content)


def _check_shape(path: str, content: dict[str, Any], ours: dict[str, Any]) -> None:
    """Refuse what the digest cannot: a file made up to look like one of ours."""
    types = {"program": str, "settings": dict, "fields": dict, "about": dict, "versions": dict}
    wrong = [name for name, kind in types.items() if not isinstance(ours.get(name), kind)]
    corpus = ours.get("corpus")
    if not isinstance(ours.get("class", ""), str):
        wrong.append("class")
    if not isinstance(ours.get("fingerprints", {}), dict):
        wrong.append("fingerprints")
    if wrong or not (corpus is None or isinstance(corpus, str)):
        raise DamagedFileError(
            f"{path} is not a program saved by multihop: its block lacks {', '.join(wrong or ['corpus'])}."
        )
    if content.keys() - {"metadata"} != ours["fields"].keys():
        raise DamagedFileError(f"{path} is not a program saved by multihop: its steps and its fields differ.")
    for name in ours["fields"]:
        state = content[name]
        whole = isinstance(state, dict) and state.keys() == _STATE and state["lm"] is None
        demos = state["demos"] if whole else None
        if not isinstance(demos, list) or not all(isinstance(demo, dict) for demo in demos):
            raise DamagedFileError(
                f"{path} is not a program saved by multihop: the state of '{name}' is not one of DSPy's."
            )
