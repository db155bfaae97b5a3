"""All questions in one strip, by their outcome: of a run, and, where two runs are compared, what was won and lost."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict

from ...evaluation.row import Row

Outcome = Literal["right", "part", "wrong", "error", "unknown"]
"""Right by exact match, right in part (an F1 above 0), wrong, failed, or not known."""
OUTCOMES: Mapping[Outcome, str] = {
    "right": "right",
    "part": "right in part",
    "wrong": "wrong",
    "error": "failed",
    "unknown": "not known",
}
"""The outcomes in the order in which they are drawn, in words."""
FLIPS = {"gained": "became right", "both": "right in both", "neither": "right in neither", "lost": "became wrong"}
"""The outcomes of two runs, likewise."""
MOST_CELLS = 250
"""Questions up to which each is drawn as a cell of its own."""


class Segment(TypedDict):
    """The questions of one outcome."""

    kind: str
    """The outcome."""
    words: str
    """The same in words."""
    places: list[int]
    """The places of its questions in the run's table."""
    start: float
    """The place at which the segment begins, from 0 to 1,000."""
    width: float
    """Its width, likewise."""


class OutcomeStrip(TypedDict):
    """All questions of a run, one beside the other."""

    run: int
    """The run's place among the runs."""
    filters: str
    """The end of the names of the filters that show a segment's questions alone."""
    segments: list[Segment]
    """The outcomes that there are."""
    cells: list[float]
    """The places of the lines between the questions; none where they are too many."""


def outcome_of(row: Row) -> Outcome:
    """The outcome of a question."""
    if row.get("error"):
        return "error"
    exact = row["metrics"].get("em")
    if exact is None:
        return "unknown"
    return "right" if exact == 1.0 else "part" if row["metrics"].get("f1") else "wrong"


def strip_of_run(outcomes: Sequence[Outcome], run: int = 0) -> OutcomeStrip:
    """A run's questions by outcome.

    Args:
        outcomes: The outcome of each question, in the order of the run's table.
        run: The run's place among the runs.
    """
    return _strip(((kind, words, _places(outcomes, kind)) for kind, words in OUTCOMES.items()), run, f"-{run}")


def strip_of_pair(
    ids: Sequence[str], outcomes: Sequence[Outcome], gained: Iterable[str], lost: Iterable[str], *, b: int, pair: int
) -> OutcomeStrip:
    """The questions that two runs answered, by what the second made of them.

    Args:
        ids: The second run's questions.
        outcomes: The outcome of each.
        gained: The ids of those that it alone has right.
        lost: The ids of those that the first alone has right.
        b: The second run's place among the runs.
        pair: The place of the comparison among all.
    """
    won, gone = set(gained), set(lost)
    kinds = [
        "gained" if each in won else "lost" if each in gone else _kept(outcome)
        for each, outcome in zip(ids, outcomes, strict=True)
    ]
    return _strip(((kind, words, _places(kinds, kind)) for kind, words in FLIPS.items()), b, f"-{pair}")


def _kept(outcome: Outcome) -> str:
    return {"right": "both", "part": "neither", "wrong": "neither"}.get(outcome, "")


def _places(kinds: Sequence[str], kind: str) -> list[int]:
    return [place for place, each in enumerate(kinds) if each == kind]


def _strip(groups: Iterable[tuple[str, str, list[int]]], run: int, filters: str) -> OutcomeStrip:
    kinds = [group for group in groups if group[2]]
    total = sum(len(places) for _, _, places in kinds)
    segments: list[Segment] = []
    before = 0
    for kind, words, places in kinds:
        start, width = (round(1000 * count / total, 2) for count in (before, len(places)))
        segments.append({"kind": kind, "words": words, "places": places, "start": start, "width": width})
        before += len(places)
    cells = [round(1000 * place / total, 2) for place in range(1, total)] if total <= MOST_CELLS else []
    return {"run": run, "filters": filters, "segments": segments, "cells": cells}
