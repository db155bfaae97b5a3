"""A place by the way it is written."""

import os
import re

from ...base import InputError
from ...encoder.sentences.home import is_hub_name
from .folder_place import PREFIX as FOLDER
from .folder_place import FolderPlace
from .hub_place import PREFIX as HUB
from .hub_place import HubPlace
from .place import Place

_REVISION = re.compile(r"[\w][\w./-]*")


def is_place(text: str | os.PathLike[str]) -> bool:
    """True if it names a place where a program is shared, and no file.

    Examples:
        >>> from multihop.optimize.places.opening import is_place
        >>> list(filter(is_place, ("hf://ada/films", "file:shared/films", "films.json", "one-step")))
        ['hf://ada/films', 'file:shared/films']
    """
    return os.fspath(text).startswith((HUB, FOLDER))


def open_place(text: str, revision: str | None = None) -> Place:
    """The place that is written as hf://OWNER/NAME, hf://OWNER/NAME@REVISION or file:FOLDER.

    Args:
        text: The place.
        revision: Of a place on the hub, a branch, a tag or a commit.

    Raises:
        InputError: It is written otherwise.

    Examples:
        >>> from multihop.optimize.places.opening import open_place
        >>> open_place("hf://ada/films@v2").address, open_place("hf://ada/films", revision="v2").address
        ('hf://ada/films@v2', 'hf://ada/films@v2')
    """
    if text.startswith(FOLDER):
        if revision is not None:
            raise InputError(f"a folder has no revisions; --revision is for {HUB}OWNER/NAME.")
        folder = text.removeprefix(FOLDER).removeprefix("//")
        if not folder:
            raise InputError("file: is followed by a folder, as in file:shared/films.")
        return FolderPlace(folder)
    name, at, written = text.removeprefix(HUB).partition("@")
    chosen = written if at else revision
    if not text.startswith(HUB) or not is_hub_name(name):
        raise InputError(f"'{text}' is no place to share at; write {HUB}OWNER/NAME, or file:FOLDER.")
    if at and revision not in (None, written):
        raise InputError(f"{text} and --revision {revision} name two revisions; give one of them.")
    if chosen is not None and not _REVISION.fullmatch(chosen):
        raise InputError(f"'{chosen}' is no revision; write a branch, a tag or a commit, such as main.")
    return HubPlace(name, chosen)
