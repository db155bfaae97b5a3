"""The layout of an index of ours in OpenSearch or Elasticsearch, and what it says of itself."""

from collections.abc import Mapping
from typing import Any

from ...base import InputError
from ..words.analyzer import STOP_WORDS
from .address import Address

OURS = "multihop"
"""The name in the `_meta` of an index's mapping under which it describes itself."""
SEARCHED = "contents"
"""The field of an index of ours that holds all words that are searched for."""
PLACE = "place"
"""The field that holds a passage's place in the corpus."""
DESCRIBED = ("analyzer", "corpus", "titles", "k1", "b")
"""The settings that decide which passages an index of ours finds."""


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
            },
        },
    }
