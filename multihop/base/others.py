"""Tells whether other users of this machine could have put something into a folder."""

import os
import stat
from pathlib import Path


def others_can_write(folder: str | os.PathLike[str]) -> bool:
    """True if another user can write into the folder, or put another one in its place; root is no other user.

    A group counts as the user's own if it has the user's number, as most Linux systems make one for each.

    Examples:
        >>> import os, tempfile
        >>> from multihop.base.others import others_can_write
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     before = others_can_write(folder)
        ...     os.chmod(folder, 0o777)
        ...     before, others_can_write(folder)
        (False, True)
    """
    if not hasattr(os, "getuid"):
        return False  # Windows has no such numbers
    place = Path(folder).resolve()
    inside = [place, *(path for path in place.iterdir() if path.is_dir())] if place.is_dir() else [place]
    if any(_is_open(os.lstat(path)) for path in inside if path.exists()):
        return True
    states = (os.lstat(parent) for parent in place.parents if parent.exists())
    return any(_is_open(state) and not state.st_mode & stat.S_ISVTX for state in states)


def _is_open(state: os.stat_result) -> bool:
    user = os.getuid()
    foreign = state.st_uid not in (user, 0)
    by_group = bool(state.st_mode & stat.S_IWGRP) and state.st_gid not in (user, 0)
    return foreign or by_group or bool(state.st_mode & stat.S_IWOTH)
