"""An index of OpenSearch or Elasticsearch as a retriever."""

from collections.abc import Mapping, Sequence
from typing import Any

import ujson

from ...base import InputError, MismatchError, RunFailed
from ..index_folder import index_fingerprint
from .address import Address
from .connection import json_answer
from .open_search_layout import DESCRIBED, PLACE, SEARCHED, described, index_address
from .server_retriever import ServerRetriever

KIND = "opensearch"


class OpenSearchIndex(ServerRetriever):
    """A retriever that asks OpenSearch or Elasticsearch, by its own BM25 with the statistics of all shards.

    An index that `build_open_search` has made splits texts into the terms that `BM25` has and ranks equal scores in the
    order of the corpus; scores differ from `BM25`'s in that Lucene rounds the lengths of passages. Any other index is
    searched in the two fields that hold the title and the text: "title" and "text", or those that the address names, as
    in opensearch:https://HOST:9200/INDEX?title=heading&text=body.

    Examples:
        >>> from multihop.retrieval import open_server
        >>> open_server("opensearch:https://localhost:9200/wiki")
        OpenSearchIndex(https://localhost:9200/wiki)
    """

    def __init__(self, address: str, **connection: Any) -> None:
        """Nothing is sent yet; the arguments are `ServerRetriever`'s.

        Raises:
            InputError: The address names no index.
        """
        super().__init__(address, **connection)
        unknown = self.address.options.keys() - {"title", "text"}
        if unknown:
            raise InputError(
                f"{self.address}?{unknown.pop()}=...: only the fields title= and text= can be named there."
            )
        self._title, self._text = (self.address.options.get(name, name) for name in ("title", "text"))
        self._about: dict[str, Any] | None = None

    def _place(self, address: Address) -> Address:
        return index_address(address)

    async def _prepare(self, client: Any) -> None:
        """Ask once whether the index is one of ours."""
        if self._about is None:
            place = self.address.at(f"{self.address.path}/_mapping")
            mapping = await self._connection.ask(client, "GET", place)
            about = described(mapping)
            if about.get("whole") is False:
                raise MismatchError(f"the index at {self.address} was not built to its end; build it again.")
            if "changes" in about:
                raise MismatchError(
                    f"the index at {self.address} was changed by an earlier version of multihop; build it again."
                )
            self._about = about
            if about:  # its fields have these names, whatever the address says
                self._title, self._text = "title", "text"

    async def _identify(self, client: Any) -> str:
        await self._prepare(client)
        return index_fingerprint(KIND, {name: self._about[name] for name in DESCRIBED}) if self._about else ""

    async def _rank(self, client: Any, queries: Sequence[str], k: int) -> Any:
        place = self.address.at(f"{self.address.path}/_msearch")._replace(query="search_type=dfs_query_then_fetch")
        lines = "".join(f"{{}}\n{ujson.dumps(self._search_for(query, k))}\n" for query in queries)
        response = await self._connection.send(client, "POST", place, lines=lines.encode())
        answer = json_answer(response, place)
        searches = answer.get("responses") if isinstance(answer, dict) else None
        if not isinstance(searches, list):
            raise RunFailed(f"{place} answered without 'responses'; is it OpenSearch or Elasticsearch?")
        return [[self._passage(hit) for hit in _whole(search, place)] for search in searches]

    def _search_for(self, query: str, k: int) -> dict[str, Any]:
        fields = [self._title, self._text]
        if self._about:
            asked: dict[str, Any] = {"match": {SEARCHED: {"query": query}}}
            order: list[Any] = ["_score", {PLACE: "asc"}]
            fields.append("id")
        else:
            asked = {"multi_match": {"query": query, "fields": fields, "type": "most_fields"}}
            order = ["_score"]
        return {"size": k, "query": asked, "sort": order, "track_scores": True, "_source": fields}

    def _passage(self, hit: Any) -> Any:
        """The hit as a record with a text; what is none is left for whoever reads it to refuse."""
        if not isinstance(hit, Mapping) or not isinstance(hit.get("_source"), Mapping):
            return hit
        source = hit["_source"]
        return {
            "id": source.get("id", hit.get("_id")),
            "title": source.get(self._title) or "",
            "text": source.get(self._text),
            "score": hit.get("_score"),
        }


def _whole(search: Any, place: Address) -> list[Any]:
    """The hits of one search, if no part of the index was left out."""
    if not isinstance(search, dict):
        raise RunFailed(f"{place} answered {search!r:.60} to a search.")
    error = search.get("error")
    if error:
        causes = error.get("root_cause") if isinstance(error, dict) else None
        cause = causes[0] if isinstance(causes, list) and causes else error
        raise RunFailed(f"{place}: {cause.get('reason', cause) if isinstance(cause, dict) else cause}.")
    failed = search.get("_shards", {}).get("failed", 0)
    if failed or search.get("timed_out"):
        raise RunFailed(f"{place} searched only a part of the index ({failed} shards failed); ask again.")
    hits = search.get("hits", {}).get("hits")
    if not isinstance(hits, list):
        raise RunFailed(f"{place} answered a search without 'hits'; is it OpenSearch or Elasticsearch?")
    return hits
