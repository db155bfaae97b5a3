"""Files of questions to read with: each has paragraphs of its own, and says which of them answer it."""

import os
import re
from collections.abc import Iterator
from hashlib import blake2b

from ...data import Question
from ...data.files.record import Record
from ...data.files.record_file import read_records
from ...data.question import SubQuestion
from ...retrieval import Passage

KINDS = ("span", "yes", "no", "none")
"""Where an answer is: in a paragraph's words, yes, no, or in none of the paragraphs."""
HELD_BACK = 0.03
"""The share of these questions that no training sees."""
_WORD = re.compile(r"\w+")


def is_reading_file(path: str | os.PathLike[str]) -> bool:
    """True if the file's first record is laid out as questions to read with: its "type" says where the answer is."""
    first = next(iter(read_records(path)), None)
    return first is not None and first.has("paragraphs") and first.fields.get("type") in KINDS


def open_reading(path: str | os.PathLike[str]) -> Iterator[Question]:
    """The questions of a file, in order; one without a gold paragraph is answered by none of its own."""
    return map(_question, read_records(path))


def _question(record: Record) -> Question:
    name, kind = record.identifier("id"), record.text("type")
    if kind not in KINDS:
        raise record.error(f"'type' must be one of {', '.join(KINDS)}, but is '{kind}'.")
    paragraphs = record.records("paragraphs")
    if not paragraphs:
        raise record.error("'paragraphs' is empty; a question to read with brings at least one.")
    pages = [
        Passage(f"{name} {place}", each.text("title", default=""), each.text("text"))
        for place, each in enumerate(paragraphs)
    ]
    gold = [
        page.id
        for page, each in zip(pages, paragraphs, strict=True)
        if kind != "none" and each.flag("supporting", default=False)
    ]
    triples = record.records("evidences", ("fact", "relation", "entity"))
    hops = [(each.text("fact"), each.text("relation"), each.text("entity")) for each in triples]
    return Question(
        id=name,
        question=record.require_text("question"),
        answers=record.texts("answers") if kind == "span" else (kind,) if kind != "none" else (),
        supporting=tuple(gold),
        passages=tuple(pages),
        decomposition=tuple(SubQuestion("", hop[2], triple=hop) for hop in hops),
        type=record.text("qtype", default=""),
        answerable=kind != "none",
    )


def gold_pages(question: Question) -> list[Passage]:
    """The question's own paragraphs that answer it."""
    return [page for page in question.passages if page.id in question.supporting]


def is_held_back(question: Question) -> bool:
    """True if no training sees it: by a hash of its first paragraph, whose other questions are held back too."""
    words = " ".join(_WORD.findall((gold_pages(question) or question.passages)[0].text.lower()))
    return int.from_bytes(blake2b(words.encode(), digest_size=4).digest()) < HELD_BACK * 2**32
