"""An index kept in step with a folder of documents."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import ujson

from ...base import InputError, read_small, writing
from ...base.typed_files import parsed
from ..corpus_index import ChangingIndex
from ..index_folder import is_index
from ..passage import Passage
from .reading import find_documents, read_document

MEMORY = "documents.json"
"""The file in an index's folder that remembers of each document its size, and the time of its last change."""


class Synchronized(NamedTuple):
    """The changes that brought an index into step with its folder."""

    retriever: ChangingIndex
    """The index, as it is now."""
    added: list[str]
    """The names of documents that were not there before."""
    changed: list[str]
    """Those of documents whose passages are others now."""
    removed: list[str]
    """Those of documents that are no longer there."""
    others: list[str]
    """Those of files that are no documents, and were left out."""


def synchronize(
    documents: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    build: Callable[[list[Passage]], ChangingIndex],
    open_: Callable[[], ChangingIndex],
) -> Synchronized:
    """Bring the index in `folder` into step with a folder of documents; only files that changed are read.

    What was read is compared with what the index has, so that a change that was cut short is set right the next time.

    Args:
        documents: The folder of Markdown, text, HTML and PDF files.
        folder: The index's folder.
        build: Builds the index there, of the passages it is given.
        open_: Opens the index that is there.

    Raises:
        InputError: There are no documents, one cannot be read, or the index was not made of such a folder; nothing is
            changed.
    """
    found, others = find_documents(documents)
    memory = Path(folder).expanduser() / MEMORY
    known = _recall(memory) if is_index(folder) else {}
    stamps = {name: _stamp(path) for name, path in found.items()}
    read = {name for name in found if stamps[name] != known.get(name)}
    removed = [name for name in known if name not in found]
    new = {passage.id: passage for name in found if name in read for passage in read_document(name, found[name])}
    changed = set[str]()
    if is_index(folder):
        index = open_()
        stale = read.union(removed)
        old = {passage.id: passage for passage in index if _document(passage.id) in stale}
        out = [id_ for id_, passage in old.items() if new.get(id_) != passage]
        come = [passage for id_, passage in new.items() if old.get(id_) != passage]
        changed = {_document(id_) for id_ in (*out, *(passage.id for passage in come))} & known.keys() & found.keys()
        if out or come:
            _remember(memory, known | {name: [0, 0] for name in read})  # read again, should this be cut short
            index = index.exchange(out, come)
    elif new:
        index = build(list(new.values()))
    else:
        raise InputError(f"the documents of {documents} have no text.")
    if read or removed:
        _remember(memory, stamps)
    return Synchronized(index, [name for name in found if name not in known], sorted(changed), removed, others)


def _document(id_: str) -> str:
    return id_.rpartition("#")[0]


def _stamp(path: Path) -> list[int]:
    state = path.stat()
    return [state.st_size, state.st_mtime_ns]


def _remember(memory: Path, stamps: dict[str, list[int]]) -> None:
    with writing(memory) as file:
        ujson.dump(stamps, file)


def _recall(memory: Path) -> dict[str, list[int]]:
    if not memory.is_file():
        raise InputError(f"{memory.parent} is an index that `sync` has not made; name another with --to, or delete it.")
    what = "what `sync` remembers (delete the index and sync again)"
    return parsed(dict[str, list[int]], read_small(memory, most=1 << 30), memory, what)
