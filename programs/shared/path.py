"""A searched path: the steps that it is made of, its score, and how prompts and records show it and its tree."""

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar, cast

import dspy

from ...retrieval import Passage
from ...runtime import PathStepRecord, SearchedNode
from ...signatures.output_types import HIGHEST
from ..search import Scored, Visited
from .evidence import wording

Item = TypeVar("Item")
PathTree = Visited[Any] | Scored[Any]


class PathStep(NamedTuple):
    """One step of a path, with its result."""

    act: Any
    """The sub-question, thought or action; as text, it tells one act from another."""
    sentence: str = ""
    """The sentence that answers a sub-question, where passages were read."""
    result: str = ""
    """The answer to a sub-question, the titles that a search found, or the answer with which a path finishes."""
    passages: tuple[Passage, ...] = ()
    """The passages retrieved for it."""
    confidence: float = 1.0
    """The share of its answers that say the same, where several were drawn."""
    thought: str = ""
    """The thought that led to an action; empty where there is none."""
    draw: int = 0
    """The number of the sample that an action is."""

    @property
    def record(self) -> PathStepRecord:
        """The step as plain values, its passages by id."""
        record = PathStepRecord(
            sub_question=str(self.act),
            sentence=self.sentence,
            result=self.result,
            passages=[passage.id for passage in self.passages],
        )
        if self.thought:
            record["thought"] = self.thought
        return record

    def __str__(self) -> str:
        """The step as a prompt shows it."""
        return f"{self.act} -> {self.result or 'not found'}"


StepPath = tuple[PathStep, ...]


def path_texts(path: Iterable[object]) -> tuple[str, ...]:
    """The path as a prompt shows it; two paths that read alike are one state."""
    return tuple(map(str, path))


def distinct(items: Iterable[Item]) -> list[Item]:
    """The items of which no earlier one reads the same, whatever its spacing and case."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(wording(str(item)), item)
    return list(first.values())


def read_score(verdict: dspy.Prediction) -> float:
    """The prediction's `score`, from 0 to 10, as a number from 0 to 1."""
    return float(verdict.score) / HIGHEST


def draw_path_tree(node: PathTree, chosen: tuple[Any, ...]) -> SearchedNode:
    """The tree from this node on: each node's last step, what the search knows of it, and whether it was chosen."""
    about: dict[str, Any] = dict(node.path[-1].record) if node.path else {}
    if isinstance(node, Visited):
        about |= {"visits": node.visits, "value": round(node.value, 6), "iteration": node.iteration}
        about["reward"] = node.reward
        about["rollout"] = [step.record for step in node.rollout]
    else:
        about |= {"reward": node.score, "kept": node.kept}
    about["chosen"] = chosen[: len(node.path)] == node.path
    return cast(SearchedNode, {**about, "children": [draw_path_tree(child, chosen) for child in node.children]})


def tree_of_path(path: tuple[Any, ...], scores: list[float]) -> Scored[Any]:
    """A single path with the score of each of its steps, as a tree."""
    node = Scored(path, scores[-1]) if path else Scored()
    for length in range(len(path) - 1, -1, -1):
        node = Scored(path[:length], scores[length - 1] if length else None, children=(node,))
    return node
