"""The question sets and layouts this library knows, and which of them a record is."""

from __future__ import annotations

from ..files.record import Record
from . import (
    bamboogle,
    compact,
    flashrag,
    frames,
    hotpotqa,
    ircot,
    multihop_rag,
    musique,
    plain,
    strategyqa,
    two_wiki,
)
from .answers import ANSWER_FIELDS
from .format import Format, SetCard

CARDS: dict[str, SetCard] = {
    each.CARD.name: each.CARD
    for each in (hotpotqa, two_wiki, musique, frames, bamboogle, multihop_rag, strategyqa, flashrag)
}
"""The known question sets by name."""

FORMATS: tuple[Format, ...] = (
    flashrag.FORMAT,
    compact.FORMAT,
    musique.FORMAT,
    two_wiki.FORMAT,
    hotpotqa.FORMAT,
    ircot.FORMAT,
    frames.FORMAT,
    multihop_rag.FORMAT,
    strategyqa.FORMAT,
    plain.FORMAT,
)
"""The known layouts, the more special ones first."""


def format_of(record: Record) -> Format:
    """The layout of a question record, told by its fields.

    Examples:
        >>> from multihop.data.files.record import Record
        >>> from multihop.data.formats.sets import format_of
        >>> format_of(Record({"id": "q1", "question": "Who?", "answers": ["Ada"]}, "example")).name
        "this library's rows"
    """
    for layout in FORMATS:
        if layout.fits(record):
            return layout
    layouts = "; ".join(
        f"{each.name} ({', '.join(map(str, each.marks))})" for each in FORMATS if each is not plain.FORMAT
    )
    fields = ", ".join(record.fields) or "none"
    names, answers = ", ".join(plain.QUESTION_FIELDS), ", ".join(ANSWER_FIELDS)
    raise record.error(
        f"not a question in a known layout. Its fields are {fields}. Known layouts and their marks: {layouts}; or a "
        f"question ({names}) with its answers ({answers}; an empty list where none is known). Where they have other "
        'names, say which: fields={"question": ...}, --field question=NAME.'
    )
