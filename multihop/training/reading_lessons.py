"""Lessons of one hop: a paragraph that answers a question, and others that only look as if they did."""

import os
import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import islice

from ..base.english import Span, content_words, sentence_spans
from ..data import Question
from ..data.names_in_text import occurrences
from ..data.question import SubQuestion
from ..data.record import Record
from ..data.record_files import read_records
from ..encoder.layout import Pair
from ..retrieval import Passage, Retriever
from .gold_ways import AnswerLabel, LabelledPassage, Lesson

HITS = 12
"""Paragraphs that are looked at for each question, to find those that mislead."""
NEGATIVES = 4
"""Paragraphs of a lesson that do not answer; half as many where the answer is yes or no, and one where none answers."""
UNTITLED = 0.3
"""The share of the lessons that show no titles though there are some: some corpora have none."""
ALIKE = 0.5
"""From this share of common words on, of the shorter one's, two paragraphs are taken for the same."""


def reading_lessons(questions: Sequence[Question], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """A lesson of each question whose answer one of its paragraphs tells, or that none does."""
    alone = [question for question in questions if len(question.supporting) < 2]
    for start in range(0, len(alone), 256):
        part = alone[start : start + 256]
        found = retriever.search([question.question for question in part], HITS)
        for question, hits in zip(part, found, strict=True):
            lesson = _lesson(question, [hit.passage for hit in hits], random.Random(f"{seed} {question.id}"))
            if lesson is not None:
                yield lesson


def _lesson(question: Question, found: Sequence[Passage], dice: random.Random) -> Lesson | None:
    asked, gold = question.question, gold_pages(question)
    main = gold[0] if gold else question.passages[0]
    titled = bool(main.title) and dice.random() >= UNTITLED
    text = _shown(main, titled)
    first, most = LabelledPassage(Pair(asked, text), False), 1
    if gold:
        verdict = verdict_of(question.answer)
        spans = [span for span in occurrences(text, question.answers) if span[0] >= len(text) - len(main.text)]
        answer = verdict or best_answer(text, spans, asked)
        if answer is None:
            return None
        useful = (answer,) if isinstance(answer, tuple) else ()
        first = LabelledPassage(Pair(asked, text), True, enough=True, useful=useful, answer=answer)
        most = NEGATIVES // 2 if verdict else NEGATIVES
    wrong = [_shown(page, titled) for page in misleading(question, found, most, titled=titled)]
    return Lesson((first, *(LabelledPassage(Pair(asked, text), False) for text in wrong)))


def _shown(page: Passage, titled: bool) -> str:
    return str(page) if titled else page.text


def verdict_of(answer: str) -> AnswerLabel:
    """The label of an answer that is yes or no; None for any other."""
    word = answer.lower()
    return "yes" if word == "yes" else "no" if word == "no" else None


def best_answer(text: str, answers: Sequence[Span], question: str) -> Span | None:
    """The answer's span in the sentence that shares most words with the question, and there the shortest wording."""
    asked, sentences = set(content_words(question)), sentence_spans(text)

    def worth(span: Span) -> tuple[int, int]:
        held = [sentence for sentence in sentences if sentence[0] <= span[0] < sentence[1]]
        return len(asked.intersection(content_words(text[slice(*held[0])]))) if held else 0, span[0] - span[1]

    return max(answers, key=worth, default=None)


def misleading(question: Question, found: Sequence[Passage], most: int, *, titled: bool) -> list[Passage]:
    """The question's other paragraphs, then what a search finds, that do not answer it; titled as the right one is.

    A paragraph that holds an accepted answer, or half of whose words are those of the right one, does not mislead.
    """
    gold = gold_pages(question) or question.passages
    verdict = question.answers and verdict_of(question.answer)
    pages = {page.text: page for page in [*found, *question.passages]}
    own_first = dict.fromkeys([*(page.text for page in question.passages), *pages])

    def misleads(page: Passage) -> bool:
        if (titled and not page.title) or (verdict and page.title and page.title == gold[0].title):
            return False
        holds = not verdict and occurrences(page.text, question.answers)
        return not holds and not any(alike(page.text, each.text) for each in gold)

    return list(islice(filter(misleads, (pages[text] for text in own_first)), most))


def alike(one: str, other: str) -> bool:
    """True if two paragraphs share so many words that they are taken for the same."""
    words, others = _words_of(one), _words_of(other)
    return len(words & others) > ALIKE * min(len(words), len(others))


@lru_cache(maxsize=1 << 16)
def _words_of(text: str) -> frozenset[str]:
    """The words that a paragraph is told by; many questions find the same one."""
    return frozenset(content_words(text))


KINDS = ("span", "yes", "no", "none")
"""The places of an answer: in a paragraph's words, yes, no, or in none of the paragraphs."""
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
