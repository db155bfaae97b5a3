"""Passages sent to OpenSearch or Elasticsearch, many at a time."""

from collections.abc import Mapping, Sequence
from typing import Any

import ujson

from ...base import InputError, RunFailed
from ..passage import Passage
from .address import Address
from .connection import PASSING, Connection, json_answer, rest
from .open_search_layout import PLACE

_LONGEST_ID = 512
"""Bytes; more no index takes."""


def check_id(number: int, passage: Passage) -> None:
    """Refuse the passage of that number if its id is longer than an engine takes.

    Raises:
        InputError: It is.
    """
    if len(passage.id.encode("utf-8", "surrogatepass")) > _LONGEST_ID:
        raise InputError(f"passage {number + 1} has an id of more than {_LONGEST_ID} bytes: '{passage.id:.40}...'.")


def bulk_line(id_: str, passage: Passage, place: int, more: Mapping[str, str]) -> str:
    """The lines that keep a passage under an id of the engine's, at a place of the corpus."""
    content = {**passage._asdict(), PLACE: place, **more}
    return f"{ujson.dumps({'index': {'_id': id_}})}\n{ujson.dumps(content)}\n"


async def send_bulk(connection: Connection, client: Any, index: Address, entries: Sequence[str]) -> None:
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
