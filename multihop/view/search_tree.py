"""A searched tree as a picture: a tree of reviews, or a search over sub-questions or actions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from ..runtime import PathStepRecord, ReviewedNode, SearchedNode, TrajectoryStep, searches

Mark = Literal["", "accept", "search", "reject", "kept", "dropped", "chosen"]
"""The fate of a node; "chosen" is the path that was read."""
FEWEST = 2
"""Words that labels begin with alike, from which on these are left out."""


class ShownPassage(TypedDict):
    """A passage by its id."""

    id: str
    title: str
    gold: bool


class LeftOut(ShownPassage):
    """A passage that was found but not followed."""

    why: str


class PictureNode(TypedDict):
    """One node of a searched tree."""

    label: str
    """The node in a few words: a passage's title, a sub-question, an action."""
    short: NotRequired[str]
    """The label from where it differs from its siblings', or the answer where they are the same; missing where it
    begins unlike theirs."""
    mark: Mark
    passage: NotRequired[ShownPassage]
    """The passage that the node stands for; missing where it stands for a sub-question."""
    texts: list[tuple[str, str]]
    """The texts about the node, each with its name, such as ("analysis", "..."); none is empty."""
    numbers: NotRequired[dict[str, float]]
    """Figures by name: "visits" and "value" of a Monte-Carlo search, "reward"."""
    iteration: NotRequired[int]
    """The iteration that made it; 0 at the root, missing in other searches."""
    passages: NotRequired[list[ShownPassage]]
    left_out: NotRequired[list[LeftOut]]
    """The passages that were found below the node but not followed."""
    rollout: NotRequired[list[list[tuple[str, str]]]]
    """The simulated steps that earned the reward, each as `texts`."""
    children: list["PictureNode"]


class FoundPassages(NamedTuple):
    """The passages that the steps of one question found."""

    gold: Collection[str]
    titles: dict[str, str]

    @classmethod
    def of(cls, trajectory: Iterable[TrajectoryStep], gold: Collection[str]) -> "FoundPassages":
        """The passages of a trajectory."""
        titles = {hit["id"]: hit["title"] for step in searches(trajectory) for hit in step.get("hits", ())}
        return cls(frozenset(gold), titles)

    def show(self, identifier: str, title: str = "") -> ShownPassage:
        """The passage as a page names it."""
        title = title or self.titles.get(identifier, "") or identifier
        return {"id": identifier, "title": title, "gold": identifier in self.gold}


def picture_tree(tree: ReviewedNode | SearchedNode, found: FoundPassages, question: str) -> PictureNode:
    """The tree from its root on, which the question names."""
    picture = _reviewed(tree, found, question) if "action" in tree else _searched(tree, found, question)
    shorten_labels(picture)
    return picture


def shown_passages(value: Any) -> Iterator[ShownPassage]:
    """Every passage that is shown in a record or picture, wherever it is in it."""
    if isinstance(value, dict):
        if isinstance(value.get("gold"), bool):
            yield value  # type: ignore[misc]
        for name, part in value.items():
            if name != "outputs":  # what an LM said is no picture
                yield from shown_passages(part)
    elif isinstance(value, list):
        for part in value:
            yield from shown_passages(part)


def _reviewed(node: ReviewedNode, found: FoundPassages, question: str = "") -> PictureNode:
    """A node of a tree of reviews: the passage at the end of its path, the verdict, the query, and what was pruned."""
    review = node.get("review", {})
    verdicts = [(name, review[name]) for name in ("relevant", "enough") if name in review]  # type: ignore[literal-required]
    verdict = ", ".join(name if holds else f"not {name}" for name, holds in verdicts)
    texts = [
        ("verdict", verdict or (f"none: {review['failed']}" if "failed" in review else "")),
        ("analysis", review.get("analysis", "")),
        ("query", node.get("query", "") or review.get("query", "")),
    ]
    picture: PictureNode = {
        "label": question,
        "mark": node["action"] if "id" in node else "",
        "texts": [(name, text) for name, text in texts if text],
        "children": [_reviewed(child, found) for child in node["children"]],
    }
    if "id" in node:
        passage = found.show(node["id"], node.get("title", ""))
        picture |= {"label": passage["title"], "passage": passage}
    if "pruned" in node:
        pruned = [LeftOut(**found.show(each["id"], each["title"]), why=each["why"]) for each in node["pruned"]]
        picture["left_out"] = pruned
    return picture


def _searched(node: SearchedNode, found: FoundPassages, question: str = "") -> PictureNode:
    """A node of a search: visits, values and iterations, and whether it is on the path that was read."""
    picture: PictureNode = {
        "label": node.get("sub_question", "") or question,
        "mark": _mark(node),
        "texts": _texts(node),
        "children": [_searched(child, found) for child in node["children"]],
    }
    numbers = {name: node.get(name) for name in ("visits", "value", "reward")}
    if shown := {name: value for name, value in numbers.items() if isinstance(value, int | float)}:
        picture["numbers"] = shown
    if "iteration" in node:
        picture["iteration"] = node["iteration"]
    if node.get("passages"):
        picture["passages"] = [found.show(identifier) for identifier in node["passages"]]
    if node.get("rollout"):
        picture["rollout"] = [[("asked", step["sub_question"]), *_texts(step)] for step in node["rollout"]]
    return picture


def _mark(node: SearchedNode) -> Mark:
    if node["chosen"]:
        return "chosen"
    if "kept" in node:
        return "kept" if node["kept"] else "dropped"
    return ""


def _texts(step: SearchedNode | PathStepRecord) -> list[tuple[str, str]]:
    """Thought, answer and sentence; the sentence only where it says more than the answer."""
    texts = [("thought", step.get("thought", "")), ("answer", step.get("result", ""))]
    if step.get("sentence", "") != step.get("result", ""):
        texts.append(("sentence", step.get("sentence", "")))
    return [(name, text) for name, text in texts if text]


def shorten_labels(node: PictureNode) -> None:
    """Give each node whose label begins like that of a sibling a short one, for maps without room for whole ones."""
    labels = [child["label"] for child in node["children"]]
    for place, child in enumerate(node["children"]):
        if short := _short_label(labels, place) or _answer_as_label(child, labels):
            child["short"] = short
        shorten_labels(child)


def _short_label(labels: Sequence[str], place: int) -> str:
    """The label from where it differs from the sibling that it begins most like; empty where it begins unlike all."""
    words = labels[place].split()
    others = [label.split() for at, label in enumerate(labels) if at != place and label != labels[place]]
    alike = max((_words_alike(words, other) for other in others), default=0)
    return f"…{' '.join(words[alike:])}" if FEWEST <= alike < len(words) else ""


def _words_alike(words: Sequence[str], other: Sequence[str]) -> int:
    """The number of words that both begin with."""
    pairs = enumerate(zip(words, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(words), len(other)))


def _answer_as_label(node: PictureNode, labels: Sequence[str]) -> str:
    """The answer of a node whose label a sibling has too; empty for others."""
    if labels.count(node["label"]) < 2:
        return ""
    return next((f"→ {text}" for name, text in node["texts"] if name == "answer"), "")
