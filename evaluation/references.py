"""The floor and the ceiling of every table: answers from memory, from one retrieval, and from the gold passages."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, Unpack

from ..base import MismatchError
from ..data import Question
from ..programs import Direct, OneStep
from ..retrieval import Hit, Passage, RetrieverLike
from ..runtime import Limits, Program


class GoldPassages:
    """A retriever that finds a question's gold passages, and nothing else; it shows what a reader could reach.

    Examples:
        >>> from multihop import Passage, Question
        >>> from multihop.evaluation.references import GoldPassages
        >>> question = Question(id="q", question="Who?", answers=("Ada",), supporting=("p2",))
        >>> gold = GoldPassages([question], [Passage("p1", "", "Nobody."), Passage("p2", "", "Ada.")])
        >>> gold.search(["Who?"], k=5)[0][0].passage.text
        'Ada.'
    """

    def __init__(self, questions: Iterable[Question], corpus: Iterable[Passage]) -> None:
        """Go once through both.

        Raises:
            InputError: A gold passage is not in the corpus.
        """
        gold = {question.question: question.supporting for question in questions}
        needed = {identifier for supporting in gold.values() for identifier in supporting}
        passages = {passage.id: passage for passage in corpus if passage.id in needed}
        if missing := sorted(needed - passages.keys()):
            raise MismatchError(
                f"the corpus lacks {len(missing)} gold passages of these questions, '{missing[0]}' first."
            )
        self._gold = {text: [passages[identifier] for identifier in ids] for text, ids in gold.items()}
        self.most = max(map(len, self._gold.values()), default=0)
        """The most gold passages that a question has."""
        self.fingerprint = f"gold-{blake2b(repr(sorted(self._gold.items())).encode(), digest_size=16).hexdigest()}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The gold passages of each query that is one of the questions."""
        return [[Hit(passage, 1.0) for passage in self._gold.get(query, ())[:k]] for query in queries]

    def __deepcopy__(self, memo: dict[int, Any]) -> "GoldPassages":
        return self


def references(
    questions: Iterable[Question],
    corpus: Iterable[Passage],
    retriever: RetrieverLike,
    *,
    k: int = 5,
    **limits: Unpack[Limits],
) -> Iterator[tuple[str, Program]]:
    """The reference programs by the names of their rows, such as `closed-book`, `one-step, k=5`, `gold-passages`."""
    yield "closed-book", Direct(**limits)
    yield f"one-step, k={k}", OneStep(retriever, k=k, **limits)
    gold = GoldPassages(questions, corpus)
    if gold.most:
        yield "gold-passages", OneStep(gold, k=gold.most, **limits)
