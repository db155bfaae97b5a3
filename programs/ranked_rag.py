"""EfficientRAG's labeler and filter in a loop of ours: the likeliest chunks are followed, and all are ranked.

After Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import dspy

from ..encoder import Judgement, condense, judge, next_query
from ..retrieval import Hit, Passage, fuse
from ..runtime import Count, Number, Share, together
from .efficient_rag import EfficientRAG, count_chunks
from .shared.side_by_side import JudgedChunk, OpenQuery, rank_side_by_side

LINK_DEPTH = 100
"""Hits among which the pages are looked for that a chunk names."""


class RankedRAG(EfficientRAG):
    """The answer read from the likeliest of the chunks that a labeler judged, hop after hop; one LM call, to read.

    Each query retrieves chunks. The labeler, shown the question, what is known and a chunk, says how likely the chunk
    helps and leads on, and marks its useful words. The `open_queries` likeliest of those that lead on are followed;
    after the first hop the likeliest one is, even if none leads on. The filter picks the words of question and marks
    that ask for what is missing: the next query. What it finds is fused with what the marks alone find, since either
    misses some, and with the pages that the chunk names. While none of what a search found is believed, more of it is
    labelled, up to `widen` times as much. A hop with no open query is the last.

    Then all chunks are ranked. The `side_by_side` likeliest are read together by the encoder, of a long one the
    sentences with most marks, and ranked by what it says of each; the less it believes even the likeliest, the more
    counts where the question alone found each. The reader is given the `read_chunks` likeliest chunks, whole.

    Ours: no paper describes it. `efficientrag` is the paper's own loop, over the same labeler and filter.

    `counts` has the chunks found helpful, with `keep_at`: `kept` over all hops with repeats, and `pool`, each once.
    `labelled` and `documents` count those that were labelled at all in the same two ways.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs import RankedRAG
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [
        ...     Passage("p1", "Emma (novel)", "Emma is a novel written by the English author Jane Austen."),
        ...     Passage("p2", "Jane Austen", "Jane Austen was an English novelist, born in Steventon, Hampshire."),
        ...     Passage("p3", "Steventon", "Steventon is a village in Hampshire."),
        ... ]
        >>> with dspy.context(lm=scripted([{"answer": "Steventon"}])):
        ...     prediction = RankedRAG(BM25.build(corpus))(question="Where was the author of Emma born?")
        >>> prediction.cost["calls"], prediction.counts["hops"], sorted(passage.id for passage in prediction.passages)
        (1, 2, ['p1', 'p2'])
    """

    name = "ranked-rag"
    paper = "after EfficientRAG (Zhuang et al., 2024)"
    labeler = staticmethod(judge)
    filter = staticmethod(next_query)  # type: ignore[assignment]  # its parameters have other names
    queries: ClassVar[Literal["each"]] = "each"  # type: ignore[misc]  # no setting here: only the likeliest chunks are followed

    k: Count = 9
    """Chunks to label of what the question finds."""
    k_after: Count = 4
    """Chunks to label after one that is followed, the likeliest of what its queries and its links find."""
    widen: Count = 2
    """The factor by which more chunks are labelled at most while none of a search is believed."""
    believed_at: Share = 0.7
    """From this probability of helping on a chunk is believed."""
    hops: Count = 2
    """Rounds of retrieval at most."""
    open_queries: Count = 2
    """Queries to follow at each hop at most, the likeliest."""
    links: Number = 5
    """Pages to add that a chunk which is followed names, at most."""
    continue_at: Share = 0.3
    """From this probability of leading on on a chunk is tagged "continue"."""
    keep_at: Share = 0.1
    """From this probability on a chunk counts as found helpful."""
    side_by_side: Number = 12
    """Chunks at most, the likeliest, that are ranked once more by reading them together; 0 for none."""
    read_chunks: Count = 5
    """Chunks that the reader is given."""

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, label, filter, hop by hop; then rank, and read."""
        labelled: list[JudgedChunk] = []
        queries, hops = [OpenQuery((question,))], 0
        while queries and hops < self.hops:
            hops += 1
            rounds = await self.attempt(together(*(self.label_query(question, query) for query in queries)))
            if rounds is None:  # the budget has run out
                break
            chunks = [chunk for each in rounds for chunk in each]
            labelled += chunks
            queries = await self.next_queries(question, chunks) if hops < self.hops else []
        passages = await rank_side_by_side(self.encoder, question, labelled, self.side_by_side, self.useful_at)
        answer = await self.read_passages(passages[: self.read_chunks], question)
        helpful = [chunk.passage for chunk in labelled if chunk.worth >= self.keep_at]
        counts = count_chunks(hops, [chunk.passage for chunk in labelled], helpful)
        return dspy.Prediction(answer=answer, passages=passages, counts=counts)

    async def label_query(self, question: str, query: OpenQuery) -> list[JudgedChunk]:
        """The first chunks that the query finds, labelled under what is known, and more while none is believed."""
        found = await self.retrieve(query)
        step = self.k_after if query.path else self.k
        judged: list[JudgedChunk] = []
        for first in range(0, min(len(found), step * self.widen), step):
            pages = found[first : first + step]
            labels = await self.label(question, pages, query.known)
            ranked = enumerate(zip(pages, labels, strict=True), first)
            judged += [JudgedChunk(page, label, query, rank) for rank, (page, label) in ranked]
            if any(label.relevant >= self.believed_at for label in labels):
                break
        return judged

    async def retrieve(self, query: OpenQuery) -> list[Passage]:
        """The passages that the queries find, fused with the pages that the chunk at the end of the path names."""
        link_searches = [self.find_links(query.path)] if query.path and self.links else []
        rankings = await together(*link_searches, *(self.find(each, self.k * self.widen) for each in query.queries))
        links, queried = [each[: self.links] for each in rankings[: len(link_searches)]], rankings[len(link_searches) :]
        pages = [hit.passage for hit in fuse(*links, fuse(*queried))]
        return [page for page in pages if page not in query.path]

    async def find_links(self, path: Sequence[Passage]) -> list[Hit]:
        """The pages that the last chunk of the path names, best first by a search for its own text."""
        text = path[-1].text
        return await self.find(text, LINK_DEPTH, lambda page: page not in path and page.is_named_in(text))

    def goes_on(self, label: Judgement) -> bool:
        """True if the chunk is tagged "continue": it leads on."""
        return label.leads_on >= self.continue_at

    async def next_queries(self, question: str, judged: Sequence[JudgedChunk]) -> list[OpenQuery]:
        """The likeliest of the chunks tagged "continue", each with the query that the filter picks after it."""
        likeliest = sorted(judged, key=lambda chunk: -chunk.belief * chunk.label.leads_on)
        going_on = [chunk for chunk in likeliest if self.goes_on(chunk.label)]
        if not going_on:  # one hop alone is seldom enough
            going_on = [chunk for chunk in likeliest[:1] if not chunk.origin.path]
        return await together(*(self.query_after(question, chunk) for chunk in going_on[: self.open_queries]))

    async def query_after(self, question: str, chunk: JudgedChunk) -> OpenQuery:
        """The query after one chunk: words of the question and of the marks."""
        page, text = chunk.passage, str(chunk.passage)
        marked = " ".join(self.marks(page, chunk.label)) or page.title or text[:80]
        picked = await self.pick_query(question, page.title, marked)
        known = (*chunk.origin.known, condense(text, chunk.label.marks(self.useful_at)))
        return OpenQuery(tuple(dict.fromkeys([picked, marked])), (*chunk.origin.path, page), known, chunk.belief)
