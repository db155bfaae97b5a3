"""Passages, hits, and everything that finds them."""

from .adapter import as_retriever
from .bm25 import BM25
from .colbert.colbert_index import ColBERT
from .colbert.reranked import Reranked
from .dense import Dense
from .finder import find
from .fusion import fuse
from .hybrid import Hybrid
from .index_folder import delete_index, is_index
from .opening import open_index
from .passage import Hit, Passage
from .retriever import Index, Retriever, RetrieverLike, fingerprint
from .servers.address import is_address
from .servers.milvus import Milvus
from .servers.open_search import OpenSearchIndex
from .servers.opening import open_server
from .servers.remote_colbert import RemoteColBERT
from .servers.remote_retriever import RemoteRetriever
from .sharded.index import Sharded

__all__ = [
    "BM25",
    "ColBERT",
    "Dense",
    "Hit",
    "Hybrid",
    "Index",
    "Milvus",
    "OpenSearchIndex",
    "Passage",
    "RemoteColBERT",
    "RemoteRetriever",
    "Reranked",
    "Retriever",
    "RetrieverLike",
    "Sharded",
    "as_retriever",
    "delete_index",
    "find",
    "fingerprint",
    "fuse",
    "is_address",
    "is_index",
    "open_index",
    "open_server",
]
