"""The corpora that IRCoT's authors search, made as theirs are from the files that they fetch.

HotpotQA's is its dump of the first paragraphs of Wikipedia; those of 2WikiMultiHopQA and MuSiQue are the paragraphs of
all their questions, test questions too, each title with its text once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from ...retrieval import Passage
from ..files.record import Record
from ..formats.hotpotqa import read_context
from ..question import content_id


def read_ircot_corpus(records: Iterable[Record]) -> Iterator[Passage]:
    """The passages of records of HotpotQA's dump, of 2WikiMultiHopQA or of MuSiQue.

    Ids are as those of the questions' own paragraphs: titles, and where titles repeat, and in MuSiQue, made of title
    and text.

    Examples:
        >>> from multihop.data.files.record import Record
        >>> from multihop.data.library.ircot_corpus import read_ircot_corpus
        >>> page = {"id": "7", "url": "...", "title": "Emma", "text": ["By Jane Austen.", " A novel."]}
        >>> asked = {"_id": "q1", "context": [["Emma", ["A film."]], ["Emma", ["A film."]]]}
        >>> [passage.text for passage in read_ircot_corpus([Record(page, "dump"), Record(asked, "train.json")])]
        ['By Jane Austen. A novel.', 'A film.']
    """
    seen: set[bytes] = set()
    for record in records:
        if not (record.has("context") or record.has("paragraphs")):  # a page of the dump, whose titles differ
            title = record.text("title")
            yield Passage(title, title, " ".join(sentence.strip() for sentence in record.texts("text")))
            continue
        for own in _paragraphs(record):
            if (content := _digest(own.title, own.text)) in seen:
                continue
            taken = _digest(own.id)
            identifier = content_id(own.title, own.text) if taken in seen else own.id
            seen |= {content, taken}
            yield own._replace(id=identifier)


def _paragraphs(record: Record) -> Iterable[Passage]:
    """The paragraphs of a question, whatever is known of its answer."""
    if record.has("context"):
        return read_context(record, joint=" ")[0]
    pairs = [(each.text("title", default=""), each.text("paragraph_text")) for each in record.records("paragraphs")]
    return [Passage(content_id(title, text), title, text) for title, text in pairs]


def _digest(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=10).digest()
