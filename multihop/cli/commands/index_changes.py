"""`multihop index add`, `remove` and `update`: an index whose passages come and go."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...base import InputError
from ...base.texts import say_count
from ..data_options import FileOptions, tell_skipped
from ..output import print_line, tell_result
from ..shared_options import AsJSON, Quiet


def add_command(
    index: str, /, *corpora: str, files: FileOptions = FileOptions(), json: AsJSON = False, quiet: Quiet = False
) -> None:
    """Add passages to an index, which is written anew with them.

    For example:

        multihop index add indexes/mine new.jsonl more.csv

    Parameters
    ----------
    index
        The index folder. Who searches it meanwhile finds what was there.
    corpora
        Files of paragraphs, or folders of them, as `multihop index` reads them. An id that is in the index already is
        refused, and nothing is added.
    """
    _change(index, lambda opened: opened.add(_passages(corpora, files)), json)


def remove_command(index: str, /, *ids: str, json: AsJSON = False, quiet: Quiet = False) -> None:
    """Remove passages from an index, which is written anew without them.

    For example:

        multihop index remove indexes/mine p17 p18

    Parameters
    ----------
    index
        The index folder, as for `add`.
    ids
        The ids of the passages; those in a file: `xargs multihop index remove indexes/mine < FILE`.
    """
    if not ids:
        raise InputError("name the ids of passages after the index.")
    _change(index, lambda opened: opened.remove(ids), json)


def update_command(
    index: str, /, *corpora: str, files: FileOptions = FileOptions(), json: AsJSON = False, quiet: Quiet = False
) -> None:
    """Replace the passages of an index that have the ids of new ones.

    For example:

        multihop index update indexes/mine corrected.jsonl

    Parameters
    ----------
    index
        The index folder, as for `add`.
    corpora
        Files of paragraphs, or folders of them, as `multihop index` reads them. An id that is not in the index is
        refused, and nothing is changed.
    """
    _change(index, lambda opened: opened.update(_passages(corpora, files)), json)


def _change(index: str, change: Callable[[Any], Any], as_json: bool) -> None:
    """Open the index, change it, and tell what it is now; one that follows documents would never be told of it."""
    from ...base.errors import hide_login
    from ...retrieval import is_address, open_index
    from ...retrieval.corpus_index import CorpusIndex
    from ...retrieval.following import MEMORY

    if (Path(index) / MEMORY).is_file():
        raise InputError(f"{index} follows a folder of documents: change those, and index the folder again.")
    opened = None if is_address(index) else open_index(index)
    if not isinstance(opened, CorpusIndex):
        place = hide_login(index)
        raise InputError(f"{place} takes no changes: only folders of kind bm25, dense and hybrid do; rebuild it.")
    changed = change(opened)
    now, before, fingerprint = len(changed), len(opened), changed.fingerprint
    told = f"{index} has {say_count(now, 'passage')}, and had {before:,} (fingerprint {fingerprint})"
    value = {"index": index, "passages": now, "before": before, "fingerprint": fingerprint}
    tell_result(as_json, lambda: value, lambda _: print_line(told))


def _passages(corpora: tuple[str, ...], files: FileOptions) -> list[Any]:
    """The passages of some files, one after the other."""
    if not corpora:
        raise InputError("name a file of paragraphs after the index.")
    found = list[Any]()
    for corpus in corpora:
        passages = files.passages(corpus)
        found += passages
        tell_skipped(passages)
    return found
