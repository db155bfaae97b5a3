"""Passages, hits, and everything that finds them."""

from .bm25 import BM25
from .dense import Dense
from .finder import find
from .fusion import fused
from .hybrid import Hybrid
from .index_folder import is_index
from .open_index import open_index
from .passage import Hit, Passage
from .retriever import Index, Retriever, fingerprint

__all__ = [
    "BM25",
    "Dense",
    "Hit",
    "Hybrid",
    "Index",
    "Passage",
    "Retriever",
    "find",
    "fingerprint",
    "fused",
    "is_index",
    "open_index",
]
