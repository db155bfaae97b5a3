"""The layouts of question records that this library knows, and the one that a record has."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..files.record import Record
from ..question import Question
from .answers import ANSWER_FIELDS
from .collected import read_flashrag, read_hipporag, read_ircot
from .hotpotqa import read_hotpotqa, read_two_wiki
from .musique import read_musique
from .rows import ALONE_FIELDS, QUESTION_FIELDS, read_plain, read_row


class Format(NamedTuple):
    """One layout of question records."""

    name: str
    """The name of the format in messages."""
    marks: tuple[str | tuple[str, ...], ...]
    """Fields that are all in a record of this layout, and not in one of a layout listed after it; of fields in
    brackets one must."""
    read: Callable[[Record], Question]
    """The question a record holds."""
    nested: str = ""
    """A mark that holds a list or an object, perhaps as JSON text; other layouts may have prose under its name."""
    alone: frozenset[str] = frozenset()
    """All fields that a record of this layout can have; where empty, any others beside the marks."""

    def fits(self, record: Record) -> bool:
        """True if the record is of this layout."""
        if self.nested and _is_prose(record.fields.get(self.nested)):
            return False
        if self.alone and not self.alone >= record.fields.keys():
            return False
        return all(
            record.has(mark) if isinstance(mark, str) else any(name in record.fields for name in mark)
            for mark in self.marks
        )


PLAIN = Format("question and answer", (QUESTION_FIELDS, ANSWER_FIELDS), read_plain)
_KNOWN = (
    Format("FlashRAG", ("question", ("golden_answers",)), read_flashrag),
    Format("this library's rows", ("question", ("answers",)), read_row),
    Format("MuSiQue", ("question", "paragraphs"), read_musique),
    Format("2WikiMultiHopQA", ("question", "context", "evidences"), read_two_wiki),
    Format("HotpotQA", ("question", "context"), read_hotpotqa, nested="context"),
    Format("IRCoT's files", ("question_text", ("answers_objects",), "contexts"), read_ircot),
    Format("HippoRAG", ("question", "contexts"), read_hipporag, nested="contexts"),
)
# The last: a field that we do not know might hold the answer, so that questions without answers have none.
FORMATS = (*_KNOWN, PLAIN, Format("questions alone", (QUESTION_FIELDS,), read_plain, alone=ALONE_FIELDS))
"""The known layouts, the more special ones first."""


def format_of(record: Record) -> Format:
    """The layout of a question record, told by its fields."""
    for layout in FORMATS:
        if layout.fits(record):
            return layout
    layouts = "; ".join(f"{each.name} ({', '.join(map(_mark, each.marks))})" for each in _KNOWN)
    fields = ", ".join(record.fields) or "none"
    names, answers = ", ".join(QUESTION_FIELDS), ", ".join(ANSWER_FIELDS)
    raise record.error(
        f"not a question in a known layout. Its fields are {fields}. Known layouts and their marks: {layouts}; or a "
        f"question ({names}) with its answers ({answers}; an empty list where it cannot be answered). Where they have "
        'other names, say which: fields={"question": ...}, --field question=NAME. Questions whose answers are not '
        "known have an id and nothing else beside them."
    )


def _mark(mark: str | tuple[str, ...]) -> str:
    return mark if isinstance(mark, str) else " or ".join(mark)


def _is_prose(value: object) -> bool:
    return isinstance(value, str) and not value.lstrip().startswith(("[", "{"))
