"""Questions and passages from wherever they are: the library itself, a file or folder, or the hub."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

from ..base import InputError
from ..retrieval import BM25, Passage, Retriever, is_address, is_index, open_index, open_server
from ..retrieval.named_retrievers import make_retriever, retriever_named
from ..retrieval.remote import hide_login
from .corpus import PASSAGE_NAMES, TEXT_FIELDS, gather_passages, read_passages
from .files.record import Record, check_fields, rename_fields
from .files.record_file import kind_by_name
from .formats.known_formats import FORMATS, PLAIN
from .little.little import TITLE, Little, is_little
from .origin import Source, check_source, read_corpus_source, read_question_source
from .question import Question
from .questions import QUESTION_NAMES, read_questions
from .reading import OnBad, Reading

NAMES = {**QUESTION_NAMES, **PASSAGE_NAMES}
"""The fields that `fields` can rename."""


def open_questions(
    source: Source,
    *,
    limit: int | None = None,
    aliases: str | os.PathLike[str] | None = None,
    fields: Mapping[str, str] | None = None,
    skip_bad: int = 0,
) -> Reading[Question]:
    r"""The questions of a source, read and checked each time they are gone through.

    Args:
        source: "little" for the little encyclopedia, "little:train" and "little:dev"
            for its parts; the path of a file of HotpotQA, 2WikiMultiHopQA, MuSiQue, FlashRAG,
            IRCoT or `write_questions`, or of any other with questions and answers under usual names, whose
            layout is told by its first record; a folder of such files, or one of BEIR or HippoRAG, which has its corpus
            too; or "hub:OWNER/NAME[/CONFIG][:SPLIT]", also "hub:" and the short name of a known set.
        limit: At most so many, from the start.
        aliases: For 2WikiMultiHopQA: its `id_aliases.json`, whose further names count as right answers too.
        fields: The name of the "question", "answer", "id", "supporting" or "type" field, where it is not a usual one:
            {"question": "prompt"}.
        skip_bad: Leave out at most so many records that cannot be used; `skipped` of what is returned counts them.

    A field for the answer that is empty says that the question cannot be answered; either all records have such a
    field, or none, and then no answer is known (docs/data.md).

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import open_questions
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mine.csv"
        >>> _ = path.write_text("id,ask,answer\n1,Who wrote Emma?,Jane Austen\n")
        >>> questions = open_questions(path, fields={"question": "ask"})
        >>> [(question.id, question.question, question.answer) for question in questions]
        [('1', 'Who wrote Emma?', 'Jane Austen')]
    """
    if limit is not None and limit < 1:
        raise InputError(f"the limit must be at least 1, not {limit}.")
    names = check_fields(fields, QUESTION_NAMES)
    if is_little(source):
        if aliases is not None:
            raise InputError(f"aliases go with questions in the layout of 2WikiMultiHopQA, not with {TITLE}.")
        part = str(source).partition(":")[2] or None
        return Reading(lambda on_bad: Little().questions(part), str(source), limit=limit, skip_bad=skip_bad)
    check_source(source)

    def read(on_bad: OnBad) -> Iterator[Question]:
        def records(on_bad: OnBad) -> Iterator[Record]:
            return rename_fields(read_question_source(source, on_bad), names, QUESTION_NAMES)

        reread = partial(records, lambda error: None)
        return read_questions(records(on_bad), str(source), aliases=aliases, on_bad=on_bad, reread=reread)

    return Reading(read, str(source), limit=limit, skip_bad=skip_bad)


def open_corpus(
    source: Source, *, fields: Mapping[str, str] | None = None, unique_ids: bool = True, skip_bad: int = 0
) -> Reading[Passage]:
    r"""The passages of a source, read each time they are gone through.

    Args:
        source: "little"; a corpus file (`read_corpus`), a folder of such files, or a corpus on the hub; an
            index folder; or questions (`open_questions`), whose own paragraphs are taken, each once.
        fields: The name of the "id", "title" or "text" field, where it is not a usual one; for questions, as above.
        unique_ids: Refuse an id that comes twice in a corpus (`read_corpus`).
        skip_bad: Leave out at most so many records that cannot be used; `skipped` of what is returned counts them.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.data import open_corpus
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "corpus.jsonl"
        >>> _ = path.write_text('{"id": 1, "text": "A novel."}\n{}\n')
        >>> passages = open_corpus(path, skip_bad=5)
        >>> len(list(passages)), passages.skipped.count
        (1, 1)
    """
    names = check_fields(fields, NAMES)
    if is_little(source):
        return Reading(lambda on_bad: Little().passages(), str(source), skip_bad=skip_bad)
    check_source(source)

    def read(on_bad: OnBad) -> Iterator[Passage]:
        if is_index(source):
            return iter(open_index(source))
        return _read_corpus(read_corpus_source(source, on_bad), str(source), names, unique_ids, on_bad)

    return Reading(read, str(source), skip_bad=skip_bad)


def open_retriever(source: Source | Reading[Passage], retriever: str | None = None) -> Retriever:
    """A retriever over a source: an index folder or a server as it is, all else indexed for BM25 on the spot.

    Args:
        source: As for `open_corpus`, or what that has opened; or the address of a server (`open_server`).
        retriever: Another retriever than BM25, or one of your own, by its name or as MODULE:CLASS (`make_retriever`).

    Examples:
        >>> from multihop.data import open_retriever
        >>> retriever = open_retriever("little")
        >>> len(retriever), retriever.search(["Who discovered penicillin?"], k=1)[0][0].passage.title
        (200, 'Penicillin')
    """
    if not isinstance(source, Reading) and is_address(source) and kind_by_name(Path(hide_login(str(source)))) is None:
        if retriever is not None:
            place = hide_login(str(source))
            raise InputError(f"{place} is a server, which searches by itself; leave out the retriever '{retriever}'.")
        return open_server(str(source))
    passages = source if isinstance(source, Reading) else open_corpus(source)
    if retriever is not None:
        return make_retriever(retriever_named(retriever), passages, passages.name)
    return open_index(passages.name) if is_index(passages.name) else BM25.build(passages)


def _read_corpus(
    records: Iterator[Record], source: str, fields: Mapping[str, str], unique_ids: bool, on_bad: OnBad
) -> Iterator[Passage]:
    begin: list[Record] = []
    for record in records:
        begin.append(record)
        if record.fields:
            break
    of_questions = _holds_question(begin[-1] if begin else Record({}, source), fields)
    names = QUESTION_NAMES if of_questions else PASSAGE_NAMES
    mapping = {name: theirs for name, theirs in fields.items() if name in names}
    records = rename_fields(chain(begin, records), mapping, names)
    if not of_questions:
        yield from read_passages(records, source, unique_ids=unique_ids, on_bad=on_bad)
        return
    found = False
    for passage in gather_passages(read_questions(records, source, on_bad=on_bad)):
        found = True
        yield passage
    if not found:
        raise InputError(f"{source} holds questions without paragraphs of their own; give a corpus.")


def _holds_question(record: Record, fields: Mapping[str, str]) -> bool:
    """True if the record is a question and not a passage, which may have fields named question and answer too."""
    if not fields.keys() <= {"id"}:
        return not fields.keys() & {"text", "title"}
    layout = next((layout for layout in FORMATS if layout.fits(record)), None)
    return layout is not None and not (layout is PLAIN and any(record.has(name) for name in TEXT_FIELDS))
