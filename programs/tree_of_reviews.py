"""Tree of Reviews: every retrieved paragraph is a node, and every path is reviewed as a whole.

Jiapeng Li et al., "Tree of Reviews: A Tree-based Dynamic Iterative Retrieval Framework for Multi-hop Question
Answering" (2024), section 3.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import field
from itertools import accumulate
from operator import mul
from typing import Annotated, Any, Literal

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic import Field

from ..retrieval import Passage, RetrieverLike
from ..runtime import Count, TreeStep, current_branch, in_branches, keep
from ..signatures import (
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
from .shared.agreement import most_that_agree
from .shared.evidence import Evidence, distinct_passages, fitting, nearest_first, similarity
from .shared.review_tree import PassagePath, Review, ReviewedPath, Verdict, count_reviews, draw_review_tree, paths_to
from .shared.stopping import StopsEarly

Expansion = Literal["direct", "cot", "mpc"]
Fusion = Literal["analysis", "paragraph", "evidence"]
Pruning = Literal["relevance", "repetition", "semantic"]
Order = Literal["by-level", "depth-first"]
Reasoned = Literal["review", "complete", "read"]

NEAR_DUPLICATE = 0.8
"""From this share of common words on, two paragraphs say the same."""
RETURNED = 15
"""With more passages than that, those nearest to the answer come first."""


class TreeOfReviews(StopsEarly):
    """The answer read from a pool of evidence, each piece a path of paragraphs that was reviewed and found enough.

    The question is the root; every paragraph retrieved for it becomes a child. Each path is reviewed: one that is not
    relevant is rejected; one that is relevant but not enough is searched further, with a query for what it lacks; one
    that is enough is accepted with its analysis. A reader answers from all accepted paths.

    With more than 15 passages, those of the evidence nearest to the reader's response come first: by the vectors of the
    retriever's own encoder where it has one (`Dense`, `Hybrid`), by common words otherwise. The paper does not name its
    measure of likeness.

    The paper does not say what happens if no path is accepted: here the paragraphs of the relevant paths are read, each
    once and deepest first, whatever the fusion, and if there is none, the question is answered from memory. Nor does it
    say what ends a path without pruning. Its table 5 counts a full tree there (65 reviews), so without "relevance"
    every path goes on to the depth, accepted ones too, and without "repetition" a paragraph may come again, on its own
    path too. A review that cannot be parsed counts as not relevant. One that gives no query searches for the question.

    Differs from the paper: the tree grows level by level, all reviews of a level at once, and what was accepted on the
    levels above prunes what is retrieved below; `order="depth-first"` is the paper's own order. All steps answer at
    once; with `reason=("review", "complete", "read")` they think first, as the paper's do, and the writer of the
    missing paragraph also says what answer follows. With `mpc` the review writes no query, as none is searched for.
    `pruning` may name "semantic" (paragraphs that nearly repeat one in the pool or on the path), and `stop_after` ends
    the search at so many accepted paths that come to the same answer. With `stops`, two of which rules are on by
    default, a path ends at a query that led to it (the question apart), and is not reviewed where one of the same
    paragraphs was, in whatever order.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs import TreeOfReviews
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")]
        >>> lm = scripted([
        ...     {"relevant": True, "enough": True, "analysis": "She was born in London."},
        ...     {"answer": "London"},
        ... ])
        >>> with dspy.context(lm=lm):
        ...     prediction = TreeOfReviews(BM25.build(corpus))(question="Where was Ada Lovelace born?")
        >>> prediction.answer, prediction.counts["evidence"]
        ('London', 1)
    """

    name = "tor"
    paper = "Tree of Reviews (Li et al., 2024)"
    calls = "1 a path reviewed, 1 a further search (mpc), 1 to read"
    small = {"depth": 2, "widths": (3, 2)}
    planner = "review"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the paragraphs."""
    depth: Count = 3
    """The longest path, in paragraphs."""
    widths: Annotated[tuple[Count, ...], Field(min_length=1)] = (5, 3, 3)
    """Paragraphs to retrieve at each depth; the last also serves any depth below it."""
    expansion: Expansion = "mpc"
    """The source of the next query: the review itself ("direct"), the review after thinking about what is missing
    ("cot"), or a further call that writes the missing paragraph ("mpc")."""
    fusion: Fusion = "evidence"
    """The part of each accepted path that the reader is shown: its analysis, its paragraphs, or both ("evidence")."""
    pruning: tuple[Pruning, ...] = ("relevance", "repetition")
    """The paths that are not followed: those that are not relevant or are enough already ("relevance"), that go on to a
    paragraph that is on the path or in the pool ("repetition"), or to one that nearly repeats another ("semantic")."""
    order: Order = "by-level"
    """Level by level, all at once, or depth-first, one after the other."""
    stop_after: Count | None = None
    """Stop at so many accepted paths whose analyses come to the same answer."""
    reason: tuple[Reasoned, ...] = ()
    """Steps that think before they write: the review ("review"; that of `cot` always does), with `mpc` the writer of
    the missing paragraph ("complete"), and the reader ("read"), which then may say several sentences of which the last
    gives the answer."""
    reader_tokens: Count = 4096
    """The most that the reader is shown; evidence is added while it fits."""

    def set_up(self) -> None:
        """Set up the reviewer and the reader."""
        thinks = "read" in self.reason
        self.review = reviewer(self.expansion, reasons="review" in self.reason)
        if self.expansion == "mpc":
            self.complete = completer(reasons="complete" in self.reason)
        self.read = reader(self.fusion, reasons=thinks)
        if self.fusion != "paragraph":
            self.read_paths = reader("paragraph", reasons=thinks)
        self.answer = predictor(AnswerQuestion, reasons=thinks)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        widths = [self.widths[min(depth, len(self.widths) - 1)] for depth in range(self.depth)]
        nodes: list[int] = list(accumulate(widths, mul))
        completions = sum(nodes[:-1]) if self.expansion == "mpc" else 0
        return sum(nodes) + completions + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Grow the tree, then read what it accepted."""
        grow = self.grow_depth_first if self.order == "depth-first" else self.grow_by_level
        tree = await grow(question)
        self.record(TreeStep(step="tree", tree=draw_review_tree(tree)))
        pool = self.pool(tree)
        response = await self.read_pool(question, pool)
        answer = response.answer
        keep(branch for node in paths_to(answer, tree) for branch in node.branches)
        passages = distinct_passages(pool)
        if len(passages) > RETURNED:
            passages = distinct_passages(await self.sort_by_likeness(pool, full_text(response)))
        return dspy.Prediction(
            answer=answer,
            passages=passages,
            evidence=[piece.record for piece in pool],
            counts=count_reviews(tree),
        )

    async def grow_by_level(self, question: str) -> ReviewedPath:
        """The tree, all paths of one length at once; what was accepted above prunes what is found below.

        What follows a path is retrieved as soon as it is reviewed; where the level may be the last, once it is.
        """
        root = ReviewedPath()
        accepted: list[ReviewedPath] = []
        reviewed: set[frozenset[str]] = set()

        async def review(node: ReviewedPath) -> None:
            await self.review_node(question, node)
            if self.goes_on(node) and self.stop_after is None:
                await in_branches(self.retrieve(question, node))

        level = [root]
        while level:
            await in_branches(*(self.retrieve(question, node) for node in level if node.found is None))
            level = [child for node in level for child in self.follow(node, accepted, reviewed)]
            await in_branches(*map(review, level))
            accepted += [node for node in level if node.action == "accept"]
            if self.is_agreed(question, accepted):
                break
            level = [node for node in level if self.goes_on(node)]
        return root

    async def grow_depth_first(self, question: str) -> ReviewedPath:
        """The tree, one path after the other; whatever was accepted before prunes what is found later."""
        root = ReviewedPath()
        accepted: list[ReviewedPath] = []
        reviewed: set[frozenset[str]] = set()
        over = False

        async def descend(node: ReviewedPath) -> None:
            nonlocal over
            await in_branches(self.retrieve(question, node))
            for place, child in enumerate(self.follow(node, accepted, reviewed)):
                if over:
                    del node.children[place:]
                    return
                await in_branches(self.review_node(question, child))
                if child.action == "accept":
                    accepted.append(child)
                    over = self.is_agreed(question, accepted)
                if self.goes_on(child) and not over:
                    await descend(child)

        await descend(root)
        return root

    async def review_node(self, question: str, node: ReviewedPath) -> None:
        """Review the path, and decide to reject it, to accept it, or to search on."""
        node.branches.append(current_branch.get())
        node.review = await self.attempt(self.review_path(question, node.path)) or Review(failed="over budget")
        node.action = self.action_after(node.review)

    async def retrieve(self, question: str, node: ReviewedPath) -> None:
        """Search for what is missing on the path; nothing is found where the budget has run out."""
        node.branches.append(current_branch.get())
        node.found, node.query = [], await self.attempt(self.next_query(question, node.path, node.review))
        if node.query is not None and not self.repeats(node.query, node.asked[1:]):
            width = self.widths[min(len(node.path), len(self.widths) - 1)]
            node.found = [hit.passage for hit in await self.attempt(self.find(node.query, width)) or ()]

    def follow(
        self, node: ReviewedPath, accepted: Sequence[ReviewedPath], reviewed: set[frozenset[str]]
    ) -> list[ReviewedPath]:
        """A child of the node for each paragraph found after it, but for those that are pruned.

        Args:
            node: The node.
            accepted: The paths accepted before.
            reviewed: The ids of the paragraphs of every path that is reviewed; those of the children are added.
        """
        pool = [passage for each in accepted for passage in each.path]
        for passage in node.found or ():
            together = frozenset(each.id for each in (*node.path, passage))
            why = self.prune(passage, node.path, pool)
            if why is None and "nothing-new" in self.stops and together in reviewed:
                why = "reviewed with the same"
            if why:
                node.pruned.append((passage, why))
            else:
                reviewed.add(together)
                node.children.append(ReviewedPath((*node.path, passage), asked=(*node.asked, node.query or "")))
        return node.children

    def goes_on(self, node: ReviewedPath) -> bool:
        """True if the path may be longer, and its review says to search on or ends nothing."""
        return (node.action == "search" or "relevance" not in self.pruning) and len(node.path) < self.depth

    async def review_path(self, question: str, path: PassagePath) -> Review:
        """Relevant? Enough? Then the analysis, or the next query."""
        try:
            review = await self.ask(self.review, question=question, path=path)
        except AdapterParseError:
            return Review(failed="unparseable")
        return Review(review.relevant, review.enough, review.analysis, review.get("query") or "")

    async def next_query(self, question: str, path: PassagePath, review: Review) -> str:
        """The question at the root; below it, what is missing on the path."""
        if not path:
            return question
        if self.expansion == "mpc":
            try:
                return (await self.ask(self.complete, question=question, path=path)).information or question
            except AdapterParseError:
                return question
        return review.query or question

    def action_after(self, review: Review) -> Verdict:
        """Accept what is enough, search on from what is relevant, reject what is neither."""
        if review.relevant and review.enough:
            return "accept"
        return "search" if review.relevant or "relevance" not in self.pruning else "reject"

    def prune(self, candidate: Passage, path: PassagePath, pool: Sequence[Passage]) -> str | None:
        """The reason for not following a retrieved paragraph; None if it is followed."""
        if "repetition" in self.pruning and any(candidate.id == passage.id for passage in path):
            return "on the path"
        if "repetition" in self.pruning and any(candidate.id == passage.id for passage in pool):
            return "in the pool"
        if "semantic" in self.pruning and any(similarity(candidate, p) >= NEAR_DUPLICATE for p in (*path, *pool)):
            return "nearly repeats another"
        return None

    def is_agreed(self, question: str, accepted: Sequence[ReviewedPath]) -> bool:
        """True if enough accepted paths come to the same answer."""
        if self.stop_after is None or len(accepted) < self.stop_after:
            return False
        return most_that_agree([node.review.analysis for node in accepted], question) >= self.stop_after

    def pool(self, tree: ReviewedPath) -> list[Evidence]:
        """The accepted paths; if there is none, the relevant ones, deepest first."""
        accepted = [Evidence(node.review.analysis, node.path) for node in tree.walk() if node.action == "accept"]
        relevant = [Evidence("", node.path) for node in tree.walk() if node.review.relevant]
        return accepted or sorted(relevant, key=lambda piece: -len(piece.passages))

    async def read_pool(self, question: str, pool: list[Evidence]) -> dspy.Prediction:
        """The answer from as much of the pool as fits; from memory if it holds nothing to read."""
        if not pool:
            return await self.ask(self.answer, question=question)
        analyses = [piece.analysis for piece in pool if piece.analysis]
        inputs: dict[str, Any] = {"question": question}
        if self.fusion == "analysis" and analyses:
            return await self.ask(self.read, analyses=fitting(analyses, self.reader_tokens), **inputs)
        if self.fusion == "evidence" and analyses:
            return await self.ask(self.read, evidence=fitting(map(str, pool), self.reader_tokens), **inputs)
        passages = fitting(map(str, distinct_passages(pool)), self.reader_tokens)
        return await self.ask(self.read if self.fusion == "paragraph" else self.read_paths, passages=passages, **inputs)

    async def sort_by_likeness(self, pool: list[Evidence], response: str) -> list[Evidence]:
        """The pieces nearest to the response first."""
        encoder = getattr(self.retriever, "encoder", None)
        return await asyncio.to_thread(nearest_first, pool, response, getattr(encoder, "embed", None))


def full_text(response: dspy.Prediction) -> str:
    """All that a reader wrote: its thoughts, where it gives them, and the answer."""
    return f"{response.get('reasoning') or ''} {response.answer}".strip()


def predictor(signature: type[dspy.Signature], *, reasons: bool = False) -> dspy.Module:
    """The step, which thinks before it writes if it `reasons`."""
    return dspy.ChainOfThought(signature) if reasons else dspy.Predict(signature)


def reviewer(expansion: Expansion, *, reasons: bool = False) -> dspy.Module:
    """The predictor that reviews a path: it writes the next query itself unless a further call does."""
    if reasons or expansion == "cot":
        return predictor(JudgePathAloud if expansion == "mpc" else ReviewPathAloud, reasons=True)
    return predictor(JudgePath if expansion == "mpc" else ReviewPath)


def completer(*, reasons: bool = False) -> dspy.Module:
    """The predictor that writes the missing paragraph, and if it `reasons`, what answer follows from it."""
    return predictor(CompletePathAloud if reasons else CompletePath, reasons=reasons)


def reader(fusion: Fusion, *, reasons: bool = False) -> dspy.Module:
    """The predictor that reads the pool."""
    signatures = {"analysis": ReadAnalyses, "paragraph": AnswerFromPassages, "evidence": ReadEvidence}
    return predictor(signatures[fusion], reasons=reasons)
