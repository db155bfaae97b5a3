"""The questions of a run: as a table, each in full with its search and its passages, and in one strip by outcome."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from ..base import MismatchError
from ..evaluation.row import Failure, Row
from ..retrieval import Passage
from ..runtime import CostRecord, TrajectoryStep, searches, token_count
from .comparison import ComparedPair
from .drawn_search import Picture, picture_search, shorten
from .search_tree import FoundPassages, ShownPassage, shown_passages

LONGEST = 4_000
"""Characters of a passage that are shown."""
Outcome = Literal["right", "part", "wrong", "error", "unknown"]
"""Right by exact match, right in part (an F1 above 0), wrong, failed, or not known."""
PassageTexts = dict[str, tuple[str, str]]
"""Title and text by id."""


class QuestionList(TypedDict):
    """A run's questions, column by column, so that ten thousand of them stay small; all of one length and order."""

    id: list[str]
    question: list[str]
    type: list[str]
    hops: list[int]
    status: list[str]
    """"ok", "over_budget" or "error"."""
    answer: list[str]
    """The answers; in an error the error's name."""
    gold: list[str]
    """The first accepted answer; empty where none is known."""
    outcome: list[Outcome]
    complete: list[bool | None]
    """True where all gold passages are among those returned; None where that is not known."""
    metrics: dict[str, list[float | None]]
    calls: list[int]
    tokens: list[int]
    seconds: list[float]


def line_of(row: Row) -> dict[str, Any]:
    """A question as one line of the table, column by column."""
    error, measured = row.get("error"), row["metrics"]
    recall = measured.get("recall@K")
    return {
        "id": row["id"],
        "question": row["question"],
        "type": row.get("type", ""),
        "hops": row.get("hops", 0),
        "status": row["status"],
        "answer": error["type"] if error else (row["answer"] or ""),
        "gold": row["answers"][0] if row["answers"] else "",
        "outcome": outcome_of(row),
        "complete": None if recall is None else recall == 1.0,
        "calls": row["cost"]["calls"],
        "tokens": token_count(row["cost"]["tokens"]),
        "seconds": round(row["cost"]["seconds"], 3),
        "metrics": {name: round(number, 4) for name, number in measured.items() if number is not None},
    }


def table_of(lines: Sequence[dict[str, Any]]) -> QuestionList:
    """The table of these lines; a metric that applies to no question is left out."""
    columns: dict[str, Any] = {name: [line[name] for line in lines] for name in QuestionList.__annotations__}
    measured = columns["metrics"]
    metrics = {name: [each.get(name) for each in measured] for name in sorted(set().union(*measured))}
    return cast(QuestionList, {**columns, "metrics": metrics})


class ReturnedPassage(ShownPassage):
    """A passage that the program returned."""

    score: float | None
    """The best score that a retrieval gave it."""


class GoldPassage(ShownPassage):
    """A gold passage, and the place at which it was found."""

    rank: int | None
    """The place among the passages returned, from 1 on; None where it is not among them."""
    found: bool
    """True if any query found it."""


class QuestionRecord(TypedDict):
    """One question, as a page shows it."""

    id: str
    answers: list[str]
    answer: str | None
    error: Failure | None
    metrics: dict[str, float | None]
    gold: list[GoldPassage]
    passages: list[ReturnedPassage]
    """The passages that the program returned, best first."""
    evidence: list[Any]
    picture: Picture
    steps: list[TrajectoryStep]
    """Every step, but the tree, which is the picture."""
    cost: CostRecord
    counts: dict[str, float]


def outcome_of(row: Row) -> Outcome:
    """The outcome of a question."""
    if row.get("error"):
        return "error"
    exact = row["metrics"].get("em")
    if exact is None:
        return "unknown"
    return "right" if exact == 1.0 else "part" if row["metrics"].get("f1") else "wrong"


def describe_question(row: Row) -> QuestionRecord:
    """The row as a page shows it."""
    found = FoundPassages.of(row["trajectory"], row["supporting"])
    return {
        "id": row["id"],
        "answers": row["answers"],
        "answer": row["answer"],
        "error": row.get("error"),
        "metrics": row["metrics"],
        "gold": list(_gold(row, found)),
        "passages": [ReturnedPassage(**found.show(name), score=score) for name, score in row["passages"]],
        "evidence": row["evidence"],
        "picture": picture_search(row["trajectory"], row["question"], row["supporting"]),
        "steps": [step for step in row["trajectory"] if "tree" not in step],
        "cost": row["cost"],
        "counts": row.get("counts", {}),
    }


def passages_of(record: QuestionRecord) -> list[ShownPassage]:
    """Every passage that the page of the question names, as often as it does."""
    return list(shown_passages([record["gold"], record["passages"], record["picture"]]))


def _gold(row: Row, found: FoundPassages) -> Iterator[GoldPassage]:
    ranks = {name: rank for rank, (name, _) in reversed(list(enumerate(row["passages"], 1)))}
    hits = {hit["id"] for step in searches(row["trajectory"]) for hit in step.get("hits", ())}
    for name in row["supporting"]:
        yield GoldPassage(**found.show(name), rank=ranks.get(name), found=name in hits or name in ranks)


def read_texts(wanted: set[str], corpus: Iterable[Passage]) -> PassageTexts:
    """Title and text of each passage that is wanted and there, in one pass through the corpus."""
    found = {each.id: (each.title, shorten(each.text, LONGEST)) for each in corpus if each.id in wanted}
    if wanted and not found:
        raise MismatchError(
            f"none of the {len(wanted):,} passages of the run is in the corpus, such as '{min(wanted)}'; "
            "give --corpus the one that was searched."
        )
    return found


def add_texts(record: Any, texts: PassageTexts) -> None:
    """Put into a question's record the texts of its passages, and their titles where it knew only ids."""
    record["texts"] = {}
    for passage in passages_of(record):
        title, text = texts.get(passage["id"], ("", ""))
        if passage["title"] == passage["id"] and title:
            passage["title"] = title
        if text:
            record["texts"][passage["id"]] = text


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
