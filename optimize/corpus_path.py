"""The path of a saved program's corpus: written down as seen from the program's file, and found from any folder.

A file and its corpus can so be moved together. Only a corpus that shares no folder with the file but the root of the
disk is written down with its whole path: there, the two do not move together.
"""

import os
import re
from pathlib import Path

from ..base import InputError
from ..data.little.little import is_little

_PATH = re.compile(r"(?:[A-Za-z]:[\\/](?![\\/])|/(?!/)|\.{1,2}/)?[^:\\/][^:]*")
"""A path of this machine: no colon but behind the letter of a drive, and no two slashes at its beginning."""


def stored_corpus(corpus: str | os.PathLike[str], file: str | os.PathLike[str]) -> str | None:
    """The corpus as the file of a saved program names it; None where it is no path: a file holds no address.

    A path begins with `./` or `../` where it is seen from the file's folder; it is whole where the two have no folder
    in common.
    """
    text = os.path.expanduser(os.fspath(corpus))
    if is_little(text):
        return text
    if not (is_stored_corpus(text) and _is_path(text)):
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


def is_stored_corpus(text: str) -> bool:
    """True for the little encyclopedia and for what is written as a path: neither can be an address."""
    return is_little(text) or _PATH.fullmatch(text) is not None


def find_corpus(stored: str, file: str | os.PathLike[str]) -> str:
    """The corpus that the file of a saved program names, from whatever folder it is asked for.

    A path is tried from the file's folder first, then from the working directory.

    Raises:
        InputError: It is not there; the message says where it was looked for.
    """
    if is_little(stored):
        return stored
    folders = [os.path.dirname(os.path.abspath(file)), os.path.dirname(os.path.realpath(file))]
    seen = [os.path.normpath(os.path.join(folder, stored)) for folder in folders]
    places = list(dict.fromkeys([*seen, os.path.abspath(stored)]))
    for place in places:
        if os.path.exists(place):
            return place
    raise InputError(
        f"the corpus that {os.fspath(file)} names, '{stored}', is not there: looked for {' and '.join(places)}; "
        "say where it is with --corpus (in Python, corpus=...)."
    )


def _is_path(text: str) -> bool:
    """True if this names a file or folder; a bare word does only where there is one of that name."""
    return os.path.basename(text) != text or bool(Path(text).suffix) or os.path.exists(text)
