"""A tree of reviews as it grows: each review names the passages of its path."""

from typing import Any, cast

from ...programs.shared.review_tree import Review
from ...programs.tree_of_reviews import TreeOfReviews
from ...runtime import ReviewedNode, TrajectoryStep
from .known_passages import KnownPassages
from .node import PictureNode
from .reviews import picture_reviews

Path = tuple[str, ...]


class GrowingReviews:
    """The reviewed paths so far, as the trajectory will have them."""

    def __init__(self, program: TreeOfReviews) -> None:
        """The root alone."""
        self._program = program
        self.root: dict[str, Any] = {"action": "search", "children": []}
        self._nodes: dict[Path, dict[str, Any]] = {(): self.root}

    def take(self, step: TrajectoryStep) -> None:
        """Take a step, if it is about a path."""
        if "query" in step and "query" not in self.root:
            self.root["query"] = step["query"]
        told = cast(dict[str, Any], step)
        path, said = told.get("inputs", {}).get("path"), told.get("outputs", {})
        if not isinstance(path, list):
            return
        if "relevant" in said:
            self._review(tuple(path), said, told.get("path", []))
        elif "information" in said and (node := self._nodes.get(tuple(path))) is not None:
            node["query"] = said["information"]

    def draw(self, known: KnownPassages, question: str) -> PictureNode:
        """The tree as a picture."""
        for path, node in self._nodes.items():
            if path:
                node["title"] = known.titles.get(path[-1], "")
        return picture_reviews(cast(ReviewedNode, self.root), known, question)

    def _review(self, path: Path, said: dict[str, Any], branch: list[int]) -> None:
        if path in self._nodes or (parent := self._nodes.get(path[:-1])) is None:
            return
        review = {name: said.get(name) for name in ("relevant", "enough", "analysis", "query")}
        self._nodes[path] = {
            "id": path[-1],
            "action": self._program.action_after(Review(said["relevant"], said["enough"])),
            "review": {name: value for name, value in review.items() if value not in ("", None)},
            "children": [],
            "branch": branch,
        }
        parent["children"].append(self._nodes[path])
        parent["children"].sort(key=lambda child: child["branch"])
