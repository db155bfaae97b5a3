"""The passages of a corpus: read from a file, or gathered from the paragraphs that questions bring."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count, islice

from ..base import InputError
from ..base.english import split_quoted_title
from ..retrieval import Passage
from .files.record import Record, check_fields, rename_fields
from .files.record_file import read_records
from .question import Question, content_id
from .reading import OnBad, refuse

TEXT_FIELDS = ("text", "contents", "paragraph_text", "content", "passage", "body")
"""The usual field names for the text of a passage, in the order they are tried."""
PASSAGE_IDS = ("id", "_id", "pid", "docid", "doc_id", "passage_id", "docno")
"""The usual field names for the id of a passage."""
PASSAGE_NAMES: dict[str, tuple[str, ...]] = {"id": PASSAGE_IDS, "title": ("title",), "text": TEXT_FIELDS}
"""The fields of passages that can be renamed (`rename_fields`), each with its usual names."""


def read_corpus(
    path: str | os.PathLike[str], *, fields: Mapping[str, str] | None = None, unique_ids: bool = True
) -> Iterator[Passage]:
    r"""The passages of a corpus file, streamed: JSON, CSV or TSV (each may be gzip), or Parquet.

    A record has an "id", its text in "text", and may have a "title"; other usual names of these are known too, such as
    "_id" or "contents". A list of sentences will do as text. "contents" may open with the title in quotes on a line of
    its own. CSV and TSV have a header line and the quoting of spreadsheets. A JSON object may hold the passages by
    their ids, or their sentences by their titles. Where the first record has no id, ids are made for all of title and
    text, as for MuSiQue's paragraphs; the same title and text twice are then one passage.

    Args:
        path: The file.
        fields: The name of the "id", "title" or "text" field, if it is no usual one: {"id": "title"} for the HotpotQA
            fullwiki corpus, whose questions name their gold paragraphs so.
        unique_ids: Refuse an id that comes twice. That keeps every id in memory, some 100 bytes a passage; with False,
            memory holds one record at a time however large the corpus is.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import read_corpus
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "corpus.jsonl"
        >>> _ = path.write_text('{"id": 1, "contents": "\\"Emma\\"\\nA novel by Jane Austen."}\n')
        >>> list(read_corpus(path))
        [Passage(id='1', title='Emma', text='A novel by Jane Austen.')]
    """
    records = rename_fields(read_records(path), check_fields(fields, PASSAGE_NAMES), PASSAGE_NAMES)
    return read_passages(records, str(path), unique_ids=unique_ids)


def read_passages(
    records: Iterable[Record], source: str, *, unique_ids: bool = True, on_bad: OnBad = refuse
) -> Iterator[Passage]:
    """The passages that records hold; `source` names the whole of them, for the error if there are none.

    `on_bad` is told of each record that is no passage; it raises, or the record is left out.
    """
    seen: dict[str, int] = {}
    found = made = False
    for record in records:
        try:
            made = made if found else bool(record.fields) and not any(record.has(name) for name in PASSAGE_IDS)
            passage = _passage(record, made=made)
            identifier = _free_id(passage, record, seen, made=made) if passage.id in seen else passage.id
        except InputError as error:
            on_bad(error)
            continue
        if identifier is None:
            continue
        passage = passage._replace(id=identifier) if made else passage
        if unique_ids:
            seen[passage.id] = hash((passage.title, passage.text)) if made else 0
        found = True
        yield passage
    if not found:
        raise InputError(f"{source} holds no passages.")


def gather_passages(questions: Iterable[Question]) -> Iterator[Passage]:
    """The questions' own paragraphs as one corpus: each id once, with the content it had first.

    Examples:
        >>> from multihop.data import Question, gather_passages
        >>> from multihop.retrieval import Passage
        >>> emma = Passage("Emma", "Emma", "A novel by Jane Austen.")
        >>> pair = [Question(id=name, question="Who?", answers=(), passages=(emma,)) for name in "ab"]
        >>> [passage.id for passage in gather_passages(pair)]
        ['Emma']
    """
    seen: set[str] = set()
    for question in questions:
        for passage in question.passages:
            if passage.id not in seen:
                seen.add(passage.id)
                yield passage


def bring_paragraphs(questions: Iterable[Question]) -> bool:
    """True if the questions have paragraphs of their own, judged by the first question.

    Examples:
        >>> from multihop.data import Question, bring_paragraphs
        >>> from multihop.retrieval import Passage
        >>> emma = Passage("Emma", "Emma", "A novel by Jane Austen.")
        >>> bring_paragraphs([Question(id="q1", question="Who wrote Emma?", answers=(), passages=(emma,))])
        True
    """
    return any(question.passages for question in islice(questions, 1))


def _passage(record: Record, *, made: bool) -> Passage:
    title, text = record.text("title", default=""), _text(record)
    if not title and record.has("contents"):
        title, text = split_quoted_title(text)
    if not title.strip() and not text.strip():
        raise record.error("neither title nor text; a passage needs a text.")
    return Passage(content_id(title, text) if made else record.identifier(*PASSAGE_IDS), title, text)


def _free_id(passage: Passage, record: Record, seen: Mapping[str, int], *, made: bool) -> str | None:
    """Another id for a passage whose id was made and came before; None where it is the same passage again."""
    if not made:
        raise record.error(f"the id '{passage.id}' is in an earlier record too; ids must be unique.")
    content = hash((passage.title, passage.text))
    names = chain([passage.id], (f"{passage.id}-{number}" for number in count(2)))
    free = next(name for name in names if seen.get(name) in (None, content))
    return None if free in seen else free


def _text(record: Record) -> str:
    for name in TEXT_FIELDS:
        if isinstance(record.fields.get(name), list):
            return record.check_text(f"'{name}'", "".join(record.texts(name)))
        if record.has(name):
            return record.text(name)
    names = ", ".join(record.fields) or "none"
    raise record.error(
        f"no text field. The fields are {names}; a passage needs an id ({', '.join(PASSAGE_IDS)}) and a text "
        f"({', '.join(TEXT_FIELDS)}), and may have a title. Where they have other names, say which: "
        'fields={"text": ...}, --field text=NAME.'
    )
