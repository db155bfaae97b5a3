"""Questions to learn reading from: each with paragraphs of its own, and with the places in them that answer it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple, cast

from ...base.english import Span
from ...data import Question
from ...data.files.record import Record
from ...data.files.record_file import read_records
from ...data.gold.whole_words import occurrences
from ...data.question import SubQuestion
from ...retrieval import Passage

AnswerKind = Literal["span", "yes", "no", "none"]
KINDS = ("span", "yes", "no", "none")
HELD_BACK = 0.03
"""The share of reading items that no training sees."""
_WORD = re.compile(r"\w+")


class ReadParagraph(NamedTuple):
    """A paragraph that comes with a question."""

    title: str
    text: str
    supporting: bool
    """True if the answer follows from it, alone or with others."""
    answers: tuple[Span, ...]
    """The spans of the text that are the answer."""


@dataclass(frozen=True, slots=True)
class ReadingItem:
    """A question with paragraphs, and what a reader should say of them."""

    id: str
    question: str
    answers: tuple[str, ...]
    """Accepted wordings; none where the paragraphs do not tell."""
    kind: AnswerKind
    """The kind of the answer: a span of a paragraph, yes, no, or in none of them."""
    paragraphs: tuple[ReadParagraph, ...]
    source: str = ""
    triples: tuple[tuple[str, str, str], ...] = ()
    """The hops of a question of several, each as subject, relation and object, where the file tells them."""
    type: str = ""
    """The kind of question, in the words of its set."""

    @property
    def supporting(self) -> tuple[ReadParagraph, ...]:
        """The paragraphs from which the answer follows."""
        return tuple(each for each in self.paragraphs if each.supporting)

    @property
    def has_hops(self) -> bool:
        """True if several paragraphs are needed, with others among them that are not."""
        return 1 < len(self.supporting) < len(self.paragraphs) and self.kind != "none"

    @property
    def held_back(self) -> bool:
        """True if the item is kept for measuring: by a hash of its first paragraph, whose other questions are too."""
        pages = self.supporting or self.paragraphs
        words = " ".join(_WORD.findall(pages[0].text.lower()))
        return int.from_bytes(blake2b(words.encode(), digest_size=4).digest()) < HELD_BACK * 2**32

    def as_question(self) -> Question:
        """The item as the question of a set, with its paragraphs and hops."""
        pages = [Passage(f"{self.id} {place}", page.title, page.text) for place, page in enumerate(self.paragraphs)]
        gold = tuple(page.id for page, own in zip(pages, self.paragraphs, strict=True) if own.supporting)
        return Question(
            id=self.id, question=self.question, answers=self.answers, supporting=gold, passages=tuple(pages),
            decomposition=tuple(SubQuestion("", triple[2], triple=triple) for triple in self.triples), type=self.type,
        )  # fmt: skip


def row_of(name: str, question: str, answer: str, page: Passage) -> ReadingItem:
    """A plain question whose answer is in one paragraph."""
    paragraph = ReadParagraph(page.title, page.text, True, tuple(occurrences(page.text, [answer])))
    return ReadingItem(name, question, (answer,), "span", (paragraph,))


def is_reading_file(path: str | os.PathLike[str]) -> bool:
    """True if the file's first record is laid out as questions to read with: its "type" says where the answer is."""
    first = next(iter(read_records(path)), None)
    return first is not None and first.has("paragraphs") and first.fields.get("type") in KINDS


def open_reading(path: str | os.PathLike[str]) -> Iterator[ReadingItem]:
    """The items of a file, in order."""
    for record in read_records(path):
        yield _item(record)


def _item(record: Record) -> ReadingItem:
    kind = record.text("type")
    if kind not in KINDS:
        raise record.error(f"'type' must be one of {', '.join(KINDS)}, but is '{kind}'.")
    paragraphs = tuple(_paragraph(each) for each in record.records("paragraphs"))
    if not paragraphs:
        raise record.error("'paragraphs' is empty; a question to read with brings at least one.")
    triples = record.records("evidences", ("fact", "relation", "entity"))
    return ReadingItem(
        record.identifier("id"),
        record.require_text("question"),
        record.texts("answers"),
        cast(AnswerKind, kind),
        paragraphs,
        record.text("source", default=""),
        tuple((each.text("fact"), each.text("relation"), each.text("entity")) for each in triples),
        record.text("qtype", default=""),
    )


def _paragraph(record: Record) -> ReadParagraph:
    text = record.text("text")
    spans = [(each.integer("start"), each.integer("end")) for each in record.records("answer_spans", ("start", "end"))]
    for start, end in spans:
        if not 0 <= start < end <= len(text):
            raise record.error(f"'answer_spans' has [{start}, {end}], but the text has {len(text)} characters.")
    return ReadParagraph(
        record.text("title", default=""), text, record.flag("supporting", default=False), tuple(sorted(set(spans)))
    )
