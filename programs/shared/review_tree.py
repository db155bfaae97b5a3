"""A tree of reviewed paths, with its counts, the paths that led to an answer, and its record."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

from ...retrieval import Passage
from ...runtime import Branch, ReviewedNode
from .evidence import agree

PassagePath = tuple[Passage, ...]
Verdict = Literal["accept", "search", "reject"]


class Review(NamedTuple):
    """The verdict on one path."""

    relevant: bool = False
    """True if it holds any part of what is needed."""
    enough: bool = False
    """True if it holds everything."""
    analysis: str = ""
    """The conclusion from it, if it is enough."""
    query: str = ""
    """The next query, if the review gives one."""
    failed: str = ""
    """The reason for having no verdict: "unparseable" or "over budget"."""


@dataclass(slots=True, eq=False)
class ReviewedPath:
    """One path of the tree: its review, what followed from it, and the longer paths below it."""

    path: PassagePath = ()
    """From the root to here; the root's own is empty."""
    review: Review = field(default_factory=Review)
    """Empty at the root."""
    action: Verdict = "search"
    """The verdict that followed from the review."""
    asked: tuple[str, ...] = ()
    """The queries that led to it, the question first."""
    query: str | None = None
    """The query that was searched for after it; None where there was none."""
    found: list[Passage] | None = None
    """The paragraphs that the search found; None before it was made."""
    children: list["ReviewedPath"] = field(default_factory=list)
    """The paths that go on from here, in the order in which they were found."""
    pruned: list[tuple[Passage, str]] = field(default_factory=list)
    """Paragraphs that were found here but not followed, with the reason."""
    branches: list[Branch[Any]] = field(default_factory=list)
    """The branches in which it was reviewed and gone on from."""

    def walk(self) -> Iterator["ReviewedPath"]:
        """The node and all below it, a node before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


def paths_to(answer: str, tree: ReviewedPath) -> list[ReviewedPath]:
    """The accepted paths whose analysis agrees with the answer (all, if none does), with what leads up to them."""
    accepted = [node for node in tree.walk() if node.action == "accept"]
    led = [node.path for node in accepted if agree(node.review.analysis, answer)] or [node.path for node in accepted]
    return [node for node in tree.walk() if any(path[: len(node.path)] == node.path for path in led)]


def count_reviews(tree: ReviewedPath) -> dict[str, int]:
    """The paper's counters: distinct paragraphs reviewed, accepted paths, and how many reviews it took."""
    reviewed = [node for node in tree.walk() if node.path]
    return {
        "documents": len({node.path[-1].id for node in reviewed}),
        "evidence": sum(node.action == "accept" for node in reviewed),
        "reviews": len(reviewed),
    }


def draw_review_tree(node: ReviewedPath) -> ReviewedNode:
    """The tree as plain values that a viewer can draw."""
    about: dict[str, Any] = {"action": node.action}
    if node.path:
        about = {"id": node.path[-1].id, "title": node.path[-1].title, **about}
        about["review"] = {name: value for name, value in node.review._asdict().items() if value not in ("", None)}
    if node.query is not None:
        about["query"] = node.query
    if node.pruned:
        about["pruned"] = [{"id": passage.id, "title": passage.title, "why": why} for passage, why in node.pruned]
    return cast(ReviewedNode, {**about, "children": [draw_review_tree(child) for child in node.children]})
