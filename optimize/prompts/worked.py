"""A question worked out by its gold: the hops, the paragraphs, and the hard negatives that a retriever finds."""

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...data import Question
from ...retrieval import Passage, Retriever
from ...retrieval.results import read_rankings


class WorkedHop(NamedTuple):
    """One step of the way to the answer."""

    sub_question: str
    answer: str
    passage: Passage

    def __str__(self) -> str:
        """The hop as prompts show a sub-question with its answer."""
        return f"{self.sub_question} -> {self.answer}"


@dataclass(frozen=True)
class Worked:
    """A question with everything a step could be taught from."""

    question: str
    answer: str
    hops: tuple[WorkedHop, ...]
    negatives: tuple[Passage, ...]
    """Paragraphs that the retriever finds and that are not gold, best first."""
    wrong: str
    """Another question's answer."""

    @property
    def gold(self) -> list[Passage]:
        """The gold paragraphs, in the order of the hops, each once."""
        return list({hop.passage.id: hop.passage for hop in self.hops}.values())

    @cached_property
    def mixed(self) -> list[Passage]:
        """The gold among as many negatives as make five, in an order that is always the same."""
        passages = [*self.gold, *self.negatives[: max(0, 5 - len(self.gold))]]
        random.Random(self.question).shuffle(passages)
        return passages

    @property
    def summary(self) -> str:
        """What the gold says, a sentence for each hop."""
        return " ".join(f"{hop.passage.title or 'A passage'}: {_first_sentence(hop)}" for hop in self.hops)

    @property
    def reasoning(self) -> str:
        """The way to the answer in words."""
        way = "; ".join(str(hop) for hop in self.hops)
        return f"{way}. So the answer is {self.answer}."


def work_out(questions: Iterable[Question], retriever: Retriever, passages: Mapping[str, Passage]) -> Iterator[Worked]:
    """The questions that have gold, worked out; one batch of queries finds all negatives.

    Where a set gives no sub-question, it is made from the triple, or from the title of the gold paragraph.

    Args:
        questions: With answers and supporting paragraphs.
        retriever: Where the negatives come from.
        passages: The gold paragraphs by id.

    Examples:
        >>> from multihop import BM25, World
        >>> from multihop.optimize.prompts.worked import work_out
        >>> world = World(questions=5)
        >>> passages = {passage.id: passage for passage in world.passages()}
        >>> worked = next(work_out(world.questions(), BM25.build(world.passages()), passages))
        >>> len(worked.hops) >= 2, worked.negatives[0] in worked.gold
        (True, False)
    """
    known = [each for each in questions if each.answers and each.supporting and passages.keys() >= set(each.supporting)]
    found = retriever.search([each.question for each in known], 10) if known else []
    rankings = read_rankings(found, len(known), type(retriever).__name__)
    for place, (question, hits) in enumerate(zip(known, rankings, strict=True)):
        yield Worked(
            question.question,
            question.answer,
            tuple(_hops(question, passages)),
            tuple(hit.passage for hit in hits if hit.passage.id not in question.supporting),
            _wrong(known, place),
        )


def _hops(question: Question, passages: Mapping[str, Passage]) -> Iterator[WorkedHop]:
    """The set's own decomposition, and a hop for every gold paragraph that none of it leads to."""
    told = [hop for hop in question.decomposition if hop.passage in passages]
    for hop in told:
        subject, relation, _ = hop.triple or ("", "", "")
        asked = hop.question or f"What is the {relation} of {subject}?"
        yield WorkedHop(asked, hop.answer, passages[hop.passage])
    reached = {hop.passage for hop in told}
    rest = [passages[name] for name in question.supporting if name not in reached]
    for place, passage in enumerate(rest):
        last = not told and place == len(rest) - 1
        sentence = passage.text.partition(". ")[0]
        yield WorkedHop(
            f"What is known about {passage.title or sentence[:60]}?", question.answer if last else sentence, passage
        )


def _wrong(questions: list[Question], place: int) -> str:
    """The next question's answer that is another one."""
    right = questions[place].answer.casefold()
    later = (questions[(place + step) % len(questions)].answer for step in range(1, len(questions)))
    return next((answer for answer in later if answer.casefold() != right), "unknown")


def _first_sentence(hop: WorkedHop) -> str:
    """The sentence of the hop's paragraph that holds its answer; its first if none does."""
    sentences = [sentence.strip().rstrip(".") + "." for sentence in hop.passage.text.split(". ") if sentence.strip()]
    return next((each for each in sentences if hop.answer in each), sentences[0] if sentences else hop.answer)
