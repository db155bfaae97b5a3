"""The labeler and the filter of EfficientRAG: small networks that tag chunks, mark words, and pick the next query."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import dspy

from ...encoder import USEFUL, Encoder, Judgement, NextQuery, Pair
from ...retrieval import Passage, RetrieverLike
from ...runtime import FilterOutputs, FilterStep, LabelledChunk, LabelStep, Share, together
from ...signatures import AnswerFromPassages, CheckSuggestion
from .reads_last import ReadsLast


class LabelAndFilter(ReadsLast):
    """A method in which a labeler and a filter decide what to search for next, and an LM only reads at the end.

    Subclasses say which networks of the encoder they are: `judged` and `picked`.
    """

    calls = "1; 2 with suggests=true"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the chunks."""
    useful_at: Share = USEFUL
    """From this probability on a word is marked useful."""
    weights: str | None = None
    """The folder of an encoder of your own (`multihop train`); the built-in one if not given."""
    suggests: bool = False
    """True to have another reader answer first, the step "suggest" (with `lms={"suggest": local()}` the built-in one),
    and the last step check what it says: of use where the LM is small."""

    def set_up(self) -> None:
        """Open the labeler and the filter."""
        self.encoder = Encoder.load(self.weights)
        if self.suggests:
            self.suggest = dspy.Predict(AnswerFromPassages)
        self.read = dspy.Predict(CheckSuggestion if self.suggests else AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return (1 + self.suggests) * self.reads

    @property
    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of the weights, wherever they are."""
        return {"weights": self.encoder.fingerprint}

    def goes_on(self, label: Judgement) -> bool:
        """True if the label is the tag "continue"."""
        raise NotImplementedError

    async def judged(self, pair: Pair) -> Judgement:
        """The label of one page, by the labeler."""
        raise NotImplementedError

    async def picked(self, asked: str, marked: str) -> NextQuery:
        """The next query after a question or query and the words marked under it, by the filter."""
        raise NotImplementedError

    async def read_passages(self, passages: Sequence[Passage], question: str) -> str | None:
        """The answer that the reader gives, or that it makes of another reader's."""
        inputs: dict[str, Any] = {"passages": passages, "question": question}
        if self.suggests:
            inputs["suggestion"] = (await self.read_last(self.suggest, **inputs)).answer
        answer: str | None = (await self.read_last(self.read, **inputs)).answer
        return answer

    async def label(self, text: str, pages: Sequence[Passage], known: tuple[str, ...] = ()) -> list[Judgement]:
        """Label each page under a question or query, and under what is known."""
        labels = await together(*(self.judged(Pair(text, str(page), known)) for page in pages))
        record = [self.describe_label(page, label) for page, label in zip(pages, labels, strict=True)]
        self.record(LabelStep(step="label", labels=record))
        return labels

    def marks(self, page: Passage, label: Judgement) -> list[str]:
        """The useful words of the page, neighbours together."""
        return [str(page)[start:end] for start, end in label.marks(self.useful_at)]

    async def pick_query(self, asked: str, page: Passage, marked: str) -> str:
        """The next query after the page: words of what was asked and of what is marked in it."""
        picked = await self.picked(asked, marked)
        outputs: FilterOutputs = {"after": page.title, "marked": marked, "query": picked.query}
        self.record(FilterStep(step="filter", outputs=outputs))
        return picked.query

    def describe_label(self, page: Passage, label: Judgement) -> LabelledChunk:
        """The label as the record shows it."""
        return {
            "id": page.id,
            "title": page.title,
            "tag": "continue" if self.goes_on(label) else "terminate",
            "relevant": round(label.relevant, 3),
            "useful": self.marks(page, label),
        }


def count_chunks(hops: int, labelled: Sequence[Passage], helpful: Sequence[Passage]) -> dict[str, int]:
    """The counts of a question: rounds, chunks labelled and chunks found helpful, with repeats and each once.

    Args:
        hops: Rounds of retrieval.
        labelled: The chunks that were labelled, as often as they were.
        helpful: Those found helpful, as often as they were: the paper's K.
    """
    return {
        "hops": hops,
        "labelled": len(labelled),
        "documents": len(set(labelled)),
        "kept": len(helpful),
        "pool": len({passage.id for passage in helpful}),
    }
