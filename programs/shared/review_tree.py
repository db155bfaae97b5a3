"""A tree of reviewed paths as values: what a review found, what it counts, what led to an answer, how it is drawn."""

from typing import Any, NamedTuple, cast

from ...retrieval import Passage
from ...runtime import ReviewedNode
from ..search import Node
from .evidence import agree

PassagePath = tuple[Passage, ...]


class Review(NamedTuple):
    """What was found about one path."""

    relevant: bool = False
    """Whether it holds any part of what is needed."""
    enough: bool = False
    """Whether it holds everything."""
    analysis: str = ""
    """What follows from it, if it is enough."""
    query: str = ""
    """What to search for next, if the review says so."""
    failed: str = ""
    """Why there is no verdict: "unparseable" or "over budget"."""


ReviewTree = Node[Passage, Review]


def paths_to(answer: str, tree: ReviewTree) -> list[PassagePath]:
    """The accepted paths whose analysis agrees with the answer (all, if none does), with what leads up to them."""
    accepted = [node for node in tree.walk() if node.action == "accept" and node.finding]
    led = [node for node in accepted if node.finding and agree(node.finding.analysis, answer)] or accepted
    return list(dict.fromkeys(node.path[:length] for node in led for length in range(len(node.path) + 1)))


def count_reviews(tree: ReviewTree) -> dict[str, int]:
    """The paper's counters: distinct paragraphs reviewed, accepted paths, and how many reviews it took."""
    reviewed = [node for node in tree.walk() if node.path]
    return {
        "documents": len({node.path[-1].id for node in reviewed}),
        "evidence": sum(node.action == "accept" for node in reviewed),
        "reviews": len(reviewed),
    }


def draw_review_tree(node: ReviewTree, queries: dict[PassagePath, str]) -> ReviewedNode:
    """The tree as plain values that a viewer can draw."""
    about: dict[str, Any] = {"action": node.action}
    if node.path:
        about = {"id": node.path[-1].id, "title": node.path[-1].title, **about}
    if node.finding is not None:
        about["review"] = {name: value for name, value in node.finding._asdict().items() if value not in ("", None)}
    if node.path in queries:
        about["query"] = queries[node.path]
    if node.pruned:
        about["pruned"] = [{"id": passage.id, "title": passage.title, "why": why} for passage, why in node.pruned]
    return cast(ReviewedNode, {**about, "children": [draw_review_tree(child, queries) for child in node.children]})
