"""Gold read once, for all who learn from it: hops where a set tells them, and supporting passages where it tells these.

MuSiQue and the little encyclopedia tell sub-questions with their answers, 2WikiMultiHopQA triples. HotpotQA tells
supporting sentences alone: no order and no sub-question is made up for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..base.english import sentence_spans
from ..retrieval import Passage
from .names_in_text import as_written, country_words, occurrences, unaccented
from .question import Question, SubQuestion

NO_SUPPORTING = "it names no supporting paragraph"
"""The reason given for a question that has an answer and no other gold."""
_LATER = re.compile(r"#(\d+)")
_WORD = re.compile(r"\w+")


class GoldHop(NamedTuple):
    """One step of the way: a passage, and what it answers."""

    sub_question: str
    """A single-hop question, with the answers of earlier hops filled in; empty where the set tells none."""
    answer: str
    """The answer, as the passage writes it; empty where the set tells none."""
    passage: Passage
    sentence: str
    """The sentence of the passage that holds the answer, word for word; without an answer, the supporting ones."""
    needs: tuple[int, ...] = ()
    """The places of the earlier hops whose answers the sub-question uses."""

    def __str__(self) -> str:
        """The hop as prompts show a sub-question with its answer."""
        return f"{self.sub_question} -> {self.answer}"


@dataclass(frozen=True)
class GoldPath:
    """A question with its hops, in the order in which the set tells them."""

    question: Question
    hops: tuple[GoldHop, ...]
    compares: bool = False
    """True if the answer follows from comparing the hops' answers; it need not be in any passage."""

    @property
    def answer(self) -> str:
        """The main answer of the question."""
        return self.question.answer

    @property
    def tells_hops(self) -> bool:
        """True if the set tells each hop's sub-question and answer, and not the supporting passages alone."""
        return all(hop.sub_question for hop in self.hops)

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The gold passages in the order of the hops, each once."""
        return tuple({hop.passage.id: hop.passage for hop in self.hops}.values())


class Unread(NamedTuple):
    """A question whose gold cannot be read."""

    id: str
    """The question's id."""
    reason: str
    """The reason, as the end of a sentence."""


class GoldReading(NamedTuple):
    """The gold of many questions."""

    paths: list[GoldPath]
    """One for each question that could be read, in the order of the questions."""
    unread: list[Unread]
    """The others."""

    def __str__(self) -> str:
        """One line: the number of questions that could not be read, and the reasons for the first three."""
        total = len(self.paths) + len(self.unread)
        if not self.unread:
            return f"the gold of all {total:,} questions can be read"
        first = "; ".join(f"{each.id}: {each.reason}" for each in self.unread[:3])
        more = "; ..." if len(self.unread) > 3 else ""
        return f"the gold of {len(self.unread):,} of {total:,} questions cannot be read ({first}{more})"


def read_gold(questions: Iterable[Question], passages: Mapping[str, Passage] | Iterable[Passage]) -> GoldReading:
    """The questions as hops, and those whose gold cannot be read, each with its reason.

    `passages` are the paragraphs that the questions do not bring.
    """
    lookup = PassageLookup(passages)
    paths: list[GoldPath] = []
    unread: list[Unread] = []
    for question in questions:
        path = _read(question, lookup)
        if isinstance(path, GoldPath):
            paths.append(path)
        else:
            unread.append(Unread(question.id, path))
    return GoldReading(paths, unread)


def _read(question: Question, lookup: PassageLookup) -> GoldPath | str:
    """The path of one question, or why there is none."""
    if not question.answers:
        return "it has no accepted answer"
    if not question.supporting and not question.decomposition:
        return NO_SUPPORTING
    pages = [lookup.find(question, name) for name in question.supporting]
    if missing := [name for name, candidates in zip(question.supporting, pages, strict=True) if not candidates]:
        return f"its supporting paragraph '{missing[0]}' is not in the corpus"
    if not question.decomposition:
        return _supported(question, [candidates[0] for candidates in pages])
    hops: list[GoldHop] = []
    for place in range(len(question.decomposition)):
        hop = read_hop(question, place, lookup)
        if isinstance(hop, str):
            return hop
        hops.append(hop)
    reached = {name for hop in hops for name in (hop.passage.id, hop.passage.title)}
    if beside := [name for name in question.supporting if name not in reached]:
        return f"its supporting paragraph '{beside[0]}' belongs to none of its hops"
    return GoldPath(question, tuple(hops), _compares(question))


def _supported(question: Question, pages: Sequence[Passage]) -> GoldPath | str:
    """The supporting passages in the order of the set, each with what supports in it."""
    compares = _compares(question)
    if not compares and not any(as_written(str(page), answer) for page in pages for answer in question.answers):
        return f"its answer, '{question.answer}', is nowhere in its paragraphs"
    quotes = [" ".join(supporting_sentences(question, page)) or page.text for page in pages]
    hops = (GoldHop("", "", page, quote) for page, quote in zip(pages, quotes, strict=True))
    return GoldPath(question, tuple(hops), compares)


def _compares(question: Question) -> bool:
    return "comparison" in question.type or question.answer.lower() in ("yes", "no")


def read_hop(question: Question, place: int, lookup: PassageLookup) -> GoldHop | str:
    """The hop at this place of the decomposition, or why it cannot be read."""
    step = question.decomposition[place]
    if later := _LATER.search(step.question):
        return f"its hop {place + 1} needs the answer of hop {later[1]}, which comes later"
    last = place == len(question.decomposition) - 1
    right = [step.answer, *(question.answers if last and _bare(step.answer) in map(_bare, question.answers) else ())]
    pages = _pages_of(question, step, lookup)
    if not pages:
        name = step.passage or (step.triple or ("",))[0]
        return f"the paragraph of its hop {place + 1}, '{name}', is not in the corpus"
    for page in pages:
        sub_question = _sub_question(step, page)
        for answer, sentence in _answers_in(question, page, right, sub_question):
            return GoldHop(sub_question, answer, page, sentence, _needs(question, place, page))
    return f"the answer of its hop {place + 1}, '{step.answer}', is nowhere in '{pages[0].title or pages[0].id}'"


def _pages_of(question: Question, step: SubQuestion, lookup: PassageLookup) -> list[Passage]:
    """The passages that may answer a step, the likeliest first."""
    if step.passage:
        return lookup.find(question, step.passage)
    gold = [page for name in question.supporting for page in lookup.find(question, name)]
    if not step.triple:
        return gold
    subject = _bare(step.triple[0])
    exact = [page for page in gold if subject in (_bare(page.title), _bare(page.name))]
    near = [page for page in gold if as_written(page.text, step.triple[0])]
    return exact or near or gold


def _answers_in(
    question: Question, page: Passage, answers: Sequence[str], sub_question: str
) -> Iterator[tuple[str, str]]:
    """Answers as a passage writes them, each with its sentence: in supporting ones first, closest to what is asked.

    A nation may be written as its people: "American" for the United States.
    """
    asked = set(_WORD.findall(sub_question.lower()))
    supporting = supporting_sentences(question, page)
    for sentences in (supporting, [each for each in sentences_of(question, page) if each not in supporting]):
        close_first = sorted(sentences, key=lambda each: -len(asked.intersection(_WORD.findall(each.lower()))))
        for answer in answers:
            yield from ((text, each) for each in close_first if (text := as_written(each, answer)))
            yield from ((people[0], each) for each in close_first if (people := country_words(each, answer)))


def _sub_question(step: SubQuestion, page: Passage) -> str:
    """The set's own words as a question; of a triple, or of "Emma >> author", what the author of Emma is."""
    subject, arrow, relation = (part.strip() for part in step.question.partition(">>"))
    if not step.question and step.triple:
        subject, relation, _ = step.triple
        whole = subject.count("(") == subject.count(")") and subject.count('"') % 2 == 0
        subject = subject.split(" (")[0] if whole else page.name
    if arrow or not step.question:
        return f"What is the {' '.join(relation.replace('>>', ' ').split())} of {subject}?"
    words = re.sub(r"\s+(?=['’]s\b|[?,.;!])", "", " ".join(subject.split())).rstrip("?. ")
    return f"{words[:1].upper()}{words[1:]}?"


def _needs(question: Question, place: int, page: Passage) -> tuple[int, ...]:
    """The earlier hops whose answers a step uses: as its subject, or as words of its sub-question."""
    step, earlier = question.decomposition[place], question.decomposition[:place]
    if step.question or not step.triple:
        return tuple(n for n, hop in enumerate(earlier) if occurrences(step.question, [hop.answer.split(" (")[0]]))
    names = {_bare(step.triple[0]), _bare(page.title), _bare(page.name)}
    needs = tuple(n for n, hop in enumerate(earlier) if _bare(hop.answer) in names)
    unnamed = not occurrences(question.question, [step.triple[0], page.name])
    # Someone whom the question does not name is the one who was found last, under another name.
    return needs or ((place - 1,) if place and unnamed and "comparison" not in question.type else ())


def _bare(name: str) -> str:
    return unaccented(name).casefold().strip()


class PassageLookup:
    """Passages by id and by title; a question's own come before those of the corpus."""

    def __init__(self, passages: Mapping[str, Passage] | Iterable[Passage]) -> None:
        """The lookup of these passages."""
        pages = passages.values() if isinstance(passages, Mapping) else passages
        self._by_id: dict[str, Passage] = dict(passages) if isinstance(passages, Mapping) else {}
        self._by_title: dict[str, list[Passage]] = {}
        for page in pages:
            self._by_id.setdefault(page.id, page)
            if page.title:
                self._by_title.setdefault(page.title, []).append(page)

    def find(self, question: Question, name: str) -> list[Passage]:
        """The passages of this id; where there is none, those of this title."""
        own = [page for page in question.passages if page.id == name]
        if own:
            return own
        if name in self._by_id:
            return [self._by_id[name]]
        own = [page for page in question.passages if page.title == name]
        return [*own, *(page for page in self._by_title.get(name, ()) if page not in own)]


def sentences_of(question: Question, page: Passage) -> list[str]:
    """The sentences of a passage, word for word: as the question's set splits them, or as a rule does."""
    own = dict(zip((each.id for each in question.passages), question.sentences, strict=False)).get(page.id, ())
    split = [sentence.strip() for sentence in own]
    if split and all(sentence in page.text for sentence in split):
        return split
    return [page.text[start:end].strip() for start, end in sentence_spans(page.text)]


def supporting_sentences(question: Question, page: Passage) -> list[str]:
    """The sentences that the set names as supporting, in its own splitting; none where it splits nothing."""
    if not question.sentences:
        return []
    split = sentences_of(question, page)
    places = [place for name, place in question.supporting_sents if name in (page.id, page.title)]
    return [split[place] for place in places if 0 <= place < len(split) and split[place]]
