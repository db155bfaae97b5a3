"""Our own JSON lines for questions, written and read, and the rows of people who follow no known set."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, cast

from ..base import writing
from ..base.texts import as_json
from ..retrieval import Passage
from .answers import answer_fields, read_accepted, read_answers
from .question import Question, SubQuestion, content_id
from .record import ALIAS_FIELDS, ID_FIELDS, QUESTION_FIELDS, Record

_LISTS: dict[str, type] = {
    "supporting": str, "supporting_titles": list, "supporting_sents": list, "context_ids": str, "decomposition": dict,
}  # fmt: skip
"""Lists of our own rows that are read here too, and what they must hold: other sets use some of the names."""
_VALUES: dict[str, type] = {"type": str, "level": str, "hops": int, "answerable": bool}
"""Single values of our own rows, and the types that they must have."""
ALONE_FIELDS = frozenset((*QUESTION_FIELDS, *ID_FIELDS, *_LISTS, *_VALUES))
"""All fields of a row whose answer is not known: any other might hold the answer."""


def read_row(record: Record) -> Question:
    """One question of a compact row: "id", "question" and "answers", and whatever else is known.

    If "answers" is empty, "answerable" is true if the answers are unknown, and false if the question has none.

    "supporting" holds paragraph ids, or "supporting_titles" holds [title, sentence index]; "paragraphs" holds the
    question's own paragraphs, which may be marked "is_supporting" or "supporting" instead; "decomposition" holds the
    hops, each with "triple", or with "question", "answer" and the id, place or title of its "paragraph".
    """
    paragraphs = record.records("paragraphs")
    passages = [_passage(paragraph) for paragraph in paragraphs]
    supporting, sents = _supporting(record, paragraphs, passages)
    places: dict[str, int] = {}
    for index, passage in enumerate(passages):
        places.setdefault(passage.id, index)  # A paragraph that is there twice is given once.
    split = any(paragraph.has("sentences") for paragraph in paragraphs)
    answers, answerable = read_accepted(record, "answers")
    return Question(
        id=record.identifier("id", "_id"),
        question=record.require_text("question"),
        answers=answers,
        supporting=supporting,
        supporting_sents=sents,
        passages=tuple(passages[index] for index in places.values()),
        sentences=tuple(paragraphs[index].texts("sentences") for index in places.values()) if split else (),
        context_ids=record.texts("context_ids"),
        decomposition=_hops(record, passages),
        type=record.text("type", default=""),
        level=record.text("level", default=""),
        hops=record.integer("hops"),
        gold=record.text("gold", default="given"),
        answerable=answerable,
    )


def write_questions(path: str | os.PathLike[str], questions: Iterable[Question]) -> int:
    """Write questions as compact rows, gzip if the name ends in .gz, and return how many there were.

    The file appears only once it is whole, and reading it gives the same questions back.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import Question, open_questions, write_questions
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.jsonl.gz"
        >>> write_questions(path, [Question(id="q1", question="Who wrote Emma?", answers=("Jane Austen",))])
        1
        >>> next(iter(open_questions(path))).answer
        'Jane Austen'
    """
    return write_rows(path, map(question_row, questions))


def write_rows(path: str | os.PathLike[str], rows: Iterable[Mapping[str, Any]]) -> int:
    """Write JSON lines, gzip if the name ends in .gz; the file appears whole. Return how many there were."""
    count = 0
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(writing(path, "wb"))
        if Path(path).suffix == ".gz":
            # No time and no name in the header: the same rows make the same bytes.
            zipped = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
            file = cast(IO[bytes], stack.enter_context(zipped))
        for row in rows:
            file.write(f"{as_json(row)}\n".encode())
            count += 1
    return count


def _passage(paragraph: Record) -> Passage:
    title, text = paragraph.text("title", default=""), paragraph.text("text")
    identifier = paragraph.identifier("id") if paragraph.has("id") else content_id(title, text)
    return Passage(identifier, title, text)


def _supporting(
    record: Record, paragraphs: list[Record], passages: list[Passage]
) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
    if record.has("supporting"):
        pairs = record.records("supporting_sents", ("id", "sent"))
        return record.texts("supporting"), tuple((pair.text("id"), pair.integer("sent")) for pair in pairs)
    if record.has("supporting_titles"):
        pairs = record.records("supporting_titles", ("title", "sent"))
        sents = [(pair.text("title"), pair.integer("sent")) for pair in pairs]
        return tuple(dict.fromkeys(title for title, _ in sents)), tuple(sents)
    marked = [
        (paragraph, passage.id)
        for paragraph, passage in zip(paragraphs, passages, strict=True)
        if paragraph.flag("is_supporting", default=paragraph.flag("supporting", default=False))
    ]
    sents = [(identifier, sent) for paragraph, identifier in marked for sent in paragraph.integers("supporting_sents")]
    return tuple(dict.fromkeys(identifier for _, identifier in marked)), tuple(dict.fromkeys(sents))


def _hops(record: Record, passages: list[Passage]) -> tuple[SubQuestion, ...]:
    answers: list[str] = []
    hops: list[SubQuestion] = []
    for step in record.records("decomposition"):
        triple = _triple(step)
        question = step.text("question", default="") if triple else step.text("question")
        if not record.flag("references_filled", default=False):
            question = fill_references(question, answers)
        answers.append(step.text("answer", default=triple[2]) if triple else step.text("answer"))
        hops.append(SubQuestion(question, answers[-1], _place(step, passages), triple))
    return tuple(hops)


def fill_references(question: str, answers: Sequence[str]) -> str:
    """A sub-question with "#1", "#2" and so on replaced by the answers of the hops before it."""

    def answer(reference: re.Match[str]) -> str:
        hop = int(reference[1])
        return answers[hop - 1] if 1 <= hop <= len(answers) else reference[0]

    return re.sub(r"#(\d+)", answer, question)


def _triple(step: Record) -> tuple[str, str, str] | None:
    parts = step.texts("triple")
    if len(parts) not in (0, 3):
        raise step.error(f"'triple' must be [subject, relation, object], but has {len(parts)} parts.")
    return (parts[0], parts[1], parts[2]) if parts else None


def _place(step: Record, passages: list[Passage]) -> str:
    """The id of the hop's paragraph: given as such, as its place among the question's own ones, or as a title."""
    if not isinstance(step.fields.get("paragraph"), int):
        return step.text("paragraph", "title", default="")
    index = step.integer("paragraph")
    if not 0 <= index < len(passages):
        raise step.error(f"'paragraph' is {index}, but the question has {len(passages)} paragraphs.")
    return passages[index].id


def question_row(question: Question) -> dict[str, Any]:
    """The compact row of a question, as `read_row` reads it."""
    row: dict[str, Any] = {
        "id": question.id,
        "question": question.question,
        "answers": question.answers,
        "supporting": question.supporting,
        "supporting_sents": question.supporting_sents,
        "context_ids": question.context_ids,
        "type": question.type,
        "level": question.level,
        "hops": question.hops,
        "gold": question.gold,
    }
    if question.passages:
        row["paragraphs"] = [passage._asdict() for passage in question.passages]
    if question.sentences:
        for paragraph, sentences in zip(row["paragraphs"], question.sentences, strict=True):
            paragraph["sentences"] = sentences
    if question.decomposition:
        row["decomposition"] = [_step(hop) for hop in question.decomposition]
        row["references_filled"] = True
    if not (question.answers and question.answerable):
        row["answerable"] = question.answerable
    return row


def _step(hop: SubQuestion) -> dict[str, Any]:
    return {
        "question": hop.question,
        "answer": hop.answer,
        **({"paragraph": hop.passage} if hop.passage else {}),
        **({"triple": hop.triple} if hop.triple else {}),
    }


def read_plain(record: Record) -> Question:
    """One question with its answers: each under any of its usual names, and the answer as text or as a list.

    Fields of `write_questions`, such as "supporting" or "hops", count too; others are left aside.
    """
    fields = {name: record.fields[name] for name in ("id", "_id") if name in record.fields}
    fields |= {name: record.fields[name] for name, kind in _LISTS.items() if _lists(record.fields.get(name), kind)}
    fields |= {name: record.fields[name] for name, kind in _VALUES.items() if type(record.fields.get(name)) is kind}
    fields["question"] = record.require_text(*QUESTION_FIELDS)
    usual = answer_fields(record)
    answers = [*read_answers(record, *usual), *read_answers(record, *ALIAS_FIELDS)]
    if usual or answers:
        fields["answers"] = answers
    return read_row(Record(fields, record.where))


def _lists(value: Any, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, kind | tuple) for item in value)
