"""A saved program given to others, with a card that says what it is and what it was measured to do."""

import hashlib
import os
from typing import NamedTuple

from ...base import InputError, read_small
from ..places.opening import open_place
from ..places.place import CARD, PROGRAM, Contents
from .card import card
from .measured import measured_run
from .shareable import shareable


class Pushed(NamedTuple):
    """What was pushed, and where."""

    place: str
    """The place, as `pull` and `load` take it."""
    at: str
    """The page of the commit, or the folder."""
    sha256: str
    """The digest of the file that was pushed, by which others can pin it."""
    left_out: dict[str, str]
    """Paths of this machine, and the address of a corpus, by the place in the file that named them."""


def push(
    path: str | os.PathLike[str],
    place: str,
    *,
    run: str | os.PathLike[str] | None = None,
    public: bool = False,
    revision: str | None = None,
    licence: str | None = None,
    replace: bool = False,
) -> Pushed:
    """Share the program that `save` wrote, with a card: its file and its README.md, and nothing else.

    The file has no key, no address and no path of this machine: of its corpus, only a name that everybody has it by
    stays. A key in a prompt or a demonstration is refused.

    Args:
        path: The program's file.
        place: "hf://OWNER/NAME" on the Hugging Face hub, with the token of `hf auth login` or HF_TOKEN, or
            "file:FOLDER" for a folder laid out like a repository there.
        run: The folder of a finished run of the program, whose figures go on the card.
        public: True if everybody may read what is pushed; a repository is private otherwise.
        revision: A branch of the repository, which is made if it is not there.
        licence: The licence, by its short name on the hub, such as "apache-2.0" or "cc-by-sa-4.0".
        replace: True to put it in the place of a program, or a README.md, that is there.

    Raises:
        InputError: The file is no saved program or holds a key, the run is of another program, something is there
            already, the place is public and `public` is not, or it takes nothing; nothing is changed then.

    Examples:
        >>> import pathlib, tempfile
        >>> import multihop
        >>> home = pathlib.Path(tempfile.mkdtemp())
        >>> multihop.save(multihop.Direct(retries=1), home / "direct.json")
        >>> pushed = multihop.push(home / "direct.json", f"file:{home}/shared", licence="cc0-1.0")
        >>> sorted(file.name for file in (home / "shared").iterdir())
        ['README.md', 'program.json']
        >>> multihop.load(f"file:{home}/shared", sha256=pushed.sha256).settings["retries"]
        1
    """
    name, target = os.fspath(path), open_place(place, revision)
    try:
        given = read_small(path)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}.") from None
    shared = shareable(name, given)
    measured = None if run is None else measured_run(run, shared.saved)
    text = card(target, shared, measured, licence.lower() if licence else None)
    found = target.look()
    _check_free(target.address, found, public=public, replace=replace)
    files = {CARD: text.encode(), PROGRAM: shared.file}
    at = target.write(files, public=public, found=found, message=f"{shared.saved.ours['program']}, saved by multihop")
    return Pushed(target.address, at, hashlib.sha256(shared.file).hexdigest(), shared.left_out)


def _check_free(address: str, found: Contents | None, *, public: bool, replace: bool) -> None:
    """Refuse to replace unasked what is there, and to show to everybody what was to be private."""
    if found is None:
        return
    if there := [name for name in (PROGRAM, CARD) if name in found.files and not replace]:
        raise InputError(
            f"{address} holds a {there[0]} already, and was left as it is; to put this one in its place, give "
            "--replace (replace=True)."
        )
    if found.public and not public:
        raise InputError(
            f"everybody may read {address}; to push there all the same, give --public (public=True), else choose "
            "another place."
        )
    if public and found.public is False:
        raise InputError(
            f"{address} is private, and a push does not change that; push without --public, and change its settings on "
            "the hub."
        )
