"""All questions in one strip, by their outcome: of a run, and, where two runs are compared, what was won and lost."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from .comparison import ComparedPair
from .questions import Outcome, QuestionList

OUTCOMES: Mapping[Outcome, str] = {
    "right": "right",
    "part": "right in part",
    "wrong": "wrong",
    "error": "failed",
    "unknown": "not known",
}
"""The outcomes in the order in which they are drawn, in words."""
FLIPS = {"gained": "became right", "both": "right in both", "neither": "right in neither", "lost": "became wrong"}
"""The outcomes of two runs in the order in which they are drawn, in words."""
MOST_CELLS = 250
"""Questions up to which each is drawn as a cell of its own."""


class Segment(TypedDict):
    """The questions of one outcome."""

    kind: str
    words: str
    places: list[int]
    """The places of its questions in the run's table."""
    start: float
    """The place at which the segment begins, from 0 to 1,000."""
    width: float


class OutcomeStrip(TypedDict):
    """All questions of a run, one beside the other."""

    run: int
    """The run's place among the runs."""
    filters: str
    """The end of the names of the filters that show a segment's questions alone."""
    segments: list[Segment]
    cells: list[float]
    """The places of the lines between the questions; none where they are too many."""


def strip_of_run(outcomes: Sequence[Outcome]) -> OutcomeStrip:
    """The questions of the only run by outcome, from the outcome of each in the order of the run's table."""
    return _strip(outcomes, OUTCOMES, 0, "-0")


def strip_of_pair(questions: QuestionList, pair: ComparedPair, place: int) -> OutcomeStrip:
    """The second run's questions by what it made of them; the place is that of the comparison among all."""
    won, missed = set(pair["gained"]), set(pair["lost"])
    unchanged = {"right": "both", "part": "neither", "wrong": "neither"}
    kinds = [
        "gained" if each in won else "lost" if each in missed else unchanged.get(outcome, "")
        for each, outcome in zip(questions["id"], questions["outcome"], strict=True)
    ]
    return _strip(kinds, FLIPS, pair["b"], f"-{place}")


def _strip(kinds: Sequence[str], words: Mapping[Any, str], run: int, filters: str) -> OutcomeStrip:
    """The segments of each kind that there is, in the order of the words."""
    places = {kind: [place for place, each in enumerate(kinds) if each == kind] for kind in words}
    total = sum(map(len, places.values()))
    segments: list[Segment] = []
    before = 0
    for kind, of_kind in places.items():
        if of_kind:
            start, width = (round(1000 * count / total, 2) for count in (before, len(of_kind)))
            segments.append({"kind": kind, "words": words[kind], "places": of_kind, "start": start, "width": width})
            before += len(of_kind)
    cells = [round(1000 * place / total, 2) for place in range(1, total)] if total <= MOST_CELLS else []
    return {"run": run, "filters": filters, "segments": segments, "cells": cells}
