"""The layouts of question records that this library knows, and the one that a record has."""

from __future__ import annotations

from ..files.record import Record
from . import (
    browsecomp_plus,
    compact,
    flashrag,
    frames,
    hipporag,
    hotpotqa,
    ircot,
    multihop_rag,
    musique,
    plain,
    strategyqa,
    two_wiki,
)
from .answers import ANSWER_FIELDS
from .format import Format

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
    hipporag.FORMAT,
    browsecomp_plus.FORMAT,
    plain.FORMAT,
    plain.ALONE,
)
"""The known layouts, the more special ones first."""


def format_of(record: Record) -> Format:
    """The layout of a question record, told by its fields.

    Examples:
        >>> from multihop.data.files.record import Record
        >>> from multihop.data.formats.known_formats import format_of
        >>> format_of(Record({"id": "q1", "question": "Who?", "answers": ["Ada"]}, "example")).name
        "this library's rows"
    """
    for layout in FORMATS:
        if layout.fits(record):
            return layout
    own = [each for each in FORMATS if each not in (plain.FORMAT, plain.ALONE)]
    layouts = "; ".join(f"{each.name} ({', '.join(map(_mark, each.marks))})" for each in own)
    fields = ", ".join(record.fields) or "none"
    names, answers = ", ".join(plain.QUESTION_FIELDS), ", ".join(ANSWER_FIELDS)
    raise record.error(
        f"not a question in a known layout. Its fields are {fields}. Known layouts and their marks: {layouts}; or a "
        f"question ({names}) with its answers ({answers}; an empty list where it cannot be answered). Where they have "
        'other names, say which: fields={"question": ...}, --field question=NAME. Questions whose answers are not '
        "known have an id and nothing else beside them."
    )


def _mark(mark: str | tuple[str, ...]) -> str:
    return mark if isinstance(mark, str) else " or ".join(mark)
