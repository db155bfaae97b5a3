"""The hops that a set tells, as sub-questions or as triples, each with the sentence that holds its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...base.country_names import country_words
from ...retrieval import Passage
from ..question import Question, SubQuestion
from .gold_passages import PassageLookup, supporting_and_others
from .path import GoldHop
from .relations import plain_question, relation_question
from .whole_words import as_written, occurrences, unaccented

_LATER = re.compile(r"#(\d+)")
_WORD = re.compile(r"\w+")


def read_hop(question: Question, place: int, lookup: PassageLookup) -> GoldHop | str:
    """The hop at this place of the decomposition, or why it cannot be read."""
    step = question.decomposition[place]
    if reason := _later(question, place):
        return reason
    last = place == len(question.decomposition) - 1
    answers = [step.answer, *(question.answers if last and _same(step.answer, question.answers) else ())]
    pages = pages_of(question, step, lookup)
    if not pages:
        name = step.passage or (step.triple or ("",))[0]
        return f"the paragraph of its hop {place + 1}, '{name}', is not in the corpus"
    sub_question = _sub_question(step, pages[0])
    for page in pages:
        if written := answer_in(question, page, answers, sub_question):
            answer, sentence = written
            return GoldHop(_sub_question(step, page), answer, page, sentence, _needs(question, place, page))
    return f"the answer of its hop {place + 1}, '{step.answer}', is nowhere in '{pages[0].title or pages[0].id}'"


def pages_of(question: Question, step: SubQuestion, lookup: PassageLookup) -> list[Passage]:
    """The passages that may answer a step, the likeliest first."""
    if step.passage:
        return lookup.find(question, step.passage)
    gold = [page for name in question.supporting for page in lookup.find(question, name)]
    if not step.triple:
        return gold
    subject = _bare(step.triple[0])
    exact = [page for page in gold if subject in (_bare(page.title), _bare(page.name))]
    near = [page for page in gold if page not in exact and as_written(page.text, step.triple[0])]
    return exact or near or gold


def answer_in(question: Question, page: Passage, answers: Sequence[str], sub_question: str) -> tuple[str, str] | None:
    """An answer as a passage writes it, and the sentence that holds it: a supporting one, or the closest to what is
    asked; None where no sentence holds it.
    """
    for sentences in supporting_and_others(question, page):
        for answer in answers:
            holding = [each for each in sentences if as_written(each, answer)]
            if not holding and (nation := [word for each in sentences for word in country_words(each, answer)]):
                answer = nation[0]
                holding = [each for each in sentences if as_written(each, answer)]
            if holding:
                words = set(_WORD.findall(sub_question.lower()))
                best = max(holding, key=lambda each: len(words.intersection(_WORD.findall(each.lower()))))
                return as_written(best, answer), best
    return None


def _sub_question(step: SubQuestion, page: Passage) -> str:
    if step.question:
        return plain_question(step.question)
    subject, relation, _ = step.triple or ("", "", "")
    whole = subject.count("(") == subject.count(")") and subject.count('"') % 2 == 0
    return relation_question(subject.split(" (")[0] if whole else page.name, relation)


def _needs(question: Question, place: int, page: Passage) -> tuple[int, ...]:
    """The earlier hops whose answers a step uses: as its subject, or as words of its sub-question."""
    step, earlier = question.decomposition[place], question.decomposition[:place]
    if step.triple and not step.question:
        names = {_bare(step.triple[0]), _bare(page.title), _bare(page.name)}
        needs = tuple(n for n, hop in enumerate(earlier) if _bare(hop.answer) in names)
        unnamed = not any(occurrences(question.question, [name]) for name in (step.triple[0], page.name))
        # Someone whom the question does not name is the one who was found last, under another name.
        return needs or ((place - 1,) if place and unnamed and "comparison" not in question.type else ())
    return tuple(n for n, hop in enumerate(earlier) if occurrences(step.question, [hop.answer.split(" (")[0]]))


def _later(question: Question, place: int) -> str:
    """The reason that a step cannot be taken in its place: it uses a later step's answer. Empty if it does not."""
    step, hops = question.decomposition[place], question.decomposition
    named = [int(number) for number in _LATER.findall(step.question)]
    late = [number for number in named if place < number <= len(hops)]
    if step.triple and not step.question and not occurrences(question.question, [step.triple[0]]):
        subject = _bare(step.triple[0])
        if all(_bare(hop.answer) != subject for hop in hops[:place]):
            late = [n for n, hop in enumerate(hops, 1) if n > place + 1 and _bare(hop.answer) == subject]
    return f"its hop {place + 1} needs the answer of hop {late[0]}, which comes later" if late else ""


def _same(answer: str, others: Sequence[str]) -> bool:
    return _bare(answer) in map(_bare, others)


def _bare(name: str) -> str:
    return unaccented(name).casefold().strip()
