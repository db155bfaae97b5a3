"""The gain of `ranked-rag` over one retrieval, on a sample of the questions."""

import random
from collections.abc import Sequence
from typing import Any

import dspy

from ..base import RunFailed
from ..data import Question
from ..evaluation.matching import Match
from ..evaluation.metrics.passages import Recall
from ..evaluation.report.statistics import bootstrap_means, permutation_p_value
from ..evaluation.runner import evaluate
from ..programs import RankedRAG
from ..retrieval import Retriever, RetrieverLike
from .record import CorpusShape, RetrievalGain

K = 5
SEED = 0
JUDGED = 30
"""Passages that `ranked-rag` reads for a question, at most."""
MOST_PASSAGES = 100_000
"""Passages of a corpus in which a search for a whole passage, which finds the pages it names, takes no time."""
MOST_WORDS = 150_000
"""Words that the encoder reads in about a minute on two cores."""


class FindingOnly(RankedRAG):
    """RankedRAG that finds its passages and reads no answer from them, so that it needs no LM."""

    def __init__(self, retriever: RetrieverLike) -> None:
        """A `ranked-rag` without settings, and without the step that reads."""
        super().__init__(retriever)
        self.read = None

    async def ask(self, predictor: dspy.Module, /, **inputs: Any) -> dspy.Prediction:
        """No answer; what would be read is left unread."""
        return dspy.Prediction(answer="")


def too_large_for_gain(corpus: CorpusShape, sample: int) -> str:
    """The reason why the comparison would take longer than about a minute; empty where it would not."""
    words = round(sample * JUDGED * corpus.words.mean)
    if corpus.passages > MOST_PASSAGES:
        return f"the corpus has more than {MOST_PASSAGES:,} passages"
    if words > MOST_WORDS:
        return f"{sample:,} questions are about {words:,} words to read, more than {MOST_WORDS:,}"
    return ""


def measure_gain(
    questions: Sequence[Question], matches: Sequence[Match], retriever: Retriever, *, sample: int
) -> RetrievalGain:
    """Recall@5 of both, question by question, over a drawn sample.

    Args:
        questions: Those whose gold is known.
        matches: The places of their gold in the ranking for the question itself.
        retriever: The retriever that both search.
        sample: The most questions to draw.

    Raises:
        RunFailed: All questions failed, or the first ten in the same way.
    """
    import numpy as np

    drawn = sorted(random.Random(SEED).sample(range(len(questions)), min(sample, len(questions))))
    asked = {questions[place].id: matches[place].recall(K) for place in drawn}
    run = evaluate(
        FindingOnly(retriever),
        [questions[place] for place in drawn],
        metrics=[Recall(K)],
        cache="off",
        progress=False,
    )
    found = {row["id"]: row["metrics"].get(f"recall@{K}") for row in run.rows()}
    both = [(one, found[name]) for name, one in asked.items() if found.get(name) is not None]
    if not both:
        errors = ", ".join(f"{name} {count}" for name, count in run.summary["errors"].items())
        raise RunFailed(f"ranked-rag failed on all {len(asked)} questions: {errors}.")
    one_step, ranked_rag = np.array(both, float).T
    change = bootstrap_means({"change": ranked_rag - one_step})["change"]
    return RetrievalGain(
        questions=len(both),
        one_step=float(one_step.mean()),
        ranked_rag=float(ranked_rag.mean()),
        low=change.low,
        high=change.high,
        p_value=permutation_p_value(ranked_rag - one_step),
    )
