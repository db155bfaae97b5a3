"""Passages, hits, and everything that finds them."""

from .adapter import as_retriever
from .bm25 import BM25
from .dense import Dense
from .finder import find
from .fusion import fuse
from .hybrid import Hybrid
from .index_folder import is_index
from .opening import open_index
from .passage import Hit, Passage
from .retriever import Index, Retriever, RetrieverLike, fingerprint

__all__ = [
    "BM25",
    "Dense",
    "Hit",
    "Hybrid",
    "Index",
    "Passage",
    "Retriever",
    "RetrieverLike",
    "as_retriever",
    "find",
    "fingerprint",
    "fuse",
    "is_index",
    "open_index",
]
