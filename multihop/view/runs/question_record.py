"""One question in full: the answer beside gold, what was found of the gold, the search as a picture, every step."""

from collections.abc import Iterable
from typing import Any, NotRequired, TypedDict

from ...evaluation.row import Failure, Row
from ...runtime import CostRecord, TrajectoryStep, searches
from ..pictures import picture_search
from ..pictures.known_passages import KnownPassages, passages_found, shown_passages
from ..pictures.node import Picture, ShownPassage


class RankedPassage(ShownPassage):
    """A passage that the program returned."""

    score: float | None
    """The best score that a retrieval gave it."""


class GoldState(ShownPassage):
    """A gold passage, and the place at which it was found."""

    rank: int | None
    """Its place among the passages returned, from 1 on; None where it is not among them."""
    found: bool
    """True if any query found it."""


class QuestionRecord(TypedDict):
    """One question, as a page shows it."""

    id: str
    """Its id."""
    answers: list[str]
    """The accepted answers."""
    answer: str | None
    """The answer; None in an error."""
    error: Failure | None
    """The failure, where there is no answer."""
    metrics: dict[str, float | None]
    """The metrics that were measured."""
    gold: list[GoldState]
    """The gold passages, found or not."""
    passages: list[RankedPassage]
    """The passages that the program returned, best first."""
    evidence: list[Any]
    """The support that the program gives for the answer."""
    picture: Picture
    """The search."""
    steps: list[TrajectoryStep]
    """Every step, but the tree, which is the picture."""
    cost: CostRecord
    """The cost of the question."""
    counts: dict[str, float]
    """The method's own counters."""


def describe_question(row: Row) -> QuestionRecord:
    """The row as a page shows it."""
    known = passages_found(row["trajectory"], row["supporting"])
    record: QuestionRecord = {
        "id": row["id"],
        "answers": row["answers"],
        "answer": row["answer"],
        "error": row.get("error"),
        "metrics": row["metrics"],
        "gold": list(_gold(row, known)),
        "passages": [RankedPassage(**known.show(name), score=score) for name, score in row["passages"]],
        "evidence": row["evidence"],
        "picture": picture_search(row),
        "steps": [step for step in row["trajectory"] if "tree" not in step],
        "cost": row["cost"],
        "counts": row.get("counts", {}),
    }
    return record


def passages_of(record: QuestionRecord) -> list[ShownPassage]:
    """Every passage that the page of the question names, as often as it does."""
    return list(shown_passages([record["gold"], record["passages"], record["picture"]]))


def _gold(row: Row, known: KnownPassages) -> Iterable[GoldState]:
    ranks = {name: rank for rank, (name, _) in reversed(list(enumerate(row["passages"], 1)))}
    found = {hit["id"] for step in searches(row["trajectory"]) for hit in step.get("hits", ())}
    for name in row["supporting"]:
        yield GoldState(**known.show(name), rank=ranks.get(name), found=name in found or name in ranks)
