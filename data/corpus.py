"""The passages of a source, read or gathered from the paragraphs that questions bring, and a retriever over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count, islice
from pathlib import Path

from ..base import InputError
from ..base.english import split_quoted_title
from ..retrieval import BM25, Passage, Retriever, is_address, is_index, open_index, open_server
from ..retrieval.documents import no_text, stream_documents
from ..retrieval.named_retrievers import make_retriever, retriever_named
from ..retrieval.remote import hide_login
from .little import Little, is_little
from .question import Question, content_id
from .reading import OnBad, Reading, Skipped, refuse
from .record import (
    NAMES,
    PASSAGE_IDS,
    PASSAGE_NAMES,
    QUESTION_NAMES,
    TEXT_FIELDS,
    Record,
    check_fields,
    rename_fields,
)
from .record_files import kind_by_name
from .sources import Source, check_source, find_documents_of, read_corpus_of, read_source


def open_corpus(source: Source, *, fields: Mapping[str, str] | None = None, skip_bad: int = 0) -> Reading[Passage]:
    r"""The passages of a source, read each time they are gone through, one at a time.

    A record of a file has an "id", its text in "text", and may have a "title"; other usual names of these are known
    too, such as "_id" or "contents". A list of sentences will do as text. "contents" may open with the title in quotes
    on a line of its own. A JSON object may hold the passages by their ids, or their sentences by their titles. Where
    the first record has no id, ids are made for all of title and text, as for MuSiQue's paragraphs; the same title and
    text twice are then one passage.

    Args:
        source: "little"; a file of JSON, CSV or TSV (each may be gzip) or Parquet, a folder of such files, or a corpus
            on the hub; a document (Markdown, text, HTML, PDF, Word) or a folder of them, of which those that cannot be
            read are left out and counted by `skipped`; an index folder; or questions (`open_questions`), whose own
            paragraphs are taken, each once.
        fields: The name of the "id", "title" or "text" field, where it is not a usual one: {"id": "title"} for the
            HotpotQA fullwiki corpus, whose questions name their gold paragraphs so. For questions, as there.
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

    def read(on_bad: Skipped) -> Iterator[Passage]:
        if is_index(source):
            return iter(open_index(source))
        if documents := find_documents_of(source):
            return _read_documents(documents, str(source), on_bad)
        return _read_corpus(read_source(source, on_bad, read_corpus_of), str(source), names, on_bad)

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


def read_passages(
    records: Iterable[Record], source: str, *, unique_ids: bool = True, on_bad: OnBad = refuse
) -> Iterator[Passage]:
    """The passages that records hold; with `unique_ids`, every id is in memory, some 100 bytes a passage.

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


def _read_documents(documents: Mapping[str, Path], source: str, skipped: Skipped) -> Iterator[Passage]:
    """The passages of documents; which have none is counted, and why."""
    skipped.what, skipped.bounded = "document", False
    found = dict.fromkeys(documents, 0)
    for name, told in stream_documents(documents):
        if isinstance(told, Passage):
            found[name] += 1
            yield told
        elif told or not found[name]:
            skipped(InputError(told or no_text(documents[name])))
    if not any(found.values()):
        raise InputError(f"{source} has no text. {skipped}")


def bring_paragraphs(questions: Iterable[Question]) -> bool:
    """True if the questions have paragraphs of their own, judged by the first question."""
    return any(question.passages for question in islice(questions, 1))


def _read_corpus(records: Iterator[Record], source: str, fields: Mapping[str, str], on_bad: OnBad) -> Iterator[Passage]:
    begin: list[Record] = []
    for record in records:
        begin.append(record)
        if record.fields:
            break
    from .questions import read_questions  # with all layouts of questions, which few corpora are made of

    of_questions = _holds_question(begin[-1] if begin else Record({}, source), fields)
    names = QUESTION_NAMES if of_questions else PASSAGE_NAMES
    mapping = {name: theirs for name, theirs in fields.items() if name in names}
    records = rename_fields(chain(begin, records), mapping, names)
    if not of_questions:
        yield from read_passages(records, source, on_bad=on_bad)
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
    from .formats import FORMATS, PLAIN

    layout = next((layout for layout in FORMATS if layout.fits(record)), None)
    return layout is not None and not (layout is PLAIN and any(record.has(name) for name in TEXT_FIELDS))


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
