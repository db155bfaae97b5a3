"""The layout of an index of ours in OpenSearch or Elasticsearch, and what it says of itself."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...base import InputError
from ..words.analyzer import STOP_WORDS
from .address import Address

OURS = "multihop"
"""The name in the `_meta` of an index's mapping under which it describes itself."""
SEARCHED = "contents"
"""The field of an index of ours that holds all words that are searched for."""
PLACE = "place"
"""The field that holds a passage's place in the corpus."""
KEY = "key"
"""The field that holds the id of a passage that was added later, which the engine knows by another."""
DESCRIBED = ("analyzer", "corpus", "titles", "k1", "b")
"""The settings that decide which passages an index of ours finds."""


class ServerChanges(NamedTuple):
    """What is to be seen of an index: passages before one place, but for some that are still to be deleted.

    New passages stand behind that place, where nobody sees them until the index's description of itself says so.
    """

    following: int
    """The place of the next passage that is added."""
    gone: tuple[int, ...] = ()
    """The places of passages that were removed, and are yet to be deleted."""
    number: int = 0
    """The number of changes so far."""

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> "ServerChanges | None":
        """What the description of an index says; None where it has never changed."""
        found = about.get("changes")
        return None if found is None else cls(int(found["following"]), tuple(found["gone"]), int(found["number"]))

    def described(self) -> dict[str, Any]:
        """The part of the description."""
        return {"following": self.following, "gone": list(self.gone), "number": self.number}


def index_address(address: Address) -> Address:
    """The address, if it names an index and nothing below it.

    Raises:
        InputError: It does not.
    """
    name = address.path.removeprefix("/")
    if not name or "/" in name:
        raise InputError(f"{address} names no index; write it like opensearch:https://localhost:9200/INDEX.")
    return address


def described(mapping: Any) -> dict[str, Any]:
    """The description that an index of ours has in its mapping; empty for any other index."""
    if isinstance(mapping, dict) and len(mapping) == 1:  # of an alias, the one index behind it
        (inner,) = mapping.values()
        about = inner.get("mappings", {}).get("_meta", {}).get(OURS) if isinstance(inner, dict) else None
        return dict(about) if isinstance(about, dict) else {}
    return {}


def seen(asked: dict[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """A query for those of the passages that are to be seen."""
    changes = ServerChanges.of(about)
    if changes is None:
        return asked
    limited: dict[str, Any] = {"must": [asked], "filter": [{"range": {PLACE: {"lt": changes.following}}}]}
    if changes.gone:
        limited["must_not"] = [{"terms": {PLACE: list(changes.gone)}}]
    return {"bool": limited}


def new_layout(about: Mapping[str, Any]) -> dict[str, Any]:
    """A new index: terms as `analyzer` makes them, titles and texts searched as one."""
    text = {"type": "text", "index": False}
    searched = {**text, "copy_to": SEARCHED}
    return {
        "settings": {
            "number_of_shards": about["shards"],
            "similarity": {"default": {"type": "BM25", "k1": about["k1"], "b": about["b"]}},
            "analysis": {
                # As `analyzer` has it; (?U) takes letters of all scripts for letters.
                "tokenizer": {"words": {"type": "pattern", "pattern": r"(?U)\w\w+", "group": 0}},
                "filter": {
                    "stop_words": {"type": "stop", "stopwords": sorted(STOP_WORDS)},
                    "stems": {"type": "snowball", "language": "English"},
                },
                "analyzer": {
                    OURS: {"type": "custom", "tokenizer": "words", "filter": ["lowercase", "stop_words", "stems"]}
                },
            },
        },
        "mappings": {
            "dynamic": False,
            "_meta": {OURS: {**about, "whole": False}},
            "properties": {
                "id": {"type": "keyword", "index": False, "doc_values": False},
                "title": searched if about["titles"] else text,
                "text": searched,
                SEARCHED: {"type": "text", "analyzer": OURS},
                PLACE: {"type": "integer"},
                "build": {"type": "keyword"},
                KEY: {"type": "keyword"},
            },
        },
    }
