"""A layout of question records, told by its fields, and ids for questions and paragraphs that have none."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import NamedTuple

from ..files.record import Record
from ..question import Question


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


def question_id(question: str) -> str:
    """An id for a question that came without one: the same wherever the same question is, whatever is around it.

    Examples:
        >>> from multihop.data.formats.format import question_id
        >>> question_id("Who wrote Emma?")
        'q-aa58346d9950937b'
    """
    return f"q-{hashlib.blake2b(question.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"


def content_id(title: str, text: str) -> str:
    """An id for a paragraph whose title names more than one: the same wherever the same paragraph is.

    Examples:
        >>> from multihop.data.formats.format import content_id
        >>> content_id("Ada", "She wrote it."), content_id("Ada", "She read it.")
        ('Ada#e1e9e8ff', 'Ada#388aa8f3')
    """
    return f"{title}#{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"


def _is_prose(value: object) -> bool:
    return isinstance(value, str) and not value.lstrip().startswith(("[", "{"))
