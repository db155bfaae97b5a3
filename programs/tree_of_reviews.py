"""Tree of Reviews: every retrieved paragraph is a node, and every path is reviewed as a whole.

Jiapeng Li et al., "Tree of Reviews: A Tree-based Dynamic Iterative Retrieval Framework for Multi-hop Question
Answering" (2024), section 3.
"""

from dataclasses import field
from itertools import accumulate
from operator import mul
from typing import Annotated, Literal

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic import Field

from ..retrieval import Passage, RetrieverLike
from ..runtime import Count, Program, TokenLimit, keep
from .shared.evidence import STOPS, Evidence, Stop, distinct_passages, fitting, repeats, room
from .shared.review_tree import (
    Expansion,
    Fusion,
    Review,
    ReviewedPath,
    Seen,
    completer,
    in_own_branches,
    reader,
    returned_passages,
    reviewer,
)


class TreeOfReviews(Program):
    """The answer read from a pool of evidence, each piece a path of paragraphs that was reviewed and found enough.

    The question is the root; every paragraph retrieved for it becomes a child. Each path is reviewed: one that is not
    relevant is rejected; one that is relevant but not enough is searched further, with a query for what it lacks; one
    that is enough is accepted with its analysis. A reader answers from all accepted paths.

    The paper does not say what happens if no path is accepted: here the paragraphs of the relevant paths are read,
    deepest first, and if there is none, the question is answered from memory. Where accepted paths have no analysis at
    all, their paragraphs are read. Nor does it say what ends a path without pruning. Its table 5 counts a full tree
    there (65 reviews), so without "relevance" every path goes on to the depth, accepted ones too, and without
    "repetition" a paragraph may come again. With more than 15 passages, those nearest to the reader's response come
    first: by the vectors of the retriever's own encoder where it has one (`Dense`, `Hybrid`), by common words
    otherwise. A review that cannot be parsed counts as not relevant; one that gives no query searches for the question.

    Differs from the paper: the tree grows level by level, all reviews of a level at once, and what was accepted on the
    levels above prunes what is retrieved below; `order="depth-first"` is the paper's own order. All steps answer at
    once; with `reason=("review", "complete", "read")` they think first, as the paper's do, and the writer of the
    missing paragraph also says what answer follows. With `mpc` the review writes no query, as none is searched for.
    With `stops`, two of which rules are on by default, a path ends at a query that led to it (the question apart), and
    is not reviewed where one of the same paragraphs was, in whatever order.

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
    pruning: tuple[Literal["relevance", "repetition"], ...] = ("relevance", "repetition")
    """The paths that are not followed: those that are not relevant or are enough already ("relevance"), and those that
    go on to a paragraph that is on the path or in the pool ("repetition")."""
    order: Literal["by-level", "depth-first"] = "by-level"
    """Level by level, all at once, or depth-first, one after the other."""
    reason: tuple[Literal["review", "complete", "read"], ...] = ()
    """Steps that think before they write: the review ("review"; that of `cot` always does), with `mpc` the writer of
    the missing paragraph ("complete"), and the reader ("read"), which then may say several sentences of which the last
    gives the answer."""
    reader_tokens: TokenLimit = 4096
    """The most that the reader's input may hold, instructions, demonstrations and question too; evidence that does not
    fit is left out."""
    stops: tuple[Stop, ...] = STOPS
    """The rules that end a search, or one branch of it, early: at a query or sub-question that was asked before
    ("repeats"), and after a round that brings nothing that was not known ("nothing-new")."""

    def set_up(self) -> None:
        """Set up the reviewer, the writer of what is missing, and the readers."""
        thinks = "read" in self.reason
        self.review = reviewer(self.expansion, reasons="review" in self.reason)
        if self.expansion == "mpc":
            self.complete = completer(reasons="complete" in self.reason)
        self.read = reader(self.fusion, reasons=thinks)
        if self.fusion != "paragraph":
            self.read_paths = reader("paragraph", reasons=thinks)
        self.answer = reader("memory", reasons=thinks)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        nodes: list[int] = list(accumulate(map(self.width, range(self.depth)), mul))
        completions = sum(nodes[:-1]) if self.expansion == "mpc" else 0
        return sum(nodes) + completions + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Grow the tree, then read what it accepted."""
        tree = ReviewedPath()
        grow = self.grow_depth_first if self.order == "depth-first" else self.grow_by_level
        await grow(question, tree, Seen())
        self.record({"step": "tree", "tree": tree.record})
        pool = tree.pool()
        response = await self.read_pool(question, pool)
        keep(branch for node in tree.paths_to(response.answer) for branch in node.branches)
        return dspy.Prediction(
            answer=response.answer,
            passages=await returned_passages(pool, response, self.retriever),
            evidence=[piece.record for piece in pool],
            counts=tree.counts,
        )

    async def grow_depth_first(self, question: str, node: ReviewedPath, seen: Seen) -> None:
        """Go on from the node, one path after the other; what was accepted before prunes what is found later."""
        await in_own_branches([node], self.retrieve(question, node))
        for child in self.follow(node, seen):
            await in_own_branches([child], self.review_node(question, child))
            seen.accept([child])
            if self.goes_on(child):
                await self.grow_depth_first(question, child, seen)

    async def grow_by_level(self, question: str, root: ReviewedPath, seen: Seen) -> None:
        """Go on from the root, all paths of one length at once; what was accepted above prunes what is found below.

        What follows a path is retrieved as soon as it is reviewed.
        """

        async def review(node: ReviewedPath) -> None:
            await self.review_node(question, node)
            if self.goes_on(node):
                await in_own_branches([node], self.retrieve(question, node))

        level = [root]
        await in_own_branches(level, self.retrieve(question, root))
        while level := [child for node in level for child in self.follow(node, seen)]:
            await in_own_branches(level, *map(review, level))
            seen.accept(level)
            level = [node for node in level if self.goes_on(node)]

    async def review_node(self, question: str, node: ReviewedPath) -> None:
        """Review the path; then accept what is enough, search on from what is relevant, and reject the rest."""
        node.review = review = await self.attempt(self.review_path(question, node.path)) or Review(failed="over budget")
        if review.relevant and review.enough:
            node.action = "accept"
        elif not review.relevant and "relevance" in self.pruning:
            node.action = "reject"

    async def review_path(self, question: str, path: tuple[Passage, ...]) -> Review:
        """Relevant? Enough? Then the analysis, or the next query."""
        try:
            review = await self.ask(self.review, question=question, path=path)
        except AdapterParseError:
            return Review(failed="unparseable")
        return Review(review.relevant, review.enough, review.analysis, review.get("query") or "")

    def goes_on(self, node: ReviewedPath) -> bool:
        """True if the path may be longer, and its review says to search on or ends nothing."""
        return (node.action == "search" or "relevance" not in self.pruning) and len(node.path) < self.depth

    async def retrieve(self, question: str, node: ReviewedPath) -> None:
        """Search for what is missing on the path; nothing is found where the budget has run out."""
        node.query = await self.attempt(self.next_query(question, node))
        if node.query is not None and not repeats(self, node.query, node.asked[1:]):
            hits = await self.attempt(self.find(node.query, self.width(len(node.path))))
            node.found = [hit.passage for hit in hits or ()]

    async def next_query(self, question: str, node: ReviewedPath) -> str:
        """The question at the root; below it, what is missing on the path."""
        if not node.path or self.expansion != "mpc":
            return node.review.query or question
        try:
            return (await self.ask(self.complete, question=question, path=node.path)).information or question
        except AdapterParseError:
            return question

    def width(self, depth: int) -> int:
        """Paragraphs to retrieve after a path of so many."""
        return self.widths[min(depth, len(self.widths) - 1)]

    def follow(self, node: ReviewedPath, seen: Seen) -> list[ReviewedPath]:
        """A child of the node for each paragraph found after it, without those that are pruned."""
        for passage in node.found:
            together = frozenset(each.id for each in (*node.path, passage))
            if "repetition" in self.pruning and passage.id in {each.id for each in node.path}:
                node.pruned.append((passage, "on the path"))
            elif "repetition" in self.pruning and passage.id in seen.accepted:
                node.pruned.append((passage, "in the pool"))
            elif "nothing-new" in self.stops and together in seen.together:
                node.pruned.append((passage, "reviewed with the same"))
            else:
                seen.together.add(together)
                node.children.append(ReviewedPath((*node.path, passage), (*node.asked, node.query or "")))
        return node.children

    async def read_pool(self, question: str, pool: list[Evidence]) -> dspy.Prediction:
        """The answer from as much of the pool as fits; from memory if it holds nothing to read."""
        if not pool:
            return await self.ask(self.answer, question=question)
        analyses = [piece.analysis for piece in pool if piece.analysis]
        left = room(self.read, self.reader_tokens, question)
        if self.fusion == "analysis" and analyses:
            return await self.ask(self.read, analyses=fitting(analyses, left), question=question)
        if self.fusion == "evidence" and analyses:
            return await self.ask(self.read, evidence=fitting(map(str, pool), left), question=question)
        read = self.read if self.fusion == "paragraph" else self.read_paths
        passages = fitting(map(str, distinct_passages(pool)), room(read, self.reader_tokens, question))
        return await self.ask(read, passages=passages, question=question)
