"""An index of OpenSearch, filled and searched by its official client (the extra `[opensearch]`)."""

import logging
import math
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import chain
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit

from pydantic import ValidationError

from ..base import InputError, MismatchError, RunFailed, needing_extra
from ..base.files import FileModel
from .bm25 import K1, B
from .corpus_index import CorpusCheck
from .index_folder import index_fingerprint
from .passage import Passage, Progress
from .remote import BUSY, Address, ServerRetriever

_OURS = "multihop"
"""The name in the `_meta` of an index's mapping under which it describes itself."""
_WORDS = "contents"
"""The field of an index of ours that is searched."""
_BLOCK = 500
"""Passages in one request."""
_BULK_BYTES = 20 << 20


class _About(FileModel):
    """The description that an index of ours has in its mapping: all that decides what it finds."""

    layout: Literal[3] = 3
    corpus: str
    titles: bool
    k1: K1
    b: B


class OpenSearchIndex(ServerRetriever):
    """A retriever that asks OpenSearch for what it ranks by BM25.

    An index that `build_open_search` has made is searched by the words of title and text together, as the server's
    analyzer for English has them. Any other index is searched in the two fields that hold the title and the text:
    "title" and "text", or those that the address names, as in opensearch:https://HOST:9200/INDEX?title=heading&text=body.
    """

    def __init__(self, address: str, **connection: Any) -> None:
        """Nothing is sent yet; the address names an index, and the other arguments are `ServerRetriever`'s."""
        super().__init__(address, **connection)
        self._name = _index_name(self.address)
        fields = {"title": "title", "text": "text", **dict(parse_qsl(self.address.query))}
        if len(fields) > 2:
            raise InputError(f"{self.address}?{[*fields][2]}=...: only the fields title= and text= can be named there.")
        self._fields = list(fields.values())

    def _connect(self) -> Any:
        """The official client, with the login of the address, or else the environment's."""
        logging.getLogger("opensearch").addHandler(logging.NullHandler())  # failures are told once, as an error
        login = self.address.login
        if login is None and os.environ.get("OPENSEARCH_USERNAME"):
            login = os.environ["OPENSEARCH_USERNAME"], os.environ.get("OPENSEARCH_PASSWORD", "")
        place = urlsplit(self.address.url)
        secure = place.scheme == "https"
        return _library().OpenSearch(
            hosts=[{"host": place.hostname, "port": place.port or (443 if secure else 80)}],
            use_ssl=secure,
            http_auth=login,
            headers=self._headers,
            timeout=self._timeout,
            max_retries=self._attempts - 1,
            retry_on_status=tuple(BUSY),
            retry_on_timeout=True,
        )

    @cached_property
    def _about(self) -> _About | None:
        """The description of an index of ours, asked for once; None for any other index."""
        with _in_one_sentence(self.address):
            mappings = self._client.indices.get_mapping(index=self._name)
            described = [_described(mapping) for mapping in mappings.values()]
        if None in described or len(described) != 1:  # of others, or several behind one name
            return None
        try:
            return _About.model_validate(described[0])
        except ValidationError:
            problem = f"the index at {self.address} was not built by this version of multihop; build it again."
            raise MismatchError(problem) from None

    def _identify(self) -> str:
        return index_fingerprint("opensearch", self._about.model_dump()) if self._about else ""

    def _rank(self, queries: Sequence[str], k: int) -> Any:
        ours = self._about is not None
        title, text = ("title", "text") if ours else self._fields
        body: list[Any] = []
        for query in queries:
            any_of_both = {"multi_match": {"query": query, "fields": [title, text], "type": "most_fields"}}
            asked = {"match": {_WORDS: {"query": query}}} if ours else any_of_both
            body += [{}, {"size": k, "query": asked, "_source": [title, text]}]
        with _in_one_sentence(self.address):
            # Words count by the statistics of all shards, so that rankings do not depend on how the index is spread.
            answer = self._client.msearch(body=body, index=self._name, search_type="dfs_query_then_fetch")
            return [_hits(self.address, search, title, text) for search in answer["responses"]]


def build_open_search(
    passages: Iterable[Passage],
    address: str,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    titles: bool = True,
    shards: int = 1,
    progress: Progress = None,
    **connection: Any,
) -> OpenSearchIndex:
    """The index at an address such as opensearch:https://localhost:9200/wiki, filled with the passages.

    A new index is filled under a name of its own; then the name in the address leads to it, and the one that it led to
    before is deleted, both at once. So searches find the old passages or the new ones, also where this is interrupted.
    The server spreads it over so many shards; `connection` is what `ServerRetriever` takes, and the other options are
    those of `BM25.build`.
    """
    if not (math.isfinite(k1) and k1 >= 0 and 0 <= b <= 1 and shards >= 1):
        raise InputError(f"k1 is at least 0, b between 0 and 1, and shards at least 1, not {k1}, {b} and {shards}.")
    index = OpenSearchIndex(address, **{"timeout": 60.0, **connection})
    about = _About(corpus="", titles=titles, k1=k1, b=b)
    corpus = CorpusCheck()
    blocks = corpus.blocks(passages, _BLOCK)
    blocks = chain([next(blocks)], blocks)  # an empty corpus is refused before anything is changed
    client, fresh = index._client, f"{index._name}-{secrets.token_hex(4)}"
    with _in_one_sentence(index.address):
        old = _indexes_of_ours(client, index._name, index.address)
        try:
            client.indices.create(index=fresh, body=_layout(about, shards))
            _send(client, index.address, fresh, _actions(fresh, blocks, progress))
            count = client.count(index=fresh)["count"]
            if count != corpus.seen:
                raise InputError(f"{index.address} took {count} of {corpus.seen} passages: ids must be unique.")
            described = about.model_copy(update={"corpus": corpus.fingerprint})
            client.indices.put_mapping(index=fresh, body={"_meta": {_OURS: described.model_dump()}})
            deleted = [{"remove_index": {"index": each}} for each in old]
            client.indices.update_aliases(body={"actions": [*deleted, {"add": {"index": fresh, "alias": index._name}}]})
        except BaseException:
            with suppress(Exception):
                client.indices.delete(index=fresh, ignore_unavailable=True)
            raise
    return index


def _send(client: Any, place: Address, index: str, actions: Iterator[dict[str, Any]]) -> None:
    """Send passages in bulk to an index; what finds no room is sent again, after a pause that grows."""
    sent = _library().helpers.streaming_bulk(
        client, actions, _BLOCK, _BULK_BYTES, max_retries=5, raise_on_error=False, yield_ok=False
    )
    for _, refused in sent:
        answer = refused["index"]
        raise RunFailed(f"{place}: passage '{answer['_id']:.40}': {_reason(answer)}.")
    client.indices.refresh(index=index)


def _index_name(address: Address) -> str:
    name = address.path.removeprefix("/")
    if not name or "/" in name:
        raise InputError(f"{address} names no index; write it like opensearch:https://localhost:9200/INDEX.")
    return name


def _library() -> Any:
    with needing_extra("an index of OpenSearch", "opensearch"):
        import opensearchpy
    return opensearchpy


def _described(mapping: Any) -> Any:
    """The description in an index's mapping; None where it is none of ours."""
    return mapping["mappings"].get("_meta", {}).get(_OURS)


def _indexes_of_ours(client: Any, name: str, place: Address) -> list[str]:
    """The indexes that a name leads to: none, or one of ours, under its own name or as an alias."""
    found = client.indices.get_mapping(index=name) if client.indices.exists(index=name) else {}
    if any(_described(mapping) is None for mapping in found.values()):
        raise MismatchError(f"{place} is there and was not made by multihop; choose another name for the index.")
    return list(found)


def _layout(about: _About, shards: int) -> dict[str, Any]:
    """A new index, in which titles and texts are searched as one."""
    kept: dict[str, Any] = {"type": "text", "index": False}
    searched = {**kept, "copy_to": _WORDS}
    similarity = {"type": "BM25", "k1": about.k1, "b": about.b}
    settings = {"number_of_shards": shards, "similarity": {"default": similarity}}
    properties = {
        "title": searched if about.titles else kept,
        "text": searched,
        _WORDS: {"type": "text", "analyzer": "english"},
    }
    return {"settings": {"index": settings}, "mappings": {"dynamic": False, "properties": properties}}


def _actions(index: str, blocks: Iterable[list[Passage]], progress: Progress) -> Iterator[dict[str, Any]]:
    """Actions that keep each passage under its id."""
    seen = 0
    for block in blocks:
        for passage in block:
            source = {"title": passage.title, "text": passage.text}
            yield {"_index": index, "_id": passage.id, "_source": source}
        seen += len(block)
        if progress:
            progress(seen)


def _hits(place: Address, search: Any, title: str, text: str) -> list[dict[str, Any]]:
    """The hits of one search as records; RunFailed where a part of the index was left out."""
    try:
        if "error" in search:
            raise RunFailed(f"{place} refused a search: {_reason(search)}.")
        if search["timed_out"] or search["_shards"]["failed"]:
            raise RunFailed(f"{place} searched only a part of the index; ask again.")
        found = [(hit["_id"], hit["_score"], hit["_source"]) for hit in search["hits"]["hits"]]
        return [{"id": id_, "score": score, "title": of.get(title) or "", "text": of[text]} for id_, score, of in found]
    except (LookupError, TypeError, AttributeError):
        problem = (
            f"answered a search without hits that have the fields {title} and {text}; name its own, as in ?text=body"
        )
        raise RunFailed(f"{place} {problem}.") from None


@contextmanager
def _in_one_sentence(place: Address) -> Iterator[None]:
    """Failures of the client in the block, as `RunFailed` with one sentence that names the server."""
    library = _library()
    try:
        yield
    except library.ConnectionError as error:
        reason = str(error.info).partition(": ")[2] or error.info
        raise RunFailed(f"{place} cannot be reached ({reason}); is the server running there?") from None
    except library.TransportError as error:
        raise RunFailed(f"{place} answered {error.status_code}: {_reason(error.info or error.error)}.") from None
    except library.OpenSearchException as error:
        raise RunFailed(f"{place}: {_reason(str(error))}.") from None
    except (LookupError, TypeError, AttributeError) as error:
        raise RunFailed(f"{place} answered what OpenSearch never does; is it OpenSearch?") from error


def _reason(answer: Any) -> str:
    """The reason in an answer of the server that is an error, on one line."""
    error = answer.get("error", answer) if isinstance(answer, Mapping) else answer
    causes = error.get("root_cause") if isinstance(error, Mapping) else None
    error = causes[0] if isinstance(causes, list) and causes else error
    reason = error.get("reason", error) if isinstance(error, Mapping) else error
    return " ".join(str(reason or "").split())[:200].rstrip(".")
