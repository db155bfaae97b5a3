"""EfficientRAG: small trained models label what was found and write the next query; an LM only reads at the end.

Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024), section 3.1.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple, Unpack

import dspy
from pydantic import Field

from ..encoder import USEFUL, Encoder, Judgement, Pair, condense, judge, next_query
from ..retrieval import Hit, Passage, RetrieverLike, fuse
from ..runtime import Count, FilterOutputs, FilterStep, LabelledChunk, LabelStep, Limits, Program, Share, together
from ..signatures import AnswerFromPassages

RANK_DISCOUNT = 0.8
DOUBT = 0.1
"""How far no label is trusted: what the labeler finds worthless keeps this much of its worth."""
LINK_DEPTH = 100
"""Hits among which the pages are looked for that a chunk names."""
Places = Annotated[int, Field(ge=0)]


class Open(NamedTuple):
    """What is still to be searched for, and the chunks that led to it."""

    queries: tuple[str, ...]
    """The words that the filter picked, and those that the labeler marked; their rankings are fused."""
    path: tuple[Passage, ...] = ()
    known: tuple[str, ...] = ()
    """What matters of each chunk on the path."""
    belief: float = 1.0
    """How likely the path is to lead to the answer."""


class JudgedChunk(NamedTuple):
    """A chunk with what the labeler says of it."""

    passage: Passage
    origin: Open
    label: Judgement
    rank: int
    """Its place among what the query found, from 0."""

    @property
    def belief(self) -> float:
        """How likely the chunk is part of the way to the answer."""
        return self.origin.belief * (DOUBT + (1 - DOUBT) * self.label.relevant)

    @property
    def worth(self) -> float:
        """What it is ranked by: the belief, and a little less for every place that the retriever put it behind."""
        return self.belief * RANK_DISCOUNT**self.rank


class EfficientRAG(Program):
    """The answer read from the chunks that a labeler finds helpful, hop after hop, with no LM call in between.

    Each open query retrieves `k` chunks. The labeler marks the useful words of each and tags it: one that helps, and
    after which more is needed, stays open; the others end their branch. The filter picks the words of question and
    marks that ask for what is missing: the next query. A hop with no open query is the last.

    Differs from the paper: the labeler is shown the question and what is known, not the last query, so that one
    network serves as labeler, tagger and filter, and so that its judgements rank all chunks. Of the chunks that stay
    open, the `open_queries` likeliest are searched for, and after the first hop the likeliest one even if none is
    tagged to stay open. What the next query finds is fused with what the marks alone find, since either misses some,
    and with the pages that the chunk names. The reader is given the `read_chunks` likeliest chunks.

    `counts` has the paper's K, the chunks found helpful, both ways: `kept` over all hops with repeats, and `pool`,
    each once; beside them are the chunks that were labelled at all, `labelled` and `documents`.

    Examples:
        >>> import dspy
        >>> from multihop.models import lexical
        >>> from multihop.programs import EfficientRAG
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [
        ...     Passage("p1", "Emma (novel)", "Emma is a novel written by the English author Jane Austen."),
        ...     Passage("p2", "Jane Austen", "Jane Austen was an English novelist, born in Steventon, Hampshire."),
        ...     Passage("p3", "Steventon", "Steventon is a village in Hampshire."),
        ... ]
        >>> with dspy.context(lm=lexical()):
        ...     prediction = EfficientRAG(BM25.build(corpus))(question="Where was the author of Emma born?")
        >>> prediction.cost["calls"], prediction.counts["hops"], sorted(passage.id for passage in prediction.passages)
        (1, 2, ['p1', 'p2', 'p3'])
    """

    name = "efficientrag"
    paper = "EfficientRAG (Zhuang et al., 2024)"
    calls = "1, to read"

    def __init__(
        self,
        retriever: RetrieverLike,
        *,
        k: Count = 10,
        hops: Count = 2,
        open_queries: Count = 2,
        links: Places = 5,
        continue_at: Share = 0.3,
        keep_at: Share = 0.1,
        useful_at: Share = USEFUL,
        read_chunks: Count = 5,
        weights: str | None = None,
        **limits: Unpack[Limits],
    ) -> None:
        """Open the labeler and the filter.

        Args:
            retriever: Where the chunks come from.
            k: Chunks to retrieve for each query.
            hops: Rounds of retrieval at most.
            open_queries: Queries to follow at each hop at most, the likeliest.
            links: Pages to add that a chunk which is followed names, at most.
            continue_at: From this probability on a chunk is tagged "continue".
            keep_at: From this probability on a chunk counts as found helpful.
            useful_at: From this probability on a word is marked useful.
            read_chunks: Chunks that the reader is given.
            weights: The folder of an encoder of your own (`multihop train`); the built-in one if not given.
            **limits: See `Program`.
        """
        super().__init__(retriever, **limits)
        self.k, self.hops, self.open_queries, self.links = k, hops, open_queries, links
        self.continue_at, self.keep_at, self.useful_at = continue_at, keep_at, useful_at
        self.read_chunks, self.weights = read_chunks, weights
        self.encoder = Encoder.load(weights)
        self.read = dspy.Predict(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, label, filter, hop by hop; then read."""
        labelled: list[JudgedChunk] = []
        queries = [Open((question,))]
        hops = 0
        while queries and hops < self.hops:
            hops += 1
            rounds = await self.attempt(together(*(self.labels(question, query) for query in queries)))
            if rounds is None:  # the budget has run out
                break
            chunks = [chunk for each in rounds for chunk in each]
            labelled += chunks
            queries = await self.next_queries(question, chunks) if hops < self.hops else []
        passages = by_promise(labelled)
        helpful = [chunk.passage.id for chunk in labelled if chunk.worth >= self.keep_at]
        prediction = await self.ask(self.read, passages=passages[: self.read_chunks], question=question)
        return dspy.Prediction(
            answer=prediction.answer,
            passages=passages,
            counts={
                "hops": hops,
                "labelled": len(labelled),
                "documents": len(passages),
                "kept": len(helpful),
                "pool": len(set(helpful)),
            },
        )

    async def labels(self, question: str, query: Open) -> list[JudgedChunk]:
        """The chunks that the query finds, each labelled under what is known."""
        pages = await self.retrieve(query)
        labels = await together(*(judge(self.encoder, Pair(question, str(page), query.known)) for page in pages))
        chunks = [
            JudgedChunk(page, query, label, rank) for rank, (page, label) in enumerate(zip(pages, labels, strict=True))
        ]
        self.record(LabelStep(step="label", labels=[self.describe_chunk(chunk) for chunk in chunks]))
        return chunks

    async def retrieve(self, query: Open) -> list[Passage]:
        """What the queries find, fused with the pages that the chunk at the end of the path names."""
        link_searches = [self.find_links(query.path)] if query.path and self.links else []
        rankings = await together(*link_searches, *(self.find(each, self.k) for each in query.queries))
        links, queried = [each[: self.links] for each in rankings[: len(link_searches)]], rankings[len(link_searches) :]
        pages = [hit.passage for hit in fuse(*links, fuse(*queried))]
        return [page for page in pages if page not in query.path][: self.k]

    async def find_links(self, path: Sequence[Passage]) -> list[Hit]:
        """The pages that the last chunk of the path names, best first by a search for its own text."""
        text = path[-1].text
        return await self.find(text, LINK_DEPTH, lambda page: page not in path and page.is_named_in(text))

    async def next_queries(self, question: str, labelled: Sequence[JudgedChunk]) -> list[Open]:
        """The likeliest of the chunks tagged "continue", each with the query that the filter picks after it."""
        likeliest = sorted(labelled, key=lambda chunk: -chunk.belief * chunk.label.leads_on)
        going_on = [chunk for chunk in likeliest if chunk.label.leads_on >= self.continue_at]
        if not going_on:  # one hop alone is seldom enough
            going_on = [chunk for chunk in likeliest[:1] if not chunk.origin.path]
        return await together(*(self.query_after(question, chunk) for chunk in going_on[: self.open_queries]))

    async def query_after(self, question: str, chunk: JudgedChunk) -> Open:
        """The query after one chunk: words of the question and of the marks."""
        text, marks = str(chunk.passage), chunk.label.marks(self.useful_at)
        marked = " ".join(text[start:end] for start, end in marks) or chunk.passage.title or text[:80]
        picked = await next_query(self.encoder, question, marked)
        outputs: FilterOutputs = {"after": chunk.passage.title, "marked": marked, "query": picked.query}
        self.record(FilterStep(step="filter", outputs=outputs))
        known = (*chunk.origin.known, condense(text, marks))
        return Open(
            tuple(dict.fromkeys([picked.query, marked])), (*chunk.origin.path, chunk.passage), known, chunk.belief
        )

    def describe_chunk(self, chunk: JudgedChunk) -> LabelledChunk:
        """A labelled chunk as the record shows it."""
        text, marks = str(chunk.passage), chunk.label.marks(self.useful_at)
        return {
            "id": chunk.passage.id,
            "title": chunk.passage.title,
            "tag": "continue" if chunk.label.leads_on >= self.continue_at else "terminate",
            "relevant": round(chunk.label.relevant, 3),
            "useful": [text[start:end] for start, end in marks],
        }


def by_promise(labelled: Sequence[JudgedChunk]) -> list[Passage]:
    """Every passage once, by the most that any path to it promises."""
    best: dict[Passage, float] = {}
    for chunk in labelled:
        best[chunk.passage] = max(chunk.worth, best.get(chunk.passage, 0.0))
    return sorted(best, key=lambda passage: -best[passage])
