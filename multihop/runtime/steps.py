"""The record of one question: every kind of step in `prediction.trajectory`, field by field.

A step is a plain dict that can be written as JSON. Its field "step" tells its kind; where it is none of the kinds named
here, it is the name of a predictor, and the step is an LM call (`AskStep`) or a method's own work (`OwnStep`).
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NotRequired, TypedDict, final


class TakenStep(TypedDict):
    """The fields that any kind of step may have."""

    path: NotRequired[list[int]]
    """The branches it was taken in, numbered from 1, the outermost first; only where a step is told as it is taken
    (`Program.stream`, `listening`), never in a trajectory."""


@final
class AskStep(TakenStep):
    """One LM call, with all its attempts."""

    step: str
    """The predictor's name in its program, such as "review"."""
    inputs: dict[str, Any]
    """The inputs of the LM; passages by their ids."""
    outputs: NotRequired[dict[str, Any]]
    """The LM's answer, field by field; missing where the call failed."""
    error: NotRequired[str]
    """The name of the error with which the call failed, "OverBudget" where the time ended it; missing otherwise."""


class FoundHit(TypedDict):
    """One passage that a query found."""

    id: str
    """The passage's id in the corpus."""
    title: str
    """The passage's title; may be empty."""
    score: float
    """The retriever's score, on the retriever's own scale."""


@final
class FindStep(TakenStep):
    """One query to the retriever."""

    step: Literal["find"]
    """The kind of step."""
    query: str
    """The words that were searched for."""
    k: int
    """The number of hits that were asked for."""
    hits: NotRequired[list[FoundHit]]
    """The hits, best first; missing where the retriever failed."""


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
    """The findings of a review about a path; texts that are empty are left out."""

    relevant: bool
    """True if the path holds any part of what is needed."""
    enough: bool
    """True if it holds everything."""
    analysis: str
    """The conclusion from it, if it is enough."""
    query: str
    """The next query, if it is not and the review itself says so."""
    failed: str
    """The reason why there is no verdict: "unparseable" or "over budget"."""


class PrunedPassage(TypedDict):
    """A passage that was found but not followed."""

    id: str
    """The passage's id in the corpus."""
    title: str
    """The passage's title; may be empty."""
    why: str
    """The reason: "on the path", "in the pool" or "reviewed with the same" paragraphs."""


@final
class ReviewedNode(TypedDict):
    """One node of a tree of reviews: the passage at the end of its path, and the verdict on the path."""

    id: NotRequired[str]
    """The passage's id in the corpus; missing at the root, as is the title."""
    title: NotRequired[str]
    """The passage's title; may be empty."""
    action: Literal["accept", "search", "reject"]
    """The action that followed from the review."""
    review: NotRequired[ReviewRecord]
    """The review of the path; missing at the root."""
    query: NotRequired[str]
    """The query below this node; missing where there was none."""
    pruned: NotRequired[list[PrunedPassage]]
    """The passages that the query found but that were not followed; missing where all were."""
    children: list["ReviewedNode"]
    """The passages that were followed, in the order of finding."""


class PathStepRecord(TypedDict):
    """One step of a searched path: a sub-question, or an action, with what came of it."""

    sub_question: str
    """The sub-question; for an agent the action, such as "search: Ada" or "finish: London"."""
    sentence: str
    """The sentence that answers it, where passages were read."""
    result: str
    """The answer to it; empty where none was found."""
    passages: list[str]
    """The ids of the passages it retrieved."""
    thought: NotRequired[str]
    """The agent's thought before it acted; missing where it did not say."""


@final
class SearchedNode(TypedDict):
    """One node of a search over sub-questions or actions: its path's last step, and what the search knows of it."""

    sub_question: NotRequired[str]
    """The sub-question or action, see `PathStepRecord`; missing at the root, as are the next three fields."""
    sentence: NotRequired[str]
    """The sentence that answers it."""
    result: NotRequired[str]
    """The answer to it."""
    passages: NotRequired[list[str]]
    """The ids of the passages it retrieved."""
    thought: NotRequired[str]
    """The agent's thought before it acted; missing where it did not say."""
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
    """True if the search went on from here, or ended here; missing in a Monte-Carlo tree search."""
    chosen: bool
    """True if the node lies on the path that was read."""
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
    """The labeler's verdict on one chunk."""

    id: str
    """The chunk's id in the corpus."""
    title: str
    """The passage's title; may be empty."""
    tag: Literal["continue", "terminate"]
    """"continue" if it leads on: more is needed after it; in `efficientrag`, if it helps."""
    relevant: float
    """The probability that it helps, from 0 to 1, rounded to three digits."""
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
    """The way in which the filter came to its query."""

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
    """The query and its origin."""


class CombineOutputs(TypedDict):
    """The weights by which several answers became one."""

    by: Literal["token probabilities", "votes"]
    """The kind of number that each answer counted with, beside the weight of its passage."""
    answers: dict[str, float]
    """The weight of each answer in all, by its words in lower case."""


@final
class CombineStep(TakenStep):
    """Answers from single passages, combined into one."""

    step: Literal["combine"]
    """The kind of step."""
    outputs: CombineOutputs
    """The weight of every answer."""


class StopOutputs(TypedDict):
    """The rule that ended a search, or one branch of it, before its limits did."""

    rule: Literal["repeats", "nothing-new"]
    """The rule, by its name in the setting `stops`."""
    why: str
    """The reason, in a sentence."""


@final
class StopStep(TakenStep):
    """The place at which a rule ended a search, or one branch of it, early."""

    step: Literal["stop"]
    """The kind of step."""
    outputs: StopOutputs
    """The rule and its reason."""


@final
class OwnStep(TakenStep):
    """A step that a method of your own took without an LM call."""

    step: str
    """A name for it; none of those above."""
    outputs: dict[str, Any]
    """The step's results, JSON-able; viewers show them field by field."""


TrajectoryStep = (
    AskStep
    | FindStep
    | BranchesStep
    | BudgetStep
    | TreeStep
    | LabelStep
    | FilterStep
    | CombineStep
    | StopStep
    | OwnStep
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
    return (step for step in each_step(steps) if "query" in step)


def each_step(steps: Iterable[TrajectoryStep]) -> Iterator[TrajectoryStep]:
    """The steps on record, those of branches where the branches are."""
    for step in steps:
        if "branches" in step:
            for branch in step["branches"]:
                yield from each_step(branch)
        else:
            yield step
