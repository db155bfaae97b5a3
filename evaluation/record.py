"""One question answered and measured: a plain function of the program and the question, and the row it gives."""

import asyncio
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import dspy

from ..data import Question
from ..programs import Cost, Program
from .metrics import Metric
from .metrics.answer import answer_of

Row = dict[str, Any]


async def answer_question(
    program: Program, question: Question, metrics: Iterable[Metric], *, timeout: float | None = None
) -> Row:
    """The journal's row for one question; a failure becomes a row too, with the error's name.

    Args:
        program: What answers.
        question: What is asked, with its gold.
        metrics: What to measure.
        timeout: Seconds after which the question counts as failed.
    """
    row: Row = {
        "id": question.id,
        "question": question.question,
        "type": question.type,
        "hops": question.hops,
        "answers": list(question.answers),
        "supporting": list(question.supporting),
    }
    try:
        async with asyncio.timeout(timeout):
            prediction = await program.acall(question=question.question)
        row |= {"status": "over_budget" if prediction.over_budget else "ok", "error": None}
        row["answer"] = answer_of(prediction)
        row["metrics"] = {metric.name: await metric.ameasure(question, prediction) for metric in metrics}
        row |= {"passages": _ranking(prediction), "evidence": prediction.evidence}
        counts = prediction.get("counts", {})
        if "rounds" in counts and question.supporting:
            counts = {**counts, "over_planning": over_planning(prediction.trajectory, question.supporting)}
        row |= {"trajectory": prediction.trajectory, "cost": prediction.cost, "counts": counts}
    except Exception as error:
        row |= {"status": "error", "error": {"type": type(error).__name__, "message": str(error)[:2000]}}
        row |= {"answer": None, "metrics": {}, "passages": [], "evidence": []}
        row |= {"trajectory": getattr(error, "trajectory", []), "cost": getattr(error, "cost", Cost().to_dict())}
    return row


def over_planning(trajectory: Iterable[dict[str, Any]], supporting: Collection[str]) -> int:
    """The retrievals made after all gold passages had been found.

    Examples:
        >>> from multihop.evaluation.record import over_planning
        >>> rounds = [{"step": "find", "hits": [{"id": name}]} for name in ("p1", "p2", "p3")]
        >>> over_planning(rounds, ["p1", "p2"]), over_planning(rounds, ["p9"])
        (1, 0)
    """
    missing, after = set(supporting), 0
    for step in trajectory:
        if step["step"] == "find":
            after += not missing
            missing -= {hit["id"] for hit in step.get("hits", ())}
    return after


def _ranking(prediction: dspy.Prediction) -> list[tuple[str, float | None]]:
    """The passages' ids, best first, each with the best score that a retrieval gave it."""
    scores: dict[str, float] = {}
    for hit in _hits(prediction.trajectory):
        scores[hit["id"]] = max(hit["score"], scores.get(hit["id"], hit["score"]))
    return [(passage.id, scores.get(passage.id)) for passage in prediction.passages]


def _hits(steps: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for step in steps:
        yield from step.get("hits", ())
        for branch in step.get("branches", ()):
            yield from _hits(branch)
