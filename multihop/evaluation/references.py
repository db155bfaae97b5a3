"""The floor and the ceiling of every table: answers from memory, from one retrieval, and from the gold passages."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from random import Random
from typing import Any

from ..base import MismatchError, NotCopied
from ..data import Question
from ..programs import Direct, OneStep
from ..retrieval import Hit, Passage, RetrieverLike, as_retriever, fingerprint
from ..runtime import Program


class GoldPassages(NotCopied):
    """A retriever that finds a question's gold passages, and nothing else; it shows what a reader could reach."""

    def __init__(self, questions: Iterable[Question], corpus: Iterable[Passage]) -> None:
        """Go once through both; each gold passage must be in the corpus."""
        gold = {question.question: question.supporting for question in questions}
        needed = {identifier for supporting in gold.values() for identifier in supporting}
        passages = {passage.id: passage for passage in corpus if passage.id in needed}
        if missing := sorted(needed - passages.keys()):
            raise MismatchError(
                f"the corpus lacks {len(missing)} gold passages of these questions, '{missing[0]}' first."
            )
        self._gold = {text: [passages[identifier] for identifier in ids] for text, ids in gold.items()}
        self.max_passages = max(map(len, self._gold.values()), default=0)
        """The most gold passages that a question has."""
        self.fingerprint = f"gold-{blake2b(repr(sorted(self._gold.items())).encode(), digest_size=16).hexdigest()}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The gold passages of each query that is one of the questions."""
        return [[Hit(passage, 1.0) for passage in self._gold.get(query, ())[:k]] for query in queries]


class MixedPassages(NotCopied):
    """A retriever that finds all gold passages of a question among others, up to k: what noise costs a reader.

    The others are what a retriever finds for the question beside its gold, best first. The order in which all of them
    are given is drawn by lot, always the same for a question, so that the gold is not told by its place.
    """

    def __init__(self, gold: GoldPassages, retriever: RetrieverLike) -> None:
        self._gold, self._retriever = gold, as_retriever(retriever)
        self.fingerprint = f"mixed-{fingerprint(self._retriever)}-{gold.fingerprint}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """For each query the gold passages, all of them even where they are more than k, and others up to k."""
        every_gold = self._gold.search(queries, max(k, self._gold.max_passages))
        rankings = self._retriever.search(queries, k)
        return [_mix(*each, k) for each in zip(queries, every_gold, rankings, strict=True)]


def _mix(query: str, gold: Sequence[Hit], found: Sequence[Hit], k: int) -> list[Hit]:
    own = {hit.passage.id for hit in gold}
    others = [Hit(hit.passage, 1.0) for hit in found if hit.passage.id not in own]
    mixed = [*gold, *others[: max(0, k - len(gold))]]
    Random(query).shuffle(mixed)
    return mixed


def references(
    questions: Iterable[Question],
    corpus: Iterable[Passage],
    retriever: RetrieverLike,
    *,
    k: int = 5,
    **limits: Any,
) -> Iterator[tuple[str, Program]]:
    """The reference programs by the names of their rows, such as `closed-book`, `one-step, k=5`, `gold-passages`."""
    yield "closed-book", Direct(**limits)
    yield f"one-step, k={k}", OneStep(retriever, k=k, **limits)
    gold = GoldPassages(questions, corpus)
    if gold.max_passages:
        yield "gold-passages", OneStep(gold, k=gold.max_passages, **limits)
