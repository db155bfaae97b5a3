"""The search for one answer as a picture, and as an object: drawn in text where it is printed, a page in a notebook."""

import io
from collections.abc import Collection, Sequence
from typing import Literal, NotRequired, TypedDict

from rich.text import Text

from ..base.imports import ShownInNotebooks
from ..base.terminal import Terminal
from ..evaluation.row import Row
from ..runtime import TrajectoryStep
from .search_lines import tree_of
from .search_rounds import Round, picture_rounds
from .search_tree import FoundPassages, PictureNode, picture_tree

WIDEST = 120
"""Columns of a search that is printed."""


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
