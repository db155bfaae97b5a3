"""The retriever for the address of a server."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...base import unknown
from ...base.lazily import Lazy
from ..retriever import Retriever
from .address import Address

if TYPE_CHECKING:
    from .server_retriever import ServerRetriever

KINDS: Mapping[str, type["ServerRetriever"]] = Lazy(
    __package__,
    {
        "": "remote_retriever:RemoteRetriever",
        "opensearch": "open_search:OpenSearchIndex",
        "elasticsearch": "open_search:OpenSearchIndex",
        "colbert": "remote_colbert:RemoteColBERT",
    },
)
"""The prefixes of addresses, and the retriever for each."""


def open_server(address: str) -> Retriever:
    """The retriever for an address.

    http://HOST:PORT is a server with `/retrieve`, opensearch:https://HOST:9200/INDEX an index of OpenSearch or
    Elasticsearch, and colbert:http://HOST:PORT the server that comes with ColBERTv2. Nothing is sent
    before the first search.

    Raises:
        InputError: It is no address, or a kind of server that nobody knows stands before it.

    Examples:
        >>> from multihop.retrieval.servers.opening import open_server
        >>> open_server("http://localhost:8000")
        RemoteRetriever(http://localhost:8000/retrieve)
    """
    kind = Address.read(address).kind
    if kind not in KINDS:
        raise unknown("kind of server", kind, [*filter(None, KINDS)])
    return KINDS[kind](address)
