"""Retrievers that ask a server."""

from ...base import unknown
from ..retriever import Retriever


def open_server(address: str) -> Retriever:
    """The retriever for an address.

    http://HOST:PORT is a server with `/retrieve`, opensearch:https://HOST:9200/INDEX an index of OpenSearch, and
    colbert:http://HOST:PORT the server that comes with ColBERTv2. Nothing is sent before the first search.

    Raises:
        InputError: It is no address, or a kind of server that is not known stands before it.

    Examples:
        >>> from multihop.retrieval import open_server
        >>> open_server("http://localhost:8000")
        RemoteRetriever(http://localhost:8000/retrieve)
    """
    from .address import Address
    from .open_search import OpenSearchIndex
    from .remote import RemoteColBERT, RemoteRetriever, ServerRetriever

    kinds: dict[str, type[ServerRetriever]] = {
        "": RemoteRetriever,
        "opensearch": OpenSearchIndex,
        "colbert": RemoteColBERT,
    }
    kind = Address.read(address).kind
    if kind not in kinds:
        raise unknown("kind of server", kind, [*filter(None, kinds)])
    return kinds[kind](address)
