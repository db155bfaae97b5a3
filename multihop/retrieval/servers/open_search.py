"""An index of OpenSearch or Elasticsearch as a retriever."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ujson

from ...base import InputError, MismatchError, RunFailed
from ..changeable import Changeable
from ..index_folder import index_fingerprint
from ..living.corpus import check_ids
from ..own_loop import run_in_own_loop
from ..passage import Passage
from .address import Address
from .connection import json_answer
from .open_search_changes import IndexChanges
from .open_search_layout import DESCRIBED, PLACE, SEARCHED, described, index_address, seen
from .server_retriever import ServerRetriever

KIND = "opensearch"


class OpenSearchIndex(Changeable, ServerRetriever):
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

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        return run_in_own_loop(self._get, list(ids))

    def compact(self) -> None:
        """Have the engine forget what was removed: until then it counts those passages in its statistics."""
        run_in_own_loop(self._merge)

    def reload(self) -> bool:
        """Take over what others have changed; returns True if they had."""
        before, self._about, self._fingerprint = self._about, None, None
        run_in_own_loop(self._read)
        return before is not None and self._about != before

    def count(self) -> int:
        """The number of passages.

        Raises:
            MismatchError: The index was not made here, and does not say.
        """
        if self._about is None:
            run_in_own_loop(self._read)
        if not self._about:
            raise MismatchError(f"{self.address} was not made by multihop, and does not say how many passages it has.")
        return int(self._about["passages"])

    def _change(self, ids: Iterable[str], added: list[Passage]) -> None:
        listed = check_ids(ids)
        run_in_own_loop(self._change_there, listed, added)
        self.reload()

    async def _change_there(self, ids: list[str], added: list[Passage]) -> None:
        async with self._connection.open() as client:
            await IndexChanges(self._connection, client).change(ids, added)

    async def _get(self, ids: list[str]) -> dict[str, Passage]:
        async with self._connection.open() as client:
            found = await IndexChanges(self._connection, client).find(ids)
        return {id_: passage for id_, (_, passage) in found.items()}

    async def _merge(self) -> None:
        async with self._connection.open() as client:
            await IndexChanges(self._connection, client).merge()

    async def _read(self) -> None:
        async with self._connection.open() as client:
            await self._prepare(client)

    def _search_for(self, query: str, k: int) -> dict[str, Any]:
        fields = [self._title, self._text]
        if self._about:
            asked: dict[str, Any] = seen({"match": {SEARCHED: {"query": query}}}, self._about)
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
