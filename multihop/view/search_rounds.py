"""A chain as a picture, round by round: its searches, what they found, the steps' answers, what the memories gained."""

from collections.abc import Iterable, Iterator
from typing import Any, NotRequired, TypedDict, cast

from ..runtime import StopStep, TrajectoryStep
from .search_tree import FoundPassages, ShownPassage

MEMORIES = ("evidence", "pathway", "history", "rationale", "thoughts")
"""Inputs in which a method hands on what it gathered: lists that grow from round to round."""
BOTH = {"evidence": "global evidence", "pathway": "local pathway"}
"""The names of the memories in a method that has these two."""


class RankedPassage(ShownPassage):
    """A passage that a query of a round found."""

    score: float
    new: bool
    """True if no earlier query of the question found it."""


class Query(TypedDict):
    """One query of a round."""

    text: str
    found: list[RankedPassage]


class ShownLabel(ShownPassage):
    """A chunk with its label."""

    tag: str
    """"continue" or "terminate"."""
    relevant: float
    """The probability that it helps."""
    words: list[str]
    """The words that were marked in it."""


class Next(TypedDict):
    """The origin of a query of the next round."""

    after: str
    """The title of the chunk it follows."""
    words: str
    query: str


class StepAnswer(TypedDict):
    """The answer of a step."""

    step: str
    outputs: dict[str, Any]
    error: NotRequired[str]
    """The error it ended with, or why the search ended here; missing otherwise."""


class Round(TypedDict):
    """One round of a chain: what was searched for, what was found, what the steps answered."""

    queries: list[Query]
    """The queries; none where an LM answered from memory."""
    labels: list[ShownLabel]
    """The chunks that were labelled, the most relevant first."""
    answers: list[StepAnswer]
    next: list[Next]
    """The origins of the next queries, where no LM wrote them."""
    memories: dict[str, list[str]]
    """The texts that each memory of the method gained in this round, by the memory's name."""


def picture_rounds(trajectory: Iterable[TrajectoryStep], found: FoundPassages) -> list[Round]:
    """The rounds: each begins with a search, or with several at once, after a step answered."""
    rounds: list[Round] = []
    seen: set[str] = set()
    gathered: dict[str, int] = {}
    for group in _at_once(trajectory):
        finds = [step for step in group if "query" in step]
        if not rounds or (finds and any(rounds[-1][what] for what in ("answers", "labels", "next"))):
            rounds.append({"queries": [], "labels": [], "answers": [], "next": [], "memories": {}})
        for step in group:
            if "inputs" in step:
                _remember(rounds[-1], gathered, step["inputs"])
            _add(rounds[-1], step, found, seen)
    return rounds


def _at_once(steps: Iterable[TrajectoryStep]) -> Iterator[list[TrajectoryStep]]:
    """The steps one after the other; those of branches that ran at the same time together."""
    for step in steps:
        if "branches" in step:
            yield [each for branch in step["branches"] for group in _at_once(branch) for each in group]
        else:
            yield [step]


def _add(to: Round, step: TrajectoryStep, found: FoundPassages, seen: set[str]) -> None:
    if "query" in step:
        hits = step.get("hits", [])
        passages = []
        for hit in hits:
            shown, is_new = found.show(hit["id"], hit["title"]), hit["id"] not in seen
            passages.append(RankedPassage(**shown, score=round(hit["score"], 3), new=is_new))
        seen.update(hit["id"] for hit in hits)
        to["queries"].append({"text": step["query"], "found": passages})
    elif "labels" in step:
        for each in step["labels"]:
            shown = found.show(each["id"], each["title"])
            label = ShownLabel(**shown, tag=each["tag"], relevant=each["relevant"], words=each["useful"])
            to["labels"].append(label)
        to["labels"].sort(key=lambda each: -each["relevant"])
    elif step["step"] == "filter" and "outputs" in step:
        outputs: Any = step["outputs"]
        to["next"].append({"after": outputs["after"], "words": outputs["marked"], "query": outputs["query"]})
    elif step["step"] == "stop":
        to["answers"].append({"step": "ended early", "outputs": {}, "error": cast(StopStep, step)["outputs"]["why"]})
    elif "tree" not in step:
        spoken: Any = step  # a step of any kind that says something, or where a limit was met
        answer = StepAnswer(step=spoken["step"], outputs=dict(spoken.get("outputs", {})))
        if "error" in spoken or "limit" in spoken:
            answer["error"] = spoken.get("error") or f"the budget of {spoken['limit']} was used up"
        to["answers"].append(answer)


def _remember(last: Round, gathered: dict[str, int], inputs: dict[str, Any]) -> None:
    """Give a memory's new texts to the round in which the memory first holds them."""
    names = BOTH if inputs.keys() >= BOTH.keys() else {}
    for name in MEMORIES:
        value = inputs.get(name)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            new = value[gathered.get(name, 0) :]
            gathered[name] = max(gathered.get(name, 0), len(value))
            if new:
                last["memories"].setdefault(names.get(name, name), []).extend(new)
