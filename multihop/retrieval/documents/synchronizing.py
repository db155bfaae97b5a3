"""An index kept in step with a folder of documents."""

import os
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import ujson

from ...base import DamagedFileError, InputError, read_small, writing
from ..changing_index import ChangingIndex
from ..index_folder import MEMORY, find_home, is_index
from ..passage import Passage
from .folder import find_documents, read_document

FORMAT = 1


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


class _Remembered(NamedTuple):
    """A document as it was when it was last read."""

    stamp: list[int]
    """Its size and the time of its last change."""
    ids: list[str]
    """The ids of its passages."""


def synchronize(
    documents: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    build: Callable[[list[Passage]], ChangingIndex],
    open_: Callable[[], ChangingIndex],
) -> Synchronized:
    """Bring the index in `folder` into step with a folder of documents; only files that changed are read.

    A document's title and its headings are the titles of its passages. The index's folder remembers of each document
    what was read, which changes in one step with the index.

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
    home = Path(folder).expanduser()
    stamps = {name: _stamp(path) for name, path in found.items()}
    if not is_index(home):
        passages = {name: read_document(name, path) for name, path in found.items()}
        index = build(_some(chain.from_iterable(passages.values()), documents))
        _remember(home, _told({name: _Remembered(stamps[name], _ids(each)) for name, each in passages.items()}))
        return Synchronized(index, list(found), [], [], others)
    known, index = _recall(home), open_()
    read = {
        name: read_document(name, path)
        for name, path in found.items()
        if name not in known or known[name].stamp != stamps[name]
    }
    removed = [name for name in known if name not in found]
    new = {passage.id: passage for each in read.values() for passage in each}
    old = {id_ for name in (*read, *removed) if name in known for id_ in known[name].ids} | new.keys()
    present = index.get(sorted(old))
    out = [id_ for id_, passage in present.items() if new.get(id_) != passage]
    come = [passage for id_, passage in new.items() if present.get(id_) != passage]
    kept = {name: each for name, each in known.items() if name in found}
    memory = _told(kept | {name: _Remembered(stamps[name], _ids(each)) for name, each in read.items()})
    if out or come:
        index = index.exchange(out, come, memory=memory)
    elif read or removed:
        _remember(home, memory)
    touched = {name for name, each in read.items() if name in known and _differ(each, known[name], out, come)}
    return Synchronized(index, [name for name in read if name not in known], sorted(touched), removed, others)


def _differ(passages: list[Passage], before: _Remembered, out: list[str], come: list[Passage]) -> bool:
    """True if a document's passages are not those that the index had."""
    own = {*before.ids, *_ids(passages)}
    return not own.isdisjoint(out) or not own.isdisjoint(_ids(come))


def _some(passages: Any, documents: str | os.PathLike[str]) -> list[Passage]:
    listed = list(passages)
    if not listed:
        raise InputError(f"the documents of {documents} have no text.")
    return listed


def _ids(passages: list[Passage]) -> list[str]:
    return [passage.id for passage in passages]


def _stamp(path: Path) -> list[int]:
    state = path.stat()
    return [state.st_size, state.st_mtime_ns]


def _told(documents: Mapping[str, _Remembered]) -> str:
    return ujson.dumps({"format": FORMAT, "documents": {name: list(each) for name, each in documents.items()}})


def _remember(folder: Path, memory: str) -> None:
    with writing(find_home(folder) / MEMORY) as file:
        file.write(memory)


def _recall(folder: Path) -> dict[str, _Remembered]:
    path = find_home(folder) / MEMORY
    if not path.is_file():
        raise InputError(f"{folder} is an index that `sync` has not made; name another with --to, or delete it.")
    try:
        content = ujson.loads(read_small(path, most=1 << 30))
        if content["format"] != FORMAT:
            raise ValueError
        return {name: _Remembered(*map(list, each)) for name, each in content["documents"].items()}
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise DamagedFileError(f"{path} is damaged; delete the index and sync again.") from error
