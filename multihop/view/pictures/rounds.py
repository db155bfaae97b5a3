"""A chain as a picture, round by round: its searches, what they found, the steps' answers, what the memories gained."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from ...runtime import StopStep, TrajectoryStep
from .known_passages import KnownPassages
from .node import FoundPassage, Next, Query, Round, ShownLabel, StepAnswer

MEMORIES = ("evidence", "pathway", "history", "rationale", "thoughts")
"""Inputs in which a method hands on what it gathered: lists that grow from round to round."""
BOTH = {"evidence": "global evidence", "pathway": "local pathway"}
"""The names of the memories in a method that has these two."""


def picture_rounds(trajectory: Iterable[TrajectoryStep], known: KnownPassages) -> list[Round]:
    """The rounds: each begins with a search, or with several at once, after a step answered."""
    rounds: list[Round] = []
    seen: set[str] = set()
    gathered: dict[str, int] = {}
    for group in _at_once(trajectory):
        finds = [step for step in group if "query" in step]
        if not rounds or (finds and _has_answers(rounds[-1])):
            rounds.append({"queries": [], "labels": [], "answers": [], "next": [], "memories": {}})
        for step in group:
            if "inputs" in step:
                _remember(rounds, gathered, step["inputs"])
            _add(rounds[-1], step, known, seen)
    return rounds


def _at_once(steps: Iterable[TrajectoryStep]) -> Iterator[list[TrajectoryStep]]:
    """The steps one after the other; those of branches that ran at the same time together."""
    for step in steps:
        if "branches" in step:
            yield [each for branch in step["branches"] for group in _at_once(branch) for each in group]
        else:
            yield [step]


def _has_answers(last: Round) -> bool:
    return bool(last["answers"] or last["labels"] or last["next"])


def _add(to: Round, step: TrajectoryStep, known: KnownPassages, seen: set[str]) -> None:
    if "query" in step:
        hits = step.get("hits", [])
        found = [
            FoundPassage(**known.show(hit["id"], hit["title"]), score=round(hit["score"], 3), new=hit["id"] not in seen)
            for hit in hits
        ]
        seen.update(hit["id"] for hit in hits)
        to["queries"].append(Query(text=step["query"], found=found))
    elif "labels" in step:
        labels = [
            ShownLabel(
                **known.show(each["id"], each["title"]),
                tag=each["tag"],
                relevant=each["relevant"],
                words=each["useful"],
            )
            for each in step["labels"]
        ]
        to["labels"] = sorted([*to["labels"], *labels], key=lambda each: -each["relevant"])
    elif step["step"] == "filter" and "outputs" in step:
        outputs: Any = step["outputs"]
        to["next"].append(Next(after=outputs["after"], words=outputs["marked"], query=outputs["query"]))
    elif step["step"] == "stop":
        why = cast(StopStep, step)["outputs"]["why"]
        to["answers"].append(StepAnswer(step="ended early", outputs={}, error=why))
    elif "tree" not in step:
        spoken: Mapping[str, Any] = step  # a step of any kind that says something, or where a limit was met
        answer = StepAnswer(step=spoken["step"], outputs=dict(spoken.get("outputs", {})))
        if "error" in spoken or "limit" in spoken:
            answer["error"] = spoken.get("error") or f"the budget of {spoken['limit']} was used up"
        to["answers"].append(answer)


def _remember(rounds: list[Round], gathered: dict[str, int], inputs: dict[str, Any]) -> None:
    """Give a memory's new texts to the round in which the memory first holds them."""
    names = BOTH if inputs.keys() >= BOTH.keys() else {}
    for name in MEMORIES:
        value = inputs.get(name)
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            new = value[gathered.get(name, 0) :]
            gathered[name] = max(gathered.get(name, 0), len(value))
            if new:
                rounds[-1]["memories"].setdefault(names.get(name, name), []).extend(new)
