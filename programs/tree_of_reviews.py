"""Tree of Reviews: every retrieved paragraph is a node, and every path is reviewed as a whole.

Jiapeng Li et al., "Tree of Reviews: A Tree-based Dynamic Iterative Retrieval Framework for Multi-hop Question
Answering" (2024), section 3.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic import Field

from ..retrieval import Passage, Retriever
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
from .branch import Branch, current_branch, in_branches, keep
from .evidence import Evidence, agree, distinct_passages, fitting, nearest_first, similarity
from .program import Program
from .review_tree import Path, Review, ReviewTree, counted, drawn, paths_to
from .search import Action, Rules, grow_by_level, grow_depth_first
from .settings import Count

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
    there is none, the question is answered from the LM's memory. A paragraph that already stands on the path is always
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
        retriever: Retriever,
        *,
        depth: Count = 3,
        widths: Annotated[tuple[Count, ...], Field(min_length=1)] = (5, 3, 3),
        expansion: Expansion = "mpc",
        fusion: Fusion = "evidence",
        pruning: tuple[Pruning, ...] = ("relevance", "repetition"),
        order: Order = "by-level",
        stop_after: Count | None = None,
        reader_tokens: Count = 4096,
        **limits: Any,
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

    async def aforward(self, question: str) -> dspy.Prediction:
        """Grow the tree, then read what it accepted."""
        lines: dict[Path, list[Branch[Any]]] = {}
        queries: dict[Path, str] = {}

        async def expand(path: Path, review: Review | None) -> list[Passage]:
            lines.setdefault(path, []).append(current_branch.get())
            with self.searching():
                queries[path] = await self.next_query(question, path, review)
                width = self.widths[min(len(path), len(self.widths) - 1)]
                return [hit.passage for hit in await self.find(queries[path], width)]
            return []

        async def judge(path: Path) -> Review:
            lines.setdefault(path, []).append(current_branch.get())
            return await self.review_path(question, path)

        grow = grow_depth_first if self.order == "depth-first" else grow_by_level
        tree = await grow(
            Rules(
                expand=expand,
                judge=judge,
                decide=self.decide,
                prune=self.prune,
                settled=self.settled,
                depth=self.depth,
            ),
            in_branches,
        )
        current_branch.get().steps.append({"step": "tree", "tree": drawn(tree, queries)})
        pool = self.pool(tree)
        answer = (await self.read_pool(question, pool)).answer
        keep(branch for path in paths_to(answer, tree) for branch in lines[path])
        passages = distinct_passages(pool)
        if len(passages) > RETURNED:
            passages = distinct_passages(nearest_first(pool, answer))
        return dspy.Prediction(
            answer=answer,
            passages=passages,
            evidence=[piece.recorded for piece in pool],
            counts=counted(tree),
        )

    async def review_path(self, question: str, path: Path) -> Review:
        """Relevant? Enough? Then the analysis, or the next query."""
        try:
            with self.searching():
                said = await self.ask(self.review, question=question, path=path)
                return Review(said.relevant, said.enough, said.analysis, said.get("query") or "")
        except AdapterParseError:
            return Review(failed="unparseable")
        return Review(failed="over budget")

    async def next_query(self, question: str, path: Path, review: Review | None) -> str:
        """The question at the root; below it, what is missing on the path."""
        if review is None:
            return question
        if self.expansion == "mpc":
            try:
                return (await self.ask(self.complete, question=question, path=path)).information or question
            except AdapterParseError:
                return question
        return review.query or question

    def decide(self, review: Review) -> Action:
        """Reject what leads nowhere, accept what is enough, search on otherwise."""
        if review.failed or ("relevance" in self.pruning and not review.relevant):
            return "reject"
        return "accept" if review.relevant and review.enough else "search"

    def prune(self, found: Passage, path: Path, accepted: Sequence[Path]) -> str | None:
        """Why a retrieved paragraph is not followed; None if it is."""
        if any(found.id == passage.id for passage in path):
            return "on the path"
        pool = [passage for each in accepted for passage in each]
        if "repetition" in self.pruning and any(found.id == passage.id for passage in pool):
            return "in the pool"
        if "semantic" in self.pruning and any(similarity(found, p) >= NEAR_DUPLICATE for p in (*path, *pool)):
            return "nearly repeats another"
        return None

    def settled(self, accepted: Sequence[Review]) -> bool:
        """Whether enough accepted paths agree."""
        if self.stop_after is None:
            return False
        said = [review.analysis for review in accepted]
        return any(sum(agree(one, other) for other in said) >= self.stop_after for one in said)

    def pool(self, tree: ReviewTree) -> list[Evidence]:
        """The accepted paths; if there is none, the relevant ones, deepest first."""
        nodes = [node for node in tree.walk() if node.finding is not None]
        taken = [Evidence(n.finding.analysis, n.path) for n in nodes if n.finding and n.action == "accept"]
        relevant = [Evidence("", node.path) for node in nodes if node.finding and node.finding.relevant]
        return taken or sorted(relevant, key=lambda piece: -len(piece.passages))

    async def read_pool(self, question: str, pool: list[Evidence]) -> dspy.Prediction:
        """The answer from as much of the pool as fits; from memory if it holds nothing to read."""
        shown = {
            "analysis": ("analyses", [piece.analysis for piece in pool if piece.analysis]),
            "paragraph": ("passages", [str(passage) for passage in distinct_passages(pool)]),
            "evidence": ("evidence", [str(piece) for piece in pool]),
        }
        name, texts = shown[self.fusion]
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
