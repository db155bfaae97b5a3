"""A shared program brought to this machine: checked first, then written whole."""

import hashlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from ...base import InputError, writing
from ..places.opening import open_place
from ..places.place import CARD, PROGRAM
from ..saved_program import SavedProgram

_OF_GIT = ".gitattributes"


class Pulled(NamedTuple):
    """What was pulled, and what was left where it is."""

    path: Path
    """The file that was written."""
    sha256: str
    """Its digest."""
    not_taken: tuple[str, ...]
    """Other files of the place; none of them was fetched."""


def pull(
    place: str,
    to: str | os.PathLike[str] | None = None,
    *,
    revision: str | None = None,
    sha256: str | Collection[str] | None = None,
    replace: bool = False,
) -> Pulled:
    """Fetch a shared program, and write it to a file if it is whole and one of ours.

    One file is fetched, of at most 50 MB; its size and its checksum must be the hub's. It is data: nothing in it is
    run, and nothing that it names is contacted.

    Args:
        place: "hf://OWNER/NAME" on the Hugging Face hub, or "file:FOLDER".
        to: The file to write; by default NAME.json in the working directory.
        revision: A branch, a tag or a commit; by default the main branch.
        sha256: The digest that the file must have, as `push` and `sha256sum` print it, or several of which it must have
            one.
        replace: True to put it in the place of a file that is there.

    Raises:
        InputError: There is no such place, or it is not shown to you; it holds no saved program, or one of another
            format, a damaged one, or another one than was pinned; the file is there already. Nothing is written then.

    Examples:
        >>> import pathlib, tempfile
        >>> import multihop
        >>> home = pathlib.Path(tempfile.mkdtemp())
        >>> multihop.save(multihop.Direct(retries=1), home / "direct.json")
        >>> _ = multihop.push(home / "direct.json", f"file:{home}/shared")
        >>> multihop.pull(f"file:{home}/shared", home / "pulled.json").path.name
        'pulled.json'
    """
    source = open_place(place, revision)
    target = Path(to).expanduser() if to is not None else Path(f"{source.title}.json")
    _check_free(target, replace)
    found = source.look()
    content = source.read(PROGRAM)
    SavedProgram.of(source.address, content, sha256=sha256)
    _check_free(target, replace)  # it may have been made while the other came
    with writing(target, "wb") as file:
        file.write(content)
    others = sorted(set() if found is None else found.files.keys() - {PROGRAM, CARD, _OF_GIT})
    return Pulled(target, hashlib.sha256(content).hexdigest(), tuple(others))


def _check_free(target: Path, replace: bool) -> None:
    if os.path.lexists(target) and not replace:
        raise InputError(
            f"{target} is there already, and was left as it is; choose another file with --to, or give --replace "
            "(replace=True)."
        )
