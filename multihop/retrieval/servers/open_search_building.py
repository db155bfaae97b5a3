"""An index of OpenSearch or Elasticsearch filled from a corpus."""

import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import ujson

from ...base import InputError, MismatchError, RunFailed
from ..corpus import CorpusCheck
from ..own_loop import run_in_own_loop
from ..passage import Passage
from ..words.analyzer import DESCRIPTION
from .address import Address
from .connection import PASSING, Connection, json_answer, rest
from .open_search import OpenSearchIndex
from .open_search_layout import OURS, PLACE, described, index_address, new_layout

_BLOCK = 500
"""Passages in one request."""
_LONGEST_ID = 512
"""Bytes; more no index takes."""


def build_open_search(
    passages: Iterable[Passage],
    address: str,
    *,
    k1: float = 1.2,
    b: float = 0.75,
    titles: bool = True,
    shards: int = 1,
    progress: Callable[[int], None] | None = None,
    timeout: float = 60.0,
    headers: Mapping[str, str] | None = None,
) -> OpenSearchIndex:
    """The index at an address such as opensearch:https://localhost:9200/wiki, filled with the passages.

    Doing it again changes nothing, and finishes what was interrupted: a passage is kept under its id, and what is not
    of this corpus is taken out at the end. Until then the index says that it is not whole, and is refused.

    Args:
        passages: The corpus; it is read once.
        address: The place of the index, there or to be made.
        k1: As for `BM25.build`.
        b: The same.
        titles: True to find a passage by the words of its title too.
        shards: The number of parts that the engine spreads the index over; rankings are the same for any number.
        progress: Called with the number of passages that were sent, every few hundred.
        timeout: Seconds that one answer may take.
        headers: Headers for every request, such as a key.

    Raises:
        InputError: The corpus is empty, has an id twice or one that is too long, or a setting is out of range.
        MismatchError: There is an index of that name that was not made by this function.
        RunFailed: The server cannot be reached, or refuses.
    """
    if not (math.isfinite(k1) and k1 >= 0 and 0 <= b <= 1 and shards >= 1):
        raise InputError(f"k1 is at least 0, b between 0 and 1, and shards at least 1, not {k1}, {b} and {shards}.")
    place = index_address(Address.read(address))._replace(query="")
    connection = Connection(place, timeout=timeout, attempts=4, headers=headers)
    about = {"analyzer": DESCRIPTION, "titles": titles, "k1": k1, "b": b, "shards": shards}
    run_in_own_loop(_IndexBuilder(connection, about).fill, passages, progress)
    return OpenSearchIndex(address, timeout=timeout, headers=headers)


class _IndexBuilder:
    """One index while it is filled."""

    def __init__(self, connection: Connection, about: dict[str, Any]) -> None:
        self._connection, self._place, self._about = connection, connection.address, about
        self._token = secrets.token_hex(8)

    async def fill(self, passages: Iterable[Passage], progress: Callable[[int], None] | None) -> None:
        corpus = CorpusCheck()
        async with self._connection.open() as client:
            blocks = corpus.blocks(passages, _BLOCK)
            block: list[Passage] | None = next(blocks)  # an empty corpus is refused before anything is changed
            await self._make_room(client)
            while block is not None:
                first = corpus.seen - len(block)
                for number, each in enumerate(block, first):
                    _check_id(number, each)
                lines = [_bulk_line(each, number, self._token) for number, each in enumerate(block, first)]
                await _send_bulk(self._connection, client, self._place, lines)
                if progress:
                    progress(corpus.seen)
                block = next(blocks, None)
            await self._finish(client, corpus)

    async def _make_room(self, client: Any) -> None:
        """An index that is ours, has these settings, and says that it is not whole."""
        mapping = self._place.at(f"{self._place.path}/_mapping")
        response = await self._connection.send(client, "GET", mapping)
        if response.status_code != 404:
            found = described(json_answer(response, mapping))
            if not found:
                raise MismatchError(
                    f"{self._place} is there and was not made by multihop; choose another name for the index."
                )
            if {name: found.get(name) for name in self._about} != self._about:
                await self._connection.ask(client, "DELETE", self._place)
                response.status_code = 404
        if response.status_code == 404:
            await self._connection.ask(client, "PUT", self._place, new_layout(self._about))
        await self._describe(client, whole=False)

    async def _finish(self, client: Any, corpus: CorpusCheck) -> None:
        """Delete passages that are not of this corpus, count, and mark the index as whole."""
        others = {"query": {"bool": {"must_not": [{"term": {"build": self._token}}]}}}
        path = self._place.path
        await self._connection.ask(client, "POST", self._place.at(f"{path}/_refresh"))
        await self._connection.ask(
            client, "POST", self._place.at(f"{path}/_delete_by_query")._replace(query="conflicts=proceed"), others
        )
        await self._connection.ask(client, "POST", self._place.at(f"{path}/_refresh"))
        counted = await self._connection.ask(client, "GET", self._place.at(f"{path}/_count"))
        if counted.get("count") != corpus.seen:
            raise InputError(
                f"{self._place} holds {counted.get('count')} of {corpus.seen} passages: "
                "ids must be unique, and nothing else may write to the index."
            )
        await self._describe(client, whole=True, corpus=corpus.fingerprint, passages=corpus.seen)

    async def _describe(self, client: Any, **more: Any) -> None:
        place = self._place.at(f"{self._place.path}/_mapping")
        await self._connection.ask(client, "PUT", place, {"_meta": {OURS: {**self._about, **more}}})


def _check_id(number: int, passage: Passage) -> None:
    """Refuse the passage of that number if its id is longer than an engine takes.

    Raises:
        InputError: It is.
    """
    if len(passage.id.encode("utf-8", "surrogatepass")) > _LONGEST_ID:
        raise InputError(f"passage {number + 1} has an id of more than {_LONGEST_ID} bytes: '{passage.id:.40}...'.")


def _bulk_line(passage: Passage, place: int, build: str) -> str:
    """The lines that keep a passage under its id, at a place of the corpus."""
    content = {**passage._asdict(), PLACE: place, "build": build}
    return f"{ujson.dumps({'index': {'_id': passage.id}})}\n{ujson.dumps(content)}\n"


async def _send_bulk(connection: Connection, client: Any, index: Address, entries: Sequence[str]) -> None:
    """Keep the passages, those again for which the engine had no room."""
    place = index.at(f"{index.path}/_bulk")
    left = list(entries)
    for attempt in range(1, connection.attempts + 1):
        response = await connection.send(client, "POST", place, lines="".join(left).encode())
        answer = json_answer(response, place)
        items = answer.get("items") if isinstance(answer, dict) else None
        if not isinstance(items, list) or len(items) != len(left):
            raise RunFailed(f"{place} did not say what became of {len(left)} passages.")
        if not answer.get("errors"):
            return
        outcomes = [item["index"] for item in items]
        for outcome in outcomes:
            if outcome["status"] >= 300 and outcome["status"] not in PASSING:
                reason = outcome.get("error", {}).get("reason", "refused")
                raise RunFailed(f"{place}: passage '{outcome['_id']}': {reason}.")
        left = [entry for entry, outcome in zip(left, outcomes, strict=True) if outcome["status"] >= 300]
        await rest(attempt)
    raise RunFailed(f"{place} had no room for {len(left)} passages, {connection.attempts} times; try later.")
