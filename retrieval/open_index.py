"""Any index folder, opened as the retriever it was built for."""

import os
from collections.abc import Callable

from ..errors import unknown
from .bm25 import BM25
from .dense import Dense
from .hybrid import Hybrid
from .index_folder import read_manifest
from .retriever import Index

_KINDS: dict[str, Callable[[str | os.PathLike[str]], Index]] = {
    "bm25": BM25.load,
    "dense": Dense.load,
    "hybrid": Hybrid.load,
}


def open_index(folder: str | os.PathLike[str]) -> Index:
    """The retriever in an index folder.

    Examples:
        >>> import tempfile
        >>> from multihop.retrieval import BM25, Passage, open_index
        >>> folder = tempfile.mkdtemp()
        >>> _ = BM25.build([Passage("p1", "Po", "A river in Italy.")], folder=folder)
        >>> open_index(folder).search(["Italian rivers"], k=1)[0][0].passage.id
        'p1'
    """
    kind = read_manifest(folder)["kind"]
    if kind not in _KINDS:
        raise unknown(f"kind of index in {folder}:", kind, _KINDS)
    return _KINDS[kind](folder)
