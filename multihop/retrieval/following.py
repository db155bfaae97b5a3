"""The index of a folder of documents, which follows the folder: only what changed is read and encoded anew."""

import os
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from ..base import InputError, read_small, writing
from ..base.files import FileModel, FiniteJson, parsed
from .corpus_index import CorpusIndex
from .documents import find_documents, no_text, read_documents
from .index_folder import is_index
from .passage import Passage, Progress

MEMORY = "documents.json"
"""The file in an index's folder that remembers the documents that it was made of."""
KINDS = ("bm25", "dense", "hybrid")
"""The kinds of index that can follow."""


class _Memory(FileModel):
    made: dict[str, FiniteJson]
    """The options that the index was made with."""
    index: str
    """The fingerprint of the index: of another one, nothing is remembered."""
    documents: dict[str, Annotated[list[int], Field(min_length=3, max_length=3)]]
    """Of each document its size, the time of its last change, and how many passages it has, in the index's order."""


class Followed(NamedTuple):
    """An index in step with its folder, and the names of documents by what became of them."""

    retriever: CorpusIndex
    added: list[str]
    changed: list[str]
    """Documents whose passages are others now."""
    removed: list[str]
    passed_over: list[str]
    """Documents that could not be read; the index keeps what it had of them."""
    others: list[str]
    """Files that are no documents, and links; they were left out."""


def follow(
    documents: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    kind: Any,
    options: Mapping[str, Any],
    made: Mapping[str, FiniteJson],
    *,
    follow_links: bool = False,
    tell: Callable[[str], object] = str,
    progress: Progress = None,
) -> Followed:
    """Make `folder` the index of a folder of documents, of this kind and with these options.

    It equals one that is built of the folder as it is now, yet where it was made with the same options (`made` has them
    as they are remembered), only files that changed are read, and vectors of texts that were there are taken over.
    `tell` is given a sentence for each document that is passed over; it is tried again the next time.
    """
    found, others = find_documents(documents, follow_links=follow_links)
    stamps, memory = _stamps(found), Path(folder).expanduser() / MEMORY
    index, known = _recall(memory, kind, made)
    places, end = dict[str, range](), 0
    for name, (_, _, count) in known.items():
        places[name], end = range(end, end + count), end + count
    new, passed_over = dict[str, list[Passage]](), list[str]()
    stale = {name: path for name, path in found.items() if stamps[name] != known.get(name, ())[:2]}
    for name, told in read_documents(stale):
        if isinstance(told, str):
            tell(f"passed over: {told}")
            passed_over.append(name)
            stamps[name] = [0, 0]
        else:
            new[name] = told
            if not told:
                tell(no_text(found[name]))

    def held(name: str) -> list[Passage]:
        return [index._passages[at] for at in places.get(name, ())]

    removed = [name for name in known if name not in found]
    changed = [name for name in new if name in known and new[name] != held(name)]
    added = [name for name in new if name not in known]
    if index is None or added or changed or removed:
        passages = (passage for name in found for passage in (new[name] if name in new else held(name)))
        if index is not None:
            index = index.rewrite(passages, progress)
        elif any(new.values()):
            memory.unlink(missing_ok=True)  # it is of the index that is replaced
            index = kind.build(passages, folder=folder, progress=progress, **options)
        else:
            raise InputError(f"the documents of {documents} have no text.")
    counts = {name: len(new[name] if name in new else places.get(name, ())) for name in found}
    states = {name: [*stamps[name], counts[name]] for name in found if stamps[name] != [0, 0] or counts[name]}
    if states != known:
        with writing(memory) as file:
            file.write(_Memory(made=dict(made), index=index.fingerprint, documents=states).model_dump_json())
    return Followed(index, added, changed, removed, passed_over, others)


def following(
    documents: str, kind: Any, made: Mapping[str, FiniteJson], tell: Callable[[str], object] = str
) -> CorpusIndex:
    """The index of a folder of documents, kept on this machine; its `latest()` looks at the folder first."""
    seen: dict[str, list[int]] = {}
    home = Path(documents).expanduser().resolve()
    place = blake2b(f"{home} {sorted(made.items())}".encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = caches / f"multihop/documents/{home.name}-{place}"

    def look() -> Any:
        nonlocal seen
        now = _stamps(find_documents(home)[0])
        done = follow(home, folder, kind, {}, made, tell=tell) if now != seen else None
        seen = now  # what was passed over is tried again once something has changed
        return done and done.retriever

    index: CorpusIndex = look()
    index.follow = look
    return index


def _stamps(found: Mapping[str, Path]) -> dict[str, list[int]]:
    states = {name: path.stat() for name, path in found.items()}
    return {name: [state.st_size, state.st_mtime_ns] for name, state in states.items()}


def _recall(memory: Path, kind: Any, made: Mapping[str, FiniteJson]) -> tuple[Any, dict[str, list[int]]]:
    """The index and the documents that it remembers; None where it was made otherwise, and has to be built anew."""
    if not (is_index(memory.parent) and memory.is_file()):
        return None, {}
    try:
        known = parsed(_Memory, read_small(memory, most=1 << 30), memory, "what an index remembers of documents")
        index = kind.load(memory.parent) if known.made == made else None
    except InputError:  # damaged, or of another version or encoder
        return None, {}
    return index, known.documents if index is not None and index.fingerprint == known.index else {}
