"""Changes of an index of OpenSearch or Elasticsearch that was made here."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import ujson

from ...base import MismatchError, RunFailed
from ..living.corpus import FoundById, check_some_left
from ..passage import Passage
from .address import Address
from .connection import Connection
from .open_search_bulk import bulk_line, check_id, send_bulk
from .open_search_layout import KEY, OURS, PLACE, ServerChanges, described, seen

_BLOCK = 500
_ASKED_AT_ONCE = 1000
_CHANGED_AT_ONCE = 4000
"""Passages that are added, or removed, in one step; more take several."""
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
        found = await self.find(_named_in(ids, added))
        _check_change({id_: place for id_, (place, _) in found.items()}, ids, added, self._about["passages"])
        for some_ids, some in _in_steps(ids, added):
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
            "corpus": _corpus_after(about["corpus"], ids, added),
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


class _Found(FoundById[int]):
    def __init__(self, found: Mapping[str, int]) -> None:
        self._found = found

    def find(self, ids: Sequence[str]) -> dict[str, int]:
        return {id_: self._found[id_] for id_ in ids if id_ in self._found}


def _check_change(found: Mapping[str, int], ids: Sequence[str], added: Sequence[Passage], passages: int) -> list[int]:
    """The places of the passages to remove.

    Args:
        found: The places of those of all ids, of old passages and of new ones, that are there.
        ids: The ids of the passages to remove.
        added: The passages to add.
        passages: The number of passages that are there.

    Raises:
        InputError: One is not there, or is there already, or none would be left.
    """
    places = _Found(found).find_all(ids)
    check_some_left(passages + len(added) - len(places))
    out = set(ids)
    _Found({id_: place for id_, place in found.items() if id_ not in out}).check_new(added)
    return places


def _named_in(ids: Iterable[str], added: Sequence[Passage]) -> list[str]:
    """All ids of a change, once each."""
    return list(dict.fromkeys([*ids, *(each.id for each in added)]))


def _in_steps(ids: list[str], added: list[Passage]) -> Iterator[tuple[list[str], list[Passage]]]:
    """A change in steps, each of which happens whole: a passage that takes the place of another comes with it."""
    new = {each.id: each for each in added}
    pairs = [(id_, new.pop(id_, None)) for id_ in ids] + [(None, each) for each in new.values()]
    for start in range(0, len(pairs), _CHANGED_AT_ONCE):
        block = pairs[start : start + _CHANGED_AT_ONCE]
        yield [id_ for id_, _ in block if id_ is not None], [each for _, each in block if each is not None]


def _corpus_after(corpus: str, ids: Sequence[str], added: Sequence[Passage]) -> str:
    """The identity of a corpus after a change: the same for the same changes of the same corpus."""
    told = ujson.dumps([corpus, ids, [list(each) for each in added]])
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
