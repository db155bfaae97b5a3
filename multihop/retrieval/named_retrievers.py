"""Retrievers by name, and index folders opened: ours, those of installed packages, and one's own."""

import inspect
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..base import InputError, unknown, writing_folder
from ..base.imports import Kind, Lazy, find_by_name, is_reference
from .corpus_index import CorpusIndex
from .index_folder import MANIFEST, is_index, read_manifest, seal
from .passage import Passage
from .remote import Address, RemoteRetriever
from .retriever import Retriever, as_retriever

KIND = Kind("retriever", "multihop.retrievers", "MODULE:CLASS")
RETRIEVERS: Mapping[str, Any] = Lazy(
    __package__,
    {
        "bm25": "bm25:BM25",
        "colbert": "colbert_index:ColBERT",
        "dense": "dense:Dense",
        "hybrid": "hybrid:Hybrid",
    },
)
"""All retrievers of this library by the name that the command line and index folders use."""


def retriever_named(name: str) -> Any:
    """The maker of a retriever, or the retriever itself: of this library, of an installed package, or MODULE:CLASS."""
    return find_by_name(KIND, name, RETRIEVERS)


def needs_corpus(maker: Any) -> bool:
    """True if it is made from passages: it has a `build`, as the retrievers of this library have."""
    return hasattr(maker, "build")


def make_retriever(maker: Any, passages: Iterable[Passage], folder: str | os.PathLike[str] | None = None) -> Retriever:
    """The retriever that `retriever_named` found, ready to search.

    A class with `build(passages)` is built of the passages, or, where `folder` holds an index, opened by its
    `load(folder)`. Any other class, and a function that takes nothing, is called. Anything else is what searches.
    """
    if needs_corpus(maker):
        opens = folder is not None and is_index(folder) and hasattr(maker, "load")
        return as_retriever(maker.load(folder) if opens else maker.build(passages))
    makes_one = isinstance(maker, type) or (inspect.isfunction(maker) and not inspect.signature(maker).parameters)
    return as_retriever(maker() if makes_one else maker)


def build_index(name: str, maker: Any, passages: Iterable[Passage], folder: str | os.PathLike[str]) -> Retriever:
    """An index folder made by a retriever that is not of this library, and what it opens as.

    The folder says which retriever made it, so that `open_index` can find it again, or say whose it is.
    """
    if not (hasattr(maker, "build") and hasattr(maker, "load")):
        raise InputError(
            f"the retriever '{name}' makes no index: it needs `build(passages, folder=...)` and `load(folder)`, "
            "both to be called on the class; name it where you ask instead, with --retriever."
        )
    with writing_folder(folder, marker=MANIFEST) as scratch:
        maker.build(passages, folder=scratch)
        if not is_index(scratch):
            seal(scratch, {"kind": name, "format": 1})
    return as_retriever(maker.load(folder))


def open_index(folder: str | os.PathLike[str]) -> CorpusIndex:
    """The retriever in an index folder.

    Examples:
        >>> import tempfile
        >>> from multihop.retrieval import BM25, Passage, open_index
        >>> folder = tempfile.mkdtemp()
        >>> _ = BM25.build([Passage("p1", "Po", "A river in Italy.")], folder=folder)
        >>> open_index(folder).search(["Italian rivers"], k=1)[0][0].passage.id
        'p1'
    """
    folder = os.path.expanduser(folder)
    kind = read_manifest(folder).kind
    if is_reference(kind):
        raise InputError(
            f"{os.fspath(folder)} was made by {kind}, a class of one's own, which is never imported unasked: name it "
            f"with --retriever {kind} (in Python, open the folder with its `load`)."
        )
    opened: CorpusIndex = find_by_name(KIND, kind, RETRIEVERS).load(folder)
    return opened


def open_server(address: str) -> Retriever:
    """The retriever for an address.

    http://HOST:PORT is a server with `/retrieve`, and opensearch:https://HOST:9200/INDEX an index of OpenSearch.
    Nothing is sent before the first search.

    Examples:
        >>> from multihop.retrieval import open_server
        >>> open_server("http://localhost:8000")
        RemoteRetriever(http://localhost:8000/retrieve)
    """
    kind = Address.read(address).kind
    if kind == "opensearch":
        from .open_search import OpenSearchIndex

        return OpenSearchIndex(address)
    if kind:
        raise unknown("kind of server", kind, ["opensearch"])
    return RemoteRetriever(address)
