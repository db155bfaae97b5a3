"""Packs data into a page: JSON that ends no script element, and chunks that are unpacked where they are opened."""

import base64
import gzip
from collections.abc import Iterable, Iterator
from typing import Any

from ..base.texts import as_json

LARGEST = 400_000
"""Characters of JSON from which a chunk is full."""


def as_page_json(value: Any) -> str:
    """JSON that can be put between <script> and </script> whatever it holds."""
    text = as_json(value)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def pack(text: str) -> str:
    """The text, gzipped, as base64; the same text gives the same letters, always."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), 6, mtime=0)).decode("ascii")


def pack_in_chunks(records: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Chunks of records, each packed, with how many records it holds; a large record has a chunk of its own."""
    parts: list[str] = []
    size = 0
    for record in records:
        text = as_json(record)
        if parts and size + len(text) > LARGEST:
            yield len(parts), pack(f"[{','.join(parts)}]")
            parts, size = [], 0
        parts.append(text)
        size += len(text)
    if parts:
        yield len(parts), pack(f"[{','.join(parts)}]")
