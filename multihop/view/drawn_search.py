"""The search for one answer as a picture, and as an object: drawn in text where it is printed, a page in a notebook.

A chain is drawn round by round: its searches, what they found, the steps' answers, what the memories gained.
"""

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict, cast

from rich.text import Text

from ..base.imports import ShownInNotebooks
from ..base.terminal import Terminal
from ..evaluation.row import Row
from ..runtime import StopStep, TrajectoryStep
from .search_lines import tree_of
from .search_tree import FoundPassages, PictureNode, ShownPassage, picture_tree

WIDEST = 120
"""Columns of a search that is printed."""
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


class Picture(TypedDict):
    """The search for one answer."""

    kind: Literal["reviews", "searched", "rounds", "none"]
    """A tree of reviews, a tree of sub-questions or actions, rounds of a chain, or nothing that was searched."""
    root: NotRequired[PictureNode]
    """The root of a tree."""
    rounds: NotRequired[list[Round]]
    """The rounds of a chain."""


def picture_search(trajectory: Sequence[TrajectoryStep], question: str, gold: Collection[str] = ()) -> Picture:
    """The search as a tree where the method made one, else as the rounds of its chain; the root is the question."""
    found = FoundPassages.of(trajectory, gold)
    for step in trajectory:
        if "tree" in step:
            root = picture_tree(step["tree"], found, question)
            return {"kind": "reviews" if "action" in step["tree"] else "searched", "root": root}
    rounds = picture_rounds(trajectory, found)
    return {"kind": "rounds", "rounds": rounds} if rounds else {"kind": "none"}


class DrawnSearch(ShownInNotebooks):
    """The search for an answer as a picture: `prediction.search`, or `run.search(QUESTION)` of a finished run."""

    def __init__(
        self, trajectory: Sequence[TrajectoryStep], question: str = "the question", gold: Collection[str] = ()
    ) -> None:
        """Draw the trajectory of a prediction, with the ids of the passages that are gold in it."""
        self.picture, self.question = picture_search(trajectory, question, gold), question
        self._trajectory = trajectory

    @classmethod
    def of_row(cls, row: Row) -> "DrawnSearch":
        """The search of a finished question, with what is gold in it."""
        return cls(row["trajectory"], row["question"], row["supporting"])

    def __repr__(self) -> str:
        """The tree as it grew, or the steps one after the other, as `multihop ask` shows them."""
        file = io.StringIO()
        console = Terminal(file=file, width=WIDEST, color_system=None, force_jupyter=False)
        console.print(tree_of(Text(self.question), self._trajectory))
        return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def shorten(text: str, longest: int) -> str:
    """The text, or its beginning where it is longer."""
    return text if len(text) <= longest else f"{text[:longest]}…"


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
