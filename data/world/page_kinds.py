"""The wording of every kind of page of the fictional encyclopedia."""

from __future__ import annotations

from typing import Any

from .table_files import read_world_table
from .wording import PageKind, Topic


def _page_kind(entry: dict[str, Any]) -> PageKind:
    leads, body = (
        tuple(Topic(*topic["ways"], chance=topic.get("chance", 1.0)) for topic in entry[part])
        for part in ("leads", "body")
    )
    return PageKind(leads, body, entry["asides"])


def _read_pages() -> dict[str, PageKind]:
    people = read_world_table("people")
    person = _page_kind(people["person"])
    pages = {career: person._replace(asides=(*asides, *person.asides)) for career, asides in people["careers"].items()}
    for table in ("places", "organizations", "works"):
        for name, entry in read_world_table(table).items():
            pages |= dict.fromkeys(entry.get("kinds", (name,)), _page_kind(entry))
    return pages


PAGES: dict[str, PageKind] = _read_pages()
"""The wording of a page by the entity's kind, and of a person's by the career."""
