"""Passages, hits, and everything that finds them."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .adapter import as_retriever as as_retriever
    from .bm25 import BM25 as BM25
    from .colbert.colbert_index import ColBERT as ColBERT
    from .colbert.reranked import Reranked as Reranked
    from .dense import Dense as Dense
    from .finder import find as find
    from .fusion import fuse as fuse
    from .hybrid import Hybrid as Hybrid
    from .index_folder import delete_index as delete_index
    from .index_folder import is_index as is_index
    from .opening import open_index as open_index
    from .passage import Hit as Hit
    from .passage import Passage as Passage
    from .retriever import Index as Index
    from .retriever import Retriever as Retriever
    from .retriever import RetrieverLike as RetrieverLike
    from .retriever import fingerprint as fingerprint
    from .servers.address import is_address as is_address
    from .servers.milvus import Milvus as Milvus
    from .servers.open_search import OpenSearchIndex as OpenSearchIndex
    from .servers.opening import open_server as open_server
    from .servers.remote_colbert import RemoteColBERT as RemoteColBERT
    from .servers.remote_retriever import RemoteRetriever as RemoteRetriever
    from .sharded.index import Sharded as Sharded
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "adapter": "as_retriever",
            "bm25": "BM25",
            "colbert.colbert_index": "ColBERT",
            "colbert.reranked": "Reranked",
            "dense": "Dense",
            "finder": "find",
            "fusion": "fuse",
            "hybrid": "Hybrid",
            "index_folder": "delete_index is_index",
            "opening": "open_index",
            "passage": "Hit Passage",
            "retriever": "Index Retriever RetrieverLike fingerprint",
            "servers.address": "is_address",
            "servers.milvus": "Milvus",
            "servers.open_search": "OpenSearchIndex",
            "servers.opening": "open_server",
            "servers.remote_colbert": "RemoteColBERT",
            "servers.remote_retriever": "RemoteRetriever",
            "sharded.index": "Sharded",
        },
    )
