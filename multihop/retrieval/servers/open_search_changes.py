"""Changes of an index of OpenSearch or Elasticsearch that was made here."""

from collections.abc import Sequence
from typing import Any

from ...base import MismatchError, RunFailed
from ..passage import Passage
from .address import Address
from .connection import Connection
from .open_search_bulk import bulk_line, check_id, send_bulk
from .open_search_layout import KEY, OURS, PLACE, described, seen
from .server_changes import ServerChanges, check_change, corpus_after, in_steps, named_in

_BLOCK = 500
_ASKED_AT_ONCE = 1000
_ID = "multihop:"
"""What the engine's own ids of added passages begin with: the one before may have their id until they are seen."""


class IndexChanges:
    """Changes one index; each step happens whole, and is seen once the index's description of itself says so."""

    def __init__(self, connection: Connection, client: Any) -> None:
        """The way to the index, with the client open."""
        self._connection, self._client, self._place = connection, client, connection.address._replace(query="")
        self._about: dict[str, Any] = {}

    async def change(self, ids: list[Any], added: list[Passage]) -> None:
        """Remove passages and add others.

        Raises:
            InputError: One is not there, or is there already, or none would be left; nothing is changed.
            MismatchError: The index was not made here, or is being filled.
        """
        for number, passage in enumerate(added):
            check_id(number, passage)
        await self._read()
        found = await self.find(named_in(ids, added))
        check_change({id_: place for id_, (place, _) in found.items()}, ids, added, self._about["passages"])
        for some_ids, some in in_steps(ids, added):
            await self._step(some_ids, [found[id_][0] for id_ in some_ids], some)

    async def find(self, ids: Sequence[str]) -> dict[str, tuple[int, Passage]]:
        """The places of those of the ids that the index has, and their passages."""
        found: dict[str, tuple[int, Passage]] = {}
        if not self._about:
            await self._read()
        for start in range(0, len(ids), _ASKED_AT_ONCE):
            block = list(ids[start : start + _ASKED_AT_ONCE])
            named = {"bool": {"should": [{"ids": {"values": block}}, {"terms": {KEY: block}}]}}
            asked = {
                "size": 2 * len(block),
                "query": seen(named, self._about),
                "_source": ["id", "title", "text", PLACE],
            }
            answer = await self._ask("POST", "_search", asked)
            for hit in answer["hits"]["hits"]:
                source = hit["_source"]
                if source["id"] in block:
                    found[source["id"]] = source[PLACE], Passage(source["id"], source["title"], source["text"])
        return found

    async def merge(self) -> None:
        """Have the engine forget what was deleted, which it counts until then."""
        await self._ask("POST", "_forcemerge", query="only_expunge_deletes=true")

    async def _read(self) -> None:
        self._about = described(await self._ask("GET", "_mapping"))
        if not self._about:
            raise MismatchError(f"{self._place} was not made by multihop, and is not written to.")
        if not self._about.get("whole"):
            raise MismatchError(f"the index at {self._place} was not built to its end; build it again.")

    async def _step(self, ids: list[str], places: list[int], added: list[Passage]) -> None:
        about = self._about
        before = ServerChanges.of(about) or ServerChanges(about["passages"])
        await self._refresh()
        await self._delete(before.gone, before.following)  # of a change that was cut short
        await self._ask("PUT", "_mapping", {"properties": {KEY: {"type": "keyword"}}})
        for start in range(0, len(added), _BLOCK):
            block = list(enumerate(added[start : start + _BLOCK], before.following + start))
            lines = [bulk_line(f"{_ID}{place}", each, place, {KEY: each.id}) for place, each in block]
            await send_bulk(self._connection, self._client, self._place, lines)
        await self._refresh()
        after = ServerChanges(before.following + len(added), tuple(places), before.number + 1)
        self._about = {
            **about,
            "passages": about["passages"] + len(added) - len(places),
            "corpus": corpus_after(about["corpus"], ids, added),
            "changes": after.described(),
        }
        await self._describe()
        if places:
            await self._delete(after.gone, after.following)
            await self._refresh()
            self._about = {**self._about, "changes": after._replace(gone=()).described()}
            await self._describe()

    async def _delete(self, gone: Sequence[int], following: int) -> None:
        unseen = [{"range": {PLACE: {"gte": following}}}, {"terms": {PLACE: list(gone)}}]
        await self._ask("POST", "_delete_by_query", {"query": {"bool": {"should": unseen}}}, query="conflicts=proceed")

    async def _refresh(self) -> None:
        await self._ask("POST", "_refresh")

    async def _describe(self) -> None:
        await self._ask("PUT", "_mapping", {"_meta": {OURS: self._about}})

    async def _ask(self, method: str, action: str, content: Any = None, query: str = "") -> Any:
        place: Address = self._place.at(f"{self._place.path}/{action}")._replace(query=query)
        try:
            return await self._connection.ask(self._client, method, place, content)
        except (LookupError, TypeError) as error:
            raise RunFailed(f"{place} answered what cannot be read.") from error
