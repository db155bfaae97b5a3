"""The record of one question: every kind of step in `prediction.trajectory`, field by field.

A step is a plain dict that can be written as JSON. Its field "step" tells its kind; where it is none of the kinds named
here, it is the name of a predictor, and the step is an LM call (`AskStep`) or a method's own work (`OwnStep`).
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NotRequired, TypedDict, final


class TakenStep(TypedDict):
    """What every step may say besides."""

    path: NotRequired[list[int]]
    """The branches it was taken in, numbered from 1, the outermost first; only where a step is told as it is taken
    (`Program.stream`, `listening`), never in a trajectory."""


@final
class AskStep(TakenStep):
    """One LM call, with all its attempts."""

    step: str
    """The predictor's name in its program, such as "review"."""
    inputs: dict[str, Any]
    """What the LM was given; passages by their ids."""
    outputs: NotRequired[dict[str, Any]]
    """What it answered, field by field; missing where the call failed."""
    error: NotRequired[str]
    """The name of the error with which the call failed, "OverBudget" where the time ended it; missing otherwise."""


class FoundHit(TypedDict):
    """One passage that a query found."""

    id: str
    """The passage's id in the corpus."""
    title: str
    """Its title; may be empty."""
    score: float
    """The retriever's score, on the retriever's own scale."""


@final
class FindStep(TakenStep):
    """One query to the retriever."""

    step: Literal["find"]
    """The kind of step."""
    query: str
    """What was searched for."""
    k: int
    """How many hits were asked for."""
    hits: NotRequired[list[FoundHit]]
    """What was found, best first; missing where the retriever failed."""


@final
class BranchesStep(TakenStep):
    """Branches that ran at the same time."""

    step: Literal["branches"]
    """The kind of step."""
    branches: list[list["TrajectoryStep"]]
    """The steps of each branch, in the order in which the branches were started."""


@final
class BudgetStep(TakenStep):
    """The place at which the budget ended a search."""

    step: Literal["over budget"]
    """The kind of step."""
    limit: str
    """The limit that was reached, such as "20 calls"."""


class ReviewRecord(TypedDict, total=False):
    """What a review found about a path; texts that are empty are left out."""

    relevant: bool
    """Whether the path holds any part of what is needed."""
    enough: bool
    """Whether it holds everything."""
    analysis: str
    """What follows from it, if it is enough."""
    query: str
    """What to search for next, if it is not and the review itself says so."""
    failed: str
    """Why there is no verdict: "unparseable" or "over budget"."""


class PrunedPassage(TypedDict):
    """A passage that was found but not followed."""

    id: str
    """The passage's id in the corpus."""
    title: str
    """Its title; may be empty."""
    why: str
    """The reason: "on the path", "in the pool" or "nearly repeats another"."""


@final
class ReviewedNode(TypedDict):
    """One node of a tree of reviews: the passage at the end of its path, and the verdict on the path."""

    id: NotRequired[str]
    """The passage's id in the corpus; missing at the root, as is the title."""
    title: NotRequired[str]
    """The passage's title; may be empty."""
    action: Literal["accept", "search", "reject"]
    """What followed from the review."""
    review: NotRequired[ReviewRecord]
    """The review of the path; missing at the root."""
    query: NotRequired[str]
    """What was searched for below this node; missing where nothing was."""
    pruned: NotRequired[list[PrunedPassage]]
    """What the query found but was not followed; missing where all was."""
    children: list["ReviewedNode"]
    """What was followed, in the order of finding."""


class PathStepRecord(TypedDict):
    """One step of a searched path: a sub-question, or an action, with what came of it."""

    sub_question: str
    """The sub-question; for an agent the action, such as "search: Ada" or "finish: London"."""
    sentence: str
    """The sentence that answers it, where passages were read."""
    result: str
    """Its answer; empty where none was found."""
    passages: list[str]
    """The ids of the passages it retrieved."""
    thought: NotRequired[str]
    """What an agent thought before it acted; missing where it did not say."""


@final
class SearchedNode(TypedDict):
    """One node of a search over sub-questions or actions: its path's last step, and what the search knows of it."""

    sub_question: NotRequired[str]
    """The sub-question or action, see `PathStepRecord`; missing at the root, as are the next three fields."""
    sentence: NotRequired[str]
    """The sentence that answers it."""
    result: NotRequired[str]
    """Its answer."""
    passages: NotRequired[list[str]]
    """The ids of the passages it retrieved."""
    thought: NotRequired[str]
    """What an agent thought before it acted; missing where it did not say."""
    visits: NotRequired[int]
    """N of a Monte-Carlo tree search: how many rewards came through, in `lats` also the node's own first value; missing
    in other searches, as are the next two."""
    value: NotRequired[float]
    """Q: the sum of those rewards."""
    iteration: NotRequired[int]
    """The iteration that made the node, from 1 on; 0 at the root."""
    reward: float | None
    """The score of the path, or of its simulation, from 0 to 1; None at the root."""
    rollout: NotRequired[list[PathStepRecord]]
    """The simulated steps that earned the reward; they are no nodes. In a Monte-Carlo tree search only."""
    kept: NotRequired[bool]
    """Whether the search went on from here, or ended here; missing in a Monte-Carlo tree search."""
    chosen: bool
    """Whether the node lies on the path that was read."""
    children: list["SearchedNode"]
    """Longer paths, in the order in which they were proposed."""


@final
class TreeStep(TakenStep):
    """The whole tree of a finished search."""

    step: Literal["tree"]
    """The kind of step."""
    tree: ReviewedNode | SearchedNode
    """The root."""


class LabelledChunk(TypedDict):
    """What the labeler says of one chunk."""

    id: str
    """The chunk's id in the corpus."""
    title: str
    """Its title; may be empty."""
    tag: Literal["continue", "terminate"]
    """Whether it leads on: more is needed after it; in EfficientRAG's `loop="paper"`, whether it helps."""
    relevant: float
    """How likely it helps, from 0 to 1, rounded to three digits."""
    useful: list[str]
    """The pieces of its text that were marked."""


@final
class LabelStep(TakenStep):
    """The chunks that one query found, labelled."""

    step: Literal["label"]
    """The kind of step."""
    labels: list[LabelledChunk]
    """One label for each chunk, in the order of finding."""


class FilterOutputs(TypedDict):
    """How the filter came to its query."""

    after: str
    """The title of the chunk that the query follows."""
    marked: str
    """The words that the labeler marked in it."""
    query: str
    """The words that the filter picked."""


@final
class FilterStep(TakenStep):
    """The next query, made from the question and what was marked."""

    step: Literal["filter"]
    """The kind of step."""
    outputs: FilterOutputs
    """Where it comes from, and the query itself."""


class CombineOutputs(TypedDict):
    """How several answers became one."""

    by: Literal["token probabilities", "votes"]
    """What each answer counted with, beside the weight of its passage."""
    answers: dict[str, float]
    """What each answer came to, by its words in lower case."""


@final
class CombineStep(TakenStep):
    """Answers from single passages, combined into one."""

    step: Literal["combine"]
    """The kind of step."""
    outputs: CombineOutputs
    """The weight of every answer."""


@final
class OwnStep(TakenStep):
    """What a method of your own did without an LM call."""

    step: str
    """A name for it; none of those above."""
    outputs: dict[str, Any]
    """What came of it, JSON-able; viewers show it field by field."""


TrajectoryStep = (
    AskStep | FindStep | BranchesStep | BudgetStep | TreeStep | LabelStep | FilterStep | CombineStep | OwnStep
)
"""Any step of a trajectory."""


def searches(steps: Iterable[TrajectoryStep]) -> Iterator[FindStep]:
    """The searches on record, those of branches where the branches are.

    Examples:
        >>> from multihop.runtime import searches
        >>> first, second = ({"step": "find", "query": query, "k": 2} for query in ("Ada", "London"))
        >>> [step["query"] for step in searches([first, {"step": "branches", "branches": [[second]]}])]
        ['Ada', 'London']
    """
    for step in steps:
        if "query" in step:
            yield step
        elif "branches" in step:
            for branch in step["branches"]:
                yield from searches(branch)
