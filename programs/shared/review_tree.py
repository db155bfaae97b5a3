"""A tree of reviewed paths: its steps, its nodes, its pool of evidence, and its record."""

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import dspy

from ...retrieval import Passage
from ...runtime import explore
from ...signatures import (
    AnswerFromPassages,
    AnswerQuestion,
    CompletePath,
    CompletePathAloud,
    JudgePath,
    JudgePathAloud,
    ReadAnalyses,
    ReadEvidence,
    ReviewPath,
    ReviewPathAloud,
)
from .evidence import Evidence, agree, distinct_passages, nearest_first

Expansion = Literal["direct", "cot", "mpc"]
Fusion = Literal["analysis", "paragraph", "evidence"]
IN_ORDER = 15
"""With more passages than that, those nearest to the answer come first."""


def reviewer(expansion: Expansion, *, reasons: bool) -> dspy.Module:
    """The predictor that reviews a path: it writes the next query itself unless a further call does."""
    if reasons or expansion == "cot":
        return dspy.ChainOfThought(JudgePathAloud if expansion == "mpc" else ReviewPathAloud)
    return dspy.Predict(JudgePath if expansion == "mpc" else ReviewPath)


def completer(*, reasons: bool) -> dspy.Module:
    """The predictor that writes the missing paragraph, and if it `reasons`, what answer follows from it."""
    return dspy.ChainOfThought(CompletePathAloud) if reasons else dspy.Predict(CompletePath)


def reader(shown: Fusion | Literal["memory"], *, reasons: bool) -> dspy.Module:
    """The predictor that reads that part of the pool, or answers from memory."""
    signatures = {
        "analysis": ReadAnalyses,
        "paragraph": AnswerFromPassages,
        "evidence": ReadEvidence,
        "memory": AnswerQuestion,
    }
    return dspy.ChainOfThought(signatures[shown]) if reasons else dspy.Predict(signatures[shown])


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

    path: tuple[Passage, ...] = ()
    """From the root to here; the root's own is empty."""
    asked: tuple[str, ...] = ()
    """The queries that led to it, the question first."""
    review: Review = field(default_factory=Review)
    """Empty at the root."""
    action: Literal["accept", "search", "reject"] = "search"
    """The verdict that followed from the review."""
    query: str | None = None
    """The query that was searched for after it; None where there was none."""
    found: list[Passage] = field(default_factory=list)
    """The paragraphs that this search found."""
    children: list["ReviewedPath"] = field(default_factory=list)
    """The paths that go on from here, in the order in which they were found."""
    pruned: list[tuple[Passage, str]] = field(default_factory=list)
    """Paragraphs that were found here but not followed, with the reason."""
    branches: list[Any] = field(default_factory=list)
    """The branches in which it was reviewed and gone on from."""

    def walk(self) -> Iterator["ReviewedPath"]:
        """The node and all below it, a node before its children."""
        yield self
        for child in self.children:
            yield from child.walk()

    def pool(self) -> list[Evidence]:
        """The accepted paths; if there is none, the relevant ones, deepest first."""
        accepted = [Evidence(node.review.analysis, node.path) for node in self.walk() if node.action == "accept"]
        relevant = [Evidence("", node.path) for node in self.walk() if node.review.relevant]
        return accepted or sorted(relevant, key=lambda piece: -len(piece.passages))

    def paths_to(self, answer: str) -> list["ReviewedPath"]:
        """The accepted paths whose analysis agrees with the answer (all, if none does), with what leads up to them."""
        accepted = [node for node in self.walk() if node.action == "accept"]
        led = [node for node in accepted if agree(node.review.analysis, answer)] or accepted
        return [node for node in self.walk() if any(end.path[: len(node.path)] == node.path for end in led)]

    @property
    def counts(self) -> dict[str, int]:
        """The paper's counters: distinct paragraphs reviewed, accepted paths, and how many reviews it took."""
        reviewed = [node for node in self.walk() if node.path]
        return {
            "documents": len({node.path[-1].id for node in reviewed}),
            "evidence": sum(node.action == "accept" for node in reviewed),
            "reviews": len(reviewed),
        }

    @property
    def record(self) -> dict[str, Any]:
        """The tree as plain values that a viewer can draw: a `ReviewedNode` of the runtime."""
        about: dict[str, Any] = {"action": self.action}
        if self.path:
            about = {"id": self.path[-1].id, "title": self.path[-1].title, **about}
            about["review"] = {name: value for name, value in self.review._asdict().items() if value not in ("", None)}
        if self.query is not None:
            about["query"] = self.query
        if self.pruned:
            about["pruned"] = [{"id": passage.id, "title": passage.title, "why": why} for passage, why in self.pruned]
        return {**about, "children": [child.record for child in self.children]}


async def in_own_branches(nodes: Sequence[ReviewedPath], *work: Coroutine[Any, Any, None]) -> None:
    """Do the work of each node, all at once; each node keeps the branch in which its work was done."""
    for node, branch in zip(nodes, await explore(*work), strict=True):
        node.branches.append(branch)


@dataclass(slots=True)
class Seen:
    """The paragraphs that a search has met on accepted paths, and those that it has reviewed together."""

    accepted: set[str] = field(default_factory=set)
    together: set[frozenset[str]] = field(default_factory=set)

    def accept(self, nodes: Iterable[ReviewedPath]) -> None:
        """Note the paragraphs of those paths that were accepted."""
        self.accepted.update(each.id for node in nodes if node.action == "accept" for each in node.path)


async def returned_passages(pool: Sequence[Evidence], response: dspy.Prediction, retriever: object) -> list[Passage]:
    """The passages of the pool, each once; of more than 15 those nearest to the response first."""
    passages = distinct_passages(pool)
    if len(passages) <= IN_ORDER:
        return passages
    said = f"{response.get('reasoning') or ''} {response.answer}".strip()
    embed = getattr(getattr(retriever, "encoder", None), "embed", None)
    return distinct_passages(await asyncio.to_thread(nearest_first, pool, said, embed))
