"""The hops of a question's way to its answer, read from the sub-questions or triples that its set tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...base.country_names import country_words
from ...retrieval import Passage
from ..question import Question, SubQuestion
from .gold_passages import PassageLookup, sentences_of, supporting_sentences
from .whole_words import as_written, occurrences, unaccented

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
