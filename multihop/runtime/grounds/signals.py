"""Numbers about a finished answer by which right ones can be told from wrong ones, read from the record of a question.

They cost nothing: all that is looked at is there already. The encoder's own are in `reading.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict

from ...english.normal_form import has_form, normal_form
from ...english.refusals import refuses
from ...retrieval import Passage
from ..observe.steps import TrajectoryStep, searches

FIRST = 5
"""Passages that are looked at, the best ones."""


class Signals(TypedDict, total=False):
    """The numbers of one answer; what a program or its LM does not tell is missing."""

    words: float
    """Words of the answer, six at most."""
    refused: float
    """1 if the answer says that there is none."""
    yes_or_no: float
    """1 if the answer is "yes" or "no"."""
    echo: float
    """1 if the answer stands in the question."""
    stands: float
    """The share of the first passages in which it stands."""
    agreement: float
    """The share of the conclusions on the way that name it; missing where a method draws none."""
    enough: float
    """The highest probability, or verdict, with which a step found that enough was known; missing where none asks."""
    score: float
    """The reward of the path that a search chose, where there is one."""
    searches: float
    """Retrievals, eight at most."""
    over_budget: float
    """1 if the budget ended the search."""
    complete: float
    """The encoder's log odds that first passages, read together, hold all that the answer takes."""
    first: float
    """Its log odds that the passage which helps most is part of the way to the answer."""
    second: float
    """The same of the passage that helps second most."""
    span: float
    """The logarithm of the probability that the encoder would give this very answer; -12 at least."""
    margin: float
    """The same, less that of the likeliest other answer; between -6 and 6."""


def free_signals(question: str, answer: str, fields: Mapping[str, Any]) -> Signals:
    """The numbers that the record of a question has.

    Args:
        question: The question.
        answer: The answer.
        fields: The prediction's fields: "passages", "evidence", "trajectory" and "over_budget".

    Examples:
        >>> from multihop.retrieval import Passage
        >>> from multihop.runtime.grounds.signals import free_signals
        >>> etna = Passage("1", "Etna", "Etna is a volcano in Sicily.")
        >>> found = {"passages": [etna], "evidence": [], "trajectory": [], "over_budget": False}
        >>> signals = free_signals("On which island is Etna?", "Sicily", found)
        >>> signals["stands"], signals["echo"], "enough" in signals
        (1.0, 0.0, False)
    """
    form = normal_form(answer)
    passages: list[Passage] = [each for each in fields.get("passages") or () if isinstance(each, Passage)][:FIRST]
    steps: list[TrajectoryStep] = fields.get("trajectory") or []
    signals: Signals = {
        "words": float(min(6, len(form.split()))),
        "refused": float(refuses(answer)),
        "yes_or_no": float(form in ("yes", "no")),
        "echo": float(has_form(question, form)),
        "stands": sum(has_form(str(each), form) for each in passages) / max(1, len(passages)),
        "searches": float(min(8, sum(1 for _ in searches(steps)))),
        "over_budget": float(bool(fields.get("over_budget"))),
    }
    conclusions = [text for piece in fields.get("evidence") or () if (text := _conclusion(piece))]
    if conclusions:
        signals["agreement"] = sum(has_form(text, form) for text in conclusions) / len(conclusions)
    if verdicts := [*_verdicts(steps)]:
        signals["enough"] = max(verdicts)
    if (reward := _chosen_reward(steps)) is not None:
        signals["score"] = reward
    return signals


def _conclusion(piece: Any) -> str:
    """The conclusion of a piece of evidence, or the result of a path's step; empty where it has neither."""
    if not isinstance(piece, Mapping):
        return ""
    return str(piece.get("analysis") or piece.get("result") or "")


def _verdicts(steps: Iterable[TrajectoryStep]) -> Iterator[float]:
    """Each verdict that enough is known."""
    for step in flat(steps):
        told = step.get("outputs") or {}
        if isinstance(enough := told.get("enough"), bool | float | int):
            yield float(enough)


def _chosen_reward(steps: Iterable[TrajectoryStep]) -> float | None:
    """The reward at the end of the path that a search chose."""
    for step in flat(steps):
        node, reward = step.get("tree"), None
        while isinstance(node, Mapping):
            reward = node.get("reward") if node.get("reward") is not None else reward
            node = next((child for child in node.get("children", ()) if child.get("chosen")), None)
        if reward is not None:
            return float(reward)
    return None


def flat(steps: Iterable[TrajectoryStep]) -> Iterator[dict[str, Any]]:
    """All steps, those of branches in the place of the branches."""
    for step in steps:
        record: dict[str, Any] = step  # type: ignore[assignment]
        if isinstance(record.get("branches"), list):
            for branch in record["branches"]:
                yield from flat(branch)
        else:
            yield record
