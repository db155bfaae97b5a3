"""The picture of a search that still goes on, made of its steps as they are told."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from ...programs.shared.sub_questions import SubQuestionSearch
from ...programs.tree_of_reviews import TreeOfReviews
from ...runtime import Program, TrajectoryStep
from ...runtime.observe.steps import BranchesStep
from .growing_paths import GrowingPaths
from .growing_reviews import GrowingReviews
from .known_passages import passages_found
from .node import Picture, PictureNode
from .rounds import picture_rounds
from .searched import picture_searched
from .telling_apart import tell_children_apart

_OFTEN = 10
"""A picture is due once the steps are more by one in so many: all of them stay a few times as large as the last."""


class GrowingPicture:
    """Takes the steps of a question as they are told, and has the picture of what they came to so far.

    The steps name the path that they are about, from which a tree is put together before the program records its own.
    The last picture is still that of the trajectory: only the finished tree knows what was pruned, and what was chosen.

    Examples:
        >>> from multihop import BM25, OneStep, Passage
        >>> from multihop.view.pictures.growing import GrowingPicture
        >>> growing = GrowingPicture("Which river?", OneStep(BM25.build([Passage("1", "Po", "A river.")])))
        >>> hits = [{"id": "1", "title": "Po", "score": 2.0}]
        >>> growing.take({"step": "find", "query": "river", "k": 1, "hits": hits, "path": []})
        True
        >>> growing.picture["rounds"][0]["queries"][0]["found"][0]["title"]
        'Po'
    """

    def __init__(self, question: str, program: Program) -> None:
        """Nothing was searched for yet.

        Args:
            question: The question, which names the root.
            program: The program that answers it: its class says what kind of tree it grows, if any.
        """
        self.question, self.steps = question, list[TrajectoryStep]()
        self._shown = 0
        self._reviews = GrowingReviews(program) if isinstance(program, TreeOfReviews) else None
        self._paths = None
        if isinstance(program, SubQuestionSearch):
            self._paths = GrowingPaths(repeats="repeats" not in program.stops)

    def take(self, step: TrajectoryStep) -> bool:
        """Take a step as it is told, with its "path"; true if a new picture is due."""
        self.steps.append(step)
        for tree in (self._reviews, self._paths):
            if tree is not None:
                tree.take(step)
        due = len(self.steps) >= self._shown + max(1, self._shown // _OFTEN)
        if due:
            self._shown = len(self.steps)
        return due

    @property
    def picture(self) -> Picture:
        """The picture as of now."""
        known = passages_found(self.steps)
        if self._reviews is not None:
            return _told_apart("reviews", self._reviews.draw(known, self.question))
        if self._paths is not None:
            return _told_apart("searched", picture_searched(self._paths.root, known, self.question))
        rounds = picture_rounds(with_branches(self.steps), known)
        return {"kind": "rounds", "rounds": rounds} if rounds else {"kind": "none"}


def _told_apart(kind: Literal["reviews", "searched"], root: PictureNode) -> Picture:
    tell_children_apart(root)
    return {"kind": kind, "root": root}


def with_branches(steps: Iterable[TrajectoryStep], depth: int = 0) -> list[TrajectoryStep]:
    """Steps as they were told, those of branches put where the branches are, as a trajectory has them.

    Examples:
        >>> from multihop.view.pictures.growing import with_branches
        >>> told = [{"step": "find", "path": [2]}, {"step": "find", "path": [1]}, {"step": "read", "path": []}]
        >>> [len(step.get("branches", ())) for step in with_branches(told)]
        [2, 0]
    """
    found: list[TrajectoryStep] = []
    together: dict[int, list[TrajectoryStep]] = {}

    def close() -> None:
        if together:
            branches: Sequence[Any] = [with_branches(together[number], depth + 1) for number in sorted(together)]
            found.append(BranchesStep(step="branches", branches=list(branches)))
            together.clear()

    for step in steps:
        path = step.get("path", [])
        if len(path) > depth:
            together.setdefault(path[depth], []).append(step)
        else:
            close()
            found.append(step)
    close()
    return found
