"""Tree of Reviews: every retrieved paragraph is a node, and every path is reviewed as a whole.

Jiapeng Li et al., "Tree of Reviews: A Tree-based Dynamic Iterative Retrieval Framework for Multi-hop Question
Answering" (2024), section 3.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Annotated, Any, Literal, Unpack

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic import Field

from ..retrieval import Passage, RetrieverLike
from ..runtime import Branch, Count, Limits, Program, TreeStep, current_branch, in_branches, keep
from ..signatures import (
    AnswerFromPassages,
    AnswerQuestion,
    CompletePath,
    JudgePath,
    ReadAnalyses,
    ReadEvidence,
    ReviewPath,
    ReviewPathAloud,
)
from .search import TreeRules, Verdict, grow_by_level, grow_depth_first
from .shared.evidence import Evidence, agree, distinct_passages, fitting, nearest_first, similarity
from .shared.review_tree import PassagePath, Review, ReviewTree, count_reviews, draw_review_tree, paths_to

Expansion = Literal["direct", "cot", "mpc"]
Fusion = Literal["analysis", "paragraph", "evidence"]
Pruning = Literal["relevance", "repetition", "semantic"]
Order = Literal["by-level", "depth-first"]

NEAR_DUPLICATE = 0.8
"""From this share of common words on, two paragraphs say the same."""
RETURNED = 15
"""With more passages than that, those nearest to the answer come first."""


class TreeOfReviews(Program):
    """The answer read from a pool of evidence, each piece a path of paragraphs that was reviewed and found enough.

    The question is the root; every paragraph retrieved for it becomes a child. Each path is reviewed: one that is not
    relevant is rejected; one that is relevant but not enough is searched further, with a query for what it lacks; one
    that is enough is accepted with its analysis. A reader answers from all accepted paths.

    The paper does not say what happens if no path is accepted: here the relevant paths are read, deepest first, and if
    there is none, the question is answered from the LM's memory. A paragraph that is already on the path is always
    dropped. A review that cannot be parsed rejects its path. A review that gives no query searches for the question.

    Differs from the paper: the tree grows level by level, all reviews of a level at once, and what was accepted on the
    levels above prunes what is retrieved below; `order="depth-first"` is the paper's own order. `pruning` may name
    "semantic" (paragraphs that nearly repeat one in the pool or on the path), and `stop_after` ends the search at so
    many accepted paths that agree.

    Examples:
        >>> import dspy
        >>> from multihop.models import scripted
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
    calls = "a tree: 1 a node, 1 a search (mpc), 1 to read"
    small = {"depth": 2, "widths": (3, 2)}
    planner = "review"

    def __init__(
        self,
        retriever: RetrieverLike,
        *,
        depth: Count = 3,
        widths: Annotated[tuple[Count, ...], Field(min_length=1)] = (5, 3, 3),
        expansion: Expansion = "mpc",
        fusion: Fusion = "evidence",
        pruning: tuple[Pruning, ...] = ("relevance", "repetition"),
        order: Order = "by-level",
        stop_after: Count | None = None,
        reader_tokens: Count = 4096,
        **limits: Unpack[Limits],
    ) -> None:
        """Set up the reviewer and the reader.

        Args:
            retriever: Where the paragraphs come from.
            depth: The longest path, in paragraphs.
            widths: Paragraphs to retrieve at each depth; the last also serves any depth below it.
            expansion: Where the next query comes from: the review itself ("direct"), the review after thinking about
                what is missing ("cot"), or a further call that writes the missing paragraph ("mpc").
            fusion: What the reader is shown of each accepted path: its analysis, its paragraphs, or both ("evidence").
            pruning: What is not followed: paths that are not relevant ("relevance"), paragraphs that are in the pool
                already ("repetition"), and those that nearly repeat one ("semantic").
            order: Level by level, all at once, or depth-first, one after the other.
            stop_after: Stop at so many accepted paths that agree.
            reader_tokens: The most that the reader is shown; evidence is added while it fits.
            **limits: See `Program`.
        """
        super().__init__(retriever, **limits)
        self.depth, self.widths = depth, widths
        self.expansion, self.fusion, self.pruning = expansion, fusion, pruning
        self.order, self.stop_after, self.reader_tokens = order, stop_after, reader_tokens
        self.review = reviewer(expansion)
        if expansion == "mpc":
            self.complete = dspy.Predict(CompletePath)
        self.read = reader(fusion)
        self.answer = dspy.Predict(AnswerQuestion)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        widths = [self.widths[min(depth, len(self.widths) - 1)] for depth in range(self.depth)]
        nodes: list[int] = list(accumulate(widths, mul))
        completions = sum(nodes[:-1]) if self.expansion == "mpc" else 0
        return sum(nodes) + completions + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Grow the tree, then read what it accepted."""
        lines: dict[PassagePath, list[Branch[Any]]] = {}
        queries: dict[PassagePath, str] = {}

        async def expand(path: PassagePath, review: Review | None) -> list[Passage]:
            lines.setdefault(path, []).append(current_branch.get())
            query = await self.attempt(self.next_query(question, path, review))
            if query is None:  # the budget has run out
                return []
            queries[path] = query
            width = self.widths[min(len(path), len(self.widths) - 1)]
            hits = await self.attempt(self.find(query, width))
            return [hit.passage for hit in hits or ()]

        async def judge(path: PassagePath) -> Review:
            lines.setdefault(path, []).append(current_branch.get())
            return await self.attempt(self.review_path(question, path)) or Review(failed="over budget")

        grow = grow_depth_first if self.order == "depth-first" else grow_by_level
        tree = await grow(
            TreeRules(
                expand=expand,
                judge=judge,
                decide=self.decide,
                prune=self.prune,
                is_settled=self.is_settled,
                depth=self.depth,
            ),
            in_branches,
        )
        self.record(TreeStep(step="tree", tree=draw_review_tree(tree, queries)))
        pool = self.pool(tree)
        answer = (await self.read_pool(question, pool)).answer
        keep(branch for path in paths_to(answer, tree) for branch in lines[path])
        passages = distinct_passages(pool)
        if len(passages) > RETURNED:
            passages = distinct_passages(nearest_first(pool, answer))
        return dspy.Prediction(
            answer=answer,
            passages=passages,
            evidence=[piece.record for piece in pool],
            counts=count_reviews(tree),
        )

    async def review_path(self, question: str, path: PassagePath) -> Review:
        """Relevant? Enough? Then the analysis, or the next query."""
        try:
            review = await self.ask(self.review, question=question, path=path)
        except AdapterParseError:
            return Review(failed="unparseable")
        return Review(review.relevant, review.enough, review.analysis, review.get("query") or "")

    async def next_query(self, question: str, path: PassagePath, review: Review | None) -> str:
        """The question at the root; below it, what is missing on the path."""
        if review is None:
            return question
        if self.expansion == "mpc":
            try:
                return (await self.ask(self.complete, question=question, path=path)).information or question
            except AdapterParseError:
                return question
        return review.query or question

    def decide(self, review: Review) -> Verdict:
        """Reject what leads nowhere, accept what is enough, search on otherwise."""
        if review.failed or ("relevance" in self.pruning and not review.relevant):
            return "reject"
        return "accept" if review.relevant and review.enough else "search"

    def prune(self, candidate: Passage, path: PassagePath, accepted: Sequence[PassagePath]) -> str | None:
        """Why a retrieved paragraph is not followed; None if it is."""
        if any(candidate.id == passage.id for passage in path):
            return "on the path"
        pool = [passage for each in accepted for passage in each]
        if "repetition" in self.pruning and any(candidate.id == passage.id for passage in pool):
            return "in the pool"
        if "semantic" in self.pruning and any(similarity(candidate, p) >= NEAR_DUPLICATE for p in (*path, *pool)):
            return "nearly repeats another"
        return None

    def is_settled(self, accepted: Sequence[Review]) -> bool:
        """Whether enough accepted paths agree."""
        if self.stop_after is None:
            return False
        analyses = [review.analysis for review in accepted]
        return any(sum(agree(one, other) for other in analyses) >= self.stop_after for one in analyses)

    def pool(self, tree: ReviewTree) -> list[Evidence]:
        """The accepted paths; if there is none, the relevant ones, deepest first."""
        nodes = [node for node in tree.walk() if node.finding is not None]
        accepted = [Evidence(n.finding.analysis, n.path) for n in nodes if n.finding and n.action == "accept"]
        relevant = [Evidence("", node.path) for node in nodes if node.finding and node.finding.relevant]
        return accepted or sorted(relevant, key=lambda piece: -len(piece.passages))

    async def read_pool(self, question: str, pool: list[Evidence]) -> dspy.Prediction:
        """The answer from as much of the pool as fits; from memory if it holds nothing to read."""
        by_fusion = {
            "analysis": ("analyses", [piece.analysis for piece in pool if piece.analysis]),
            "paragraph": ("passages", [str(passage) for passage in distinct_passages(pool)]),
            "evidence": ("evidence", [str(piece) for piece in pool]),
        }
        name, texts = by_fusion[self.fusion]
        if not texts:
            return await self.ask(self.answer, question=question)
        inputs: dict[str, Any] = {name: fitting(texts, self.reader_tokens)}
        return await self.ask(self.read, **inputs, question=question)


def reviewer(expansion: Expansion) -> dspy.Module:
    """The predictor that reviews a path: it writes the next query itself unless a further call does."""
    if expansion == "cot":
        return dspy.ChainOfThought(ReviewPathAloud)
    return dspy.Predict(JudgePath if expansion == "mpc" else ReviewPath)


def reader(fusion: Fusion) -> dspy.Module:
    """The predictor that reads the pool."""
    return dspy.Predict({"analysis": ReadAnalyses, "paragraph": AnswerFromPassages, "evidence": ReadEvidence}[fusion])
