"""The parts of a picture of a search, whatever the method: nodes of a tree, and rounds of a chain."""

from typing import Any, Literal, NotRequired, TypedDict

Mark = Literal["", "accept", "search", "reject", "kept", "dropped", "chosen"]
"""The fate of a node; "chosen" is the path that was read."""


class ShownPassage(TypedDict):
    """A passage by its id."""

    id: str
    """Its id in the corpus."""
    title: str
    """Its title; the id where it is not known."""
    gold: bool
    """True if it is a gold passage of the question."""


class LeftOut(ShownPassage):
    """A passage that was found but not followed."""

    why: str
    """The reason."""


class PictureNode(TypedDict):
    """One node of a searched tree."""

    label: str
    """The node in a few words: a passage's title, a sub-question, an action."""
    short: NotRequired[str]
    """The label from where it differs from its siblings', or the answer where they are the same; missing where it
    begins unlike theirs."""
    mark: Mark
    """The node's fate."""
    passage: NotRequired[ShownPassage]
    """The passage that the node stands for; missing where it stands for a sub-question."""
    texts: list[tuple[str, str]]
    """The texts about the node, each with its name, such as ("analysis", "..."); none is empty."""
    numbers: NotRequired[dict[str, float]]
    """Figures by name: "visits" and "value" of a Monte-Carlo search, "reward"."""
    iteration: NotRequired[int]
    """The iteration that made it; 0 at the root, missing in other searches."""
    passages: NotRequired[list[ShownPassage]]
    """The passages that the node retrieved."""
    left_out: NotRequired[list[LeftOut]]
    """The passages that were found below the node but not followed."""
    rollout: NotRequired[list[list[tuple[str, str]]]]
    """The simulated steps that earned the reward, each as `texts`."""
    children: list["PictureNode"]
    """The nodes below."""


class FoundPassage(ShownPassage):
    """A passage that a query of a round found."""

    score: float
    """The retriever's score."""
    new: bool
    """True if no earlier query of the question found it."""


class Query(TypedDict):
    """One query of a round."""

    text: str
    """The words that were searched for."""
    found: list[FoundPassage]
    """The passages found, best first."""


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
    """The words marked in it."""
    query: str
    """The query."""


class StepAnswer(TypedDict):
    """The answer of a step."""

    step: str
    """The step."""
    outputs: dict[str, Any]
    """Its answer, field by field."""
    error: NotRequired[str]
    """The error it ended with, or why the search ended here; missing otherwise."""


class Round(TypedDict):
    """One round of a chain: what was searched for, what was found, what the steps answered."""

    queries: list[Query]
    """The queries; none where an LM answered from memory."""
    labels: list[ShownLabel]
    """The chunks that were labelled, the most relevant first."""
    answers: list[StepAnswer]
    """The answers of the steps after the search."""
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
