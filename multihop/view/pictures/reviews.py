"""A tree of reviews as a picture: the passage at the end of each path, its verdict, its query, and what was pruned."""

from ...runtime import ReviewedNode
from .known_passages import KnownPassages
from .node import LeftOut, PictureNode


def picture_reviews(node: ReviewedNode, known: KnownPassages, question: str = "") -> PictureNode:
    """The tree from this node on.

    Args:
        node: The node as the trajectory has it.
        known: The passages of the question.
        question: The name of the root.
    """
    review = node.get("review", {})
    verdict = ", ".join(
        (name if review[name] else f"not {name}")  # type: ignore[literal-required]
        for name in ("relevant", "enough")
        if name in review
    )
    texts = [
        ("verdict", verdict or (f"none: {review['failed']}" if "failed" in review else "")),
        ("analysis", review.get("analysis", "")),
        ("query", node.get("query", "") or review.get("query", "")),
    ]
    picture: PictureNode = {
        "label": question,
        "mark": node["action"] if "id" in node else "",
        "texts": [(name, text) for name, text in texts if text],
        "children": [picture_reviews(child, known) for child in node["children"]],
    }
    if "id" in node:
        passage = known.show(node["id"], node.get("title", ""))
        picture |= {"label": passage["title"], "passage": passage}
    if "pruned" in node:
        picture["left_out"] = [
            LeftOut(**known.show(each["id"], each["title"]), why=each["why"]) for each in node["pruned"]
        ]
    return picture
