"""A saved program as it may leave this machine: no key, no address, and no path of its maker's."""

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from ...base import InputError
from ...base.secrets import hide_secrets
from ...data.built_in import is_built_in
from ...data.hub import PREFIX as DATA_ON_HUB
from ..compiled_for import compiled_for
from ..reach import texts_in
from ..saved_program import OURS, SavedProgram, as_written

_CORPUS, _LM = "corpus", "lm"


class Shareable(NamedTuple):
    """A saved program's file as it is shared."""

    saved: SavedProgram
    """Its content."""
    file: bytes
    """The file; the very bytes of the one that was given where nothing had to be left out."""
    left_out: dict[str, str]
    """Paths of this machine, and the address of a corpus, by the place in the file that named them."""


def shareable(path: str, given: bytes) -> Shareable:
    """The file of a saved program, made ready to be shared.

    The corpus stays named where everybody has it by that name. Of another file or folder that is named, the folders
    that it lies in are left out.

    Args:
        path: The file, for messages.
        given: Its bytes.

    Raises:
        InputError: It is no whole saved program, or holds a key or the address of a server; the message says where.
    """
    saved = SavedProgram.of(path, given)
    ours, reach = saved.ours, saved.reach
    for name, address in reach.contacts.items():
        if name == _LM or name in reach.settings:
            raise InputError(
                f"{path} names the server {address} as its {name}, and a program is shared without addresses; save it "
                "again with an LM that has none."
            )
    left_out = {}
    corpus, about, settings = ours[_CORPUS], saved.about, saved.settings
    if corpus is not None and not is_built_in(corpus) and not corpus.startswith(DATA_ON_HUB):
        left_out[_CORPUS] = corpus
        ours[_CORPUS] = None
    for name, place in reach.reads.items():
        if name == _CORPUS or os.path.basename(place) == place:
            continue
        left_out[name] = place
        if name == _LM:
            about[_LM] = without_folders(str(compiled_for(about)), place)
        else:
            settings = _without_folders(settings, place)
    if left_out:
        block = {**ours, "about": about, "settings": settings}
        content = {**saved.content, "metadata": {**saved.content["metadata"], OURS: block}}
        given = as_written(content).encode()
        saved = SavedProgram.of(path, given)
    _refuse_secrets(path, saved.content)
    return Shareable(saved, given, {name: hide_secrets(place) for name, place in left_out.items()})


def without_folders(text: str, path: str) -> str:
    """The text with the path that it holds cut to its last part.

    Examples:
        >>> from multihop.optimize.sharing.shareable import without_folders
        >>> without_folders("gguf:/home/ada/small.gguf", "/home/ada/small.gguf")
        'gguf:small.gguf'
    """
    return text.replace(path, os.path.basename(path.rstrip("/\\")))


def _without_folders(value: Any, path: str) -> Any:
    """The same of every text in a value made of dicts and lists."""
    if isinstance(value, str):
        return without_folders(value, path)
    if isinstance(value, list):
        return [_without_folders(each, path) for each in value]
    if isinstance(value, Mapping):
        return {name: _without_folders(each, path) for name, each in value.items()}
    return value


def _refuse_secrets(path: str, content: Mapping[str, Any]) -> None:
    for name, text in (*texts_in(content), ("one of its names", as_written(content))):
        if hide_secrets(text) != text:
            raise InputError(
                f"{path} holds a key, or what is written like one, at {name}, and nothing was pushed; take it out, "
                "and save the program again."
            )
