"""EfficientRAG: small trained models label what was found and write the next query; an LM only reads at the end.

Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024), section 3.1.
"""

from collections.abc import Sequence
from dataclasses import field
from typing import Annotated, Literal

import dspy
from pydantic import Field

from ..encoder import USEFUL, Encoder, Pair, condense, judge, next_query
from ..retrieval import Hit, Passage, RetrieverLike, fuse
from ..runtime import (
    Count,
    FilterOutputs,
    FilterStep,
    LabelledChunk,
    LabelStep,
    Program,
    Share,
    together,
    worked,
)
from ..signatures import AnswerFromPassages
from .shared.labelled_chunks import Gathered, JudgedChunk, OpenQuery
from .shared.side_by_side import side_by_side

LINK_DEPTH = 100
"""Hits among which the pages are looked for that a chunk names."""
Places = Annotated[int, Field(ge=0)]
Loop = Literal["likeliest", "paper"]


class EfficientRAG(Program):
    """The answer read from the chunks that a labeler finds helpful, hop after hop, with no LM call in between.

    Each open query retrieves chunks. The labeler marks the useful words of each and tags it: one that helps, and
    after which more is needed, stays open; the others end their branch. The filter picks the words of question and
    marks that ask for what is missing: the next query. A hop with no open query is the last.

    Differs from the paper: the labeler is shown the question and what is known, not the last query, so that one
    network serves as labeler, tagger and filter, and so that its judgements rank all chunks. Of the chunks that stay
    open, the `open_queries` likeliest are searched for, and after the first hop the likeliest one even if none is
    tagged to stay open. What the next query finds is fused with what the marks alone find, since either misses some,
    and with the pages that the chunk names. A search of which no chunk is believed is labelled further down, up to
    `widen` times as far. The `side_by_side` likeliest chunks are ranked once more by what the encoder says of them when
    it reads them together, of a long one the sentences with most marks; the less it believes even the likeliest, the
    more counts where the question alone found each. The reader is given the `read_chunks` likeliest chunks, whole.

    `loop="paper"` is the paper's own loop, with nothing of that. The labeler is shown the last query and the chunk.
    Every chunk that it tags "continue" joins the pool and writes a next query: the words that the filter picks of the
    last query and the marks. All others are dropped. The loop ends when no chunk is tagged "continue" or after `hops`
    rounds, and the reader is given the pool, in the order of finding; the passages returned are the pool as well.
    `k_after`, `widen`, `believed_at`, `open_queries`, `links`, `keep_at`, `side_by_side` and `read_chunks` then have no
    effect. The paper's tag is whether a chunk helps, the last one of a way too: the labeler's verdict "relevant",
    compared with `continue_at`. The paper says both that the filter is given the current query and, under figure 3, the
    original question: here it is the current one. It does not say what becomes of repetitions, nor of a chunk without a
    marked word: here a chunk writes one query, when it is first tagged, a query is searched for once, and without a
    mark there is no query.

    `counts` has the paper's K, the chunks found helpful, both ways: `kept` over all hops with repeats, and `pool`,
    each once; beside them are the chunks that were labelled at all, `labelled` and `documents`.

    Examples:
        >>> import dspy
        >>> from multihop.lms import lexical
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
        (1, 2, ['p1', 'p2'])
    """

    name = "efficientrag"
    paper = "EfficientRAG (Zhuang et al., 2024)"
    calls = "1"
    in_paper = {"loop": ("paper", "section 3.1")}

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the chunks."""
    k: Count = 9
    """Chunks to label of what the question finds; in the paper's loop, of what each query finds."""
    k_after: Count = 4
    """Chunks to label after one that is followed, the likeliest of what its queries and its links find."""
    widen: Count = 2
    """The factor by which more chunks are labelled at most while none of a search is believed."""
    believed_at: Share = 0.7
    """From this probability of helping on a chunk is believed."""
    hops: Count = 2
    """Rounds of retrieval at most."""
    loop: Loop = "likeliest"
    """The chunks to follow: the likeliest only ("likeliest"), or all, as the paper does ("paper")."""
    open_queries: Count = 2
    """Queries to follow at each hop at most, the likeliest."""
    links: Places = 5
    """Pages to add that a chunk which is followed names, at most."""
    continue_at: Share = 0.3
    """From this probability on a chunk is tagged "continue": that it leads on, in the paper's loop that it helps."""
    keep_at: Share = 0.1
    """From this probability on a chunk counts as found helpful."""
    useful_at: Share = USEFUL
    """From this probability on a word is marked useful."""
    side_by_side: Places = 12
    """Chunks at most, the likeliest, that are ranked once more by reading them together; 0 for none."""
    read_chunks: Count = 5
    """Chunks that the reader is given."""
    weights: str | None = None
    """The folder of an encoder of your own (`multihop train`); the built-in one if not given."""

    def set_up(self) -> None:
        """Open the labeler and the filter."""
        self.encoder = Encoder.load(self.weights)
        self.read = dspy.Predict(AnswerFromPassages)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, label, filter, hop by hop; then read."""
        gathered = await (self.follow_all(question) if self.loop == "paper" else self.follow_likeliest(question))
        prediction = await self.ask(self.read, passages=gathered.read, question=question)
        return dspy.Prediction(answer=prediction.answer, passages=gathered.passages, counts=gathered.counts)

    async def follow_all(self, question: str) -> Gathered:
        """The paper's loop: every chunk tagged "continue" joins the pool and writes a next query."""
        labelled: list[JudgedChunk] = []
        pool: dict[str, Passage] = {}
        queries, asked = [question], {question}
        hops = 0
        while queries and hops < self.hops:
            hops += 1
            rounds = await self.attempt(together(*(self.label_found(query) for query in queries)))
            if rounds is None:  # the budget has run out
                break
            chunks = [chunk for each in rounds for chunk in each]
            labelled += chunks
            new: dict[str, JudgedChunk] = {}
            for chunk in filter(self.goes_on, chunks):
                if chunk.passage.id not in pool:
                    new.setdefault(chunk.passage.id, chunk)
            pool |= {name: chunk.passage for name, chunk in new.items()}
            marked = [chunk for chunk in new.values() if chunk.marks(self.useful_at)] if hops < self.hops else []
            written = await together(*(self.pick_query(chunk.origin.queries[0], chunk) for chunk in marked))
            queries = [query for query in dict.fromkeys(written) if query not in asked]
            asked.update(queries)
        helpful = [chunk.passage.id for chunk in labelled if self.goes_on(chunk)]
        return Gathered(list(pool.values()), list(pool.values()), hops, labelled, helpful)

    async def label_found(self, query: str) -> list[JudgedChunk]:
        """The chunks that the query finds, each labelled under that query alone."""
        pages = [hit.passage for hit in await self.find(query, self.k)]
        return await self.label(query, pages, OpenQuery((query,)))

    async def follow_likeliest(self, question: str) -> Gathered:
        """Our loop: the likeliest chunks are followed, and all that were labelled are ranked."""
        labelled: list[JudgedChunk] = []
        queries = [OpenQuery((question,))]
        hops = 0
        while queries and hops < self.hops:
            hops += 1
            rounds = await self.attempt(together(*(self.labels(question, query) for query in queries)))
            if rounds is None:  # the budget has run out
                break
            chunks = [chunk for each in rounds for chunk in each]
            labelled += chunks
            queries = await self.next_queries(question, chunks) if hops < self.hops else []
        passages = await side_by_side(self.encoder, question, labelled, self.side_by_side, self.useful_at)
        helpful = [chunk.passage.id for chunk in labelled if chunk.worth >= self.keep_at]
        return Gathered(passages, passages[: self.read_chunks], hops, labelled, helpful)

    async def labels(self, question: str, query: OpenQuery) -> list[JudgedChunk]:
        """The first chunks that the query finds, labelled under what is known, and more while none is believed."""
        found = await self.retrieve(query)
        step = self.k_after if query.path else self.k
        labelled: list[JudgedChunk] = []
        for first in range(0, min(len(found), step * self.widen), step):
            labelled += await self.label(question, found[first : first + step], query, first)
            if any(chunk.label.relevant >= self.believed_at for chunk in labelled):
                break
        return labelled

    async def label(self, text: str, pages: Sequence[Passage], origin: OpenQuery, first: int = 0) -> list[JudgedChunk]:
        """The pages, each labelled under a question or query and what is known; `first` is the place of the first."""
        labels = await together(*(worked(judge(self.encoder, Pair(text, str(page), origin.known))) for page in pages))
        ranked = enumerate(zip(pages, labels, strict=True), first)
        chunks = [JudgedChunk(page, origin, label, rank) for rank, (page, label) in ranked]
        self.record(LabelStep(step="label", labels=[self.describe_chunk(chunk) for chunk in chunks]))
        return chunks

    def goes_on(self, chunk: JudgedChunk) -> bool:
        """Whether the chunk is tagged "continue": it leads on; in the paper's loop, it helps."""
        label = chunk.label
        return (label.relevant if self.loop == "paper" else label.leads_on) >= self.continue_at

    async def retrieve(self, query: OpenQuery) -> list[Passage]:
        """What the queries find, fused with the pages that the chunk at the end of the path names."""
        link_searches = [self.find_links(query.path)] if query.path and self.links else []
        rankings = await together(*link_searches, *(self.find(each, self.k * self.widen) for each in query.queries))
        links, queried = [each[: self.links] for each in rankings[: len(link_searches)]], rankings[len(link_searches) :]
        pages = [hit.passage for hit in fuse(*links, fuse(*queried))]
        return [page for page in pages if page not in query.path]

    async def find_links(self, path: Sequence[Passage]) -> list[Hit]:
        """The pages that the last chunk of the path names, best first by a search for its own text."""
        text = path[-1].text
        return await self.find(text, LINK_DEPTH, lambda page: page not in path and page.is_named_in(text))

    async def next_queries(self, question: str, labelled: Sequence[JudgedChunk]) -> list[OpenQuery]:
        """The likeliest of the chunks tagged "continue", each with the query that the filter picks after it."""
        likeliest = sorted(labelled, key=lambda chunk: -chunk.belief * chunk.label.leads_on)
        going_on = [chunk for chunk in likeliest if self.goes_on(chunk)]
        if not going_on:  # one hop alone is seldom enough
            going_on = [chunk for chunk in likeliest[:1] if not chunk.origin.path]
        return await together(*(self.query_after(question, chunk) for chunk in going_on[: self.open_queries]))

    async def query_after(self, question: str, chunk: JudgedChunk) -> OpenQuery:
        """The query after one chunk: words of the question and of the marks."""
        text = str(chunk.passage)
        marked = " ".join(chunk.marks(self.useful_at)) or chunk.passage.title or text[:80]
        picked = await self.pick_query(question, chunk, marked)
        known = (*chunk.origin.known, condense(text, chunk.label.marks(self.useful_at)))
        return OpenQuery(
            tuple(dict.fromkeys([picked, marked])), (*chunk.origin.path, chunk.passage), known, chunk.belief
        )

    async def pick_query(self, asked: str, chunk: JudgedChunk, marked: str = "") -> str:
        """The words that the filter picks of what was asked and of the marks."""
        marked = marked or " ".join(chunk.marks(self.useful_at))
        picked = await worked(next_query(self.encoder, asked, marked))
        outputs: FilterOutputs = {"after": chunk.passage.title, "marked": marked, "query": picked.query}
        self.record(FilterStep(step="filter", outputs=outputs))
        return picked.query

    def describe_chunk(self, chunk: JudgedChunk) -> LabelledChunk:
        """A labelled chunk as the record shows it."""
        return {
            "id": chunk.passage.id,
            "title": chunk.passage.title,
            "tag": "continue" if self.goes_on(chunk) else "terminate",
            "relevant": round(chunk.label.relevant, 3),
            "useful": chunk.marks(self.useful_at),
        }
