"""EfficientRAG: small trained models label what was found and write the next query; an LM only reads at the end.

Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024), section 3.1.
"""

from itertools import chain
from typing import NamedTuple

import dspy

from ..encoder import Judgement, NextQuery, Pair, filtered_query, label
from ..retrieval import Passage
from ..runtime import Count, Share, together
from .shared.labelling import LabelAndFilter, count_chunks


class TaggedChunk(NamedTuple):
    """A chunk with the query that found it and its label under that query."""

    query: str
    passage: Passage
    label: Judgement


class EfficientRAG(LabelAndFilter):
    """The answer read from the chunks that a labeler finds helpful, hop after hop, with no LM call in between.

    Each query retrieves chunks. The labeler, shown the query and a chunk, marks the useful words of the chunk and tags
    it. Every chunk tagged "continue" joins the pool and writes a next query: the words that the filter picks of the
    query and the marks. All others are dropped. The loop ends when no chunk is tagged "continue", or after `hops`
    rounds. The reader is given the pool in the order of finding, and the passages returned are the pool.

    The tag is whether a chunk helps, for the last chunk of a way too: the labeler's verdict "relevant". The paper says
    both that the filter is given the current query and, under figure 3, the original question: here the current one. It
    does not say after how many rounds the loop ends (here four), how sure a tag has to be (here 0.5), what becomes of
    repetitions, nor of a chunk without a marked word: here a chunk writes one query, when it is first tagged, a query
    is searched for once, and without a mark there is no query.

    Differs from the paper: without `weights`, labeler, tagger and filter are one network, the built-in judge, which
    learned from the question and what is known, not from the last query. `weights` is a folder with a labeler, which
    tags as well, and a filter of its own, trained as in section 3.2 (`multihop train --part labeler`, `--part filter`).

    `counts` has the paper's K, the chunks tagged "continue": `kept` over all hops with repeats, and `pool`, each once.
    `labelled` and `documents` count those that were labelled at all in the same two ways.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs import EfficientRAG
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [
        ...     Passage("p1", "Emma (novel)", "Emma is a novel written by the English author Jane Austen."),
        ...     Passage("p2", "Jane Austen", "Jane Austen was an English novelist, born in Steventon, Hampshire."),
        ...     Passage("p3", "Steventon", "Steventon is a village in Hampshire."),
        ... ]
        >>> with dspy.context(lm=scripted([{"answer": "Steventon"}])):
        ...     prediction = EfficientRAG(BM25.build(corpus))(question="Where was the author of Emma born?")
        >>> prediction.cost["calls"], sorted(passage.id for passage in prediction.passages)
        (1, ['p1', 'p2', 'p3'])
    """

    name = "efficientrag"
    paper = "EfficientRAG (Zhuang et al., 2024)"

    k: Count = 10
    """Chunks to label of what each query finds."""
    hops: Count = 4
    """Rounds of retrieval at most."""
    continue_at: Share = 0.5
    """From this probability of helping on a chunk is tagged "continue"."""

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, label, filter, hop by hop; then read the pool."""
        labelled: list[Passage] = []
        helpful: list[Passage] = []
        pool: dict[str, Passage] = {}
        queries, asked, hops = [question], {question}, 0
        while queries and hops < self.hops:
            hops += 1
            rounds = await self.attempt(together(*map(self.label_found, queries)))
            if rounds is None:  # the budget has run out
                break
            marked: list[TaggedChunk] = []
            for chunk in chain.from_iterable(rounds):
                labelled.append(chunk.passage)
                if self.goes_on(chunk.label):
                    helpful.append(chunk.passage)
                    if chunk.passage.id not in pool and self.marks(chunk.passage, chunk.label):
                        marked.append(chunk)
                    pool.setdefault(chunk.passage.id, chunk.passage)
            written = await together(*map(self.next_query, marked)) if hops < self.hops else []
            queries = [query for query in dict.fromkeys(written) if query not in asked]
            asked.update(queries)
        passages = list(pool.values())
        answer = await self.read_passages(passages, question)
        counts = count_chunks(hops, labelled, helpful)
        return dspy.Prediction(answer=answer, passages=passages, counts=counts)

    async def label_found(self, query: str) -> list[TaggedChunk]:
        """The chunks that the query finds, each labelled under that query."""
        pages = [hit.passage for hit in await self.find(query, self.k)]
        labels = await self.label(query, pages)
        return [TaggedChunk(query, page, label) for page, label in zip(pages, labels, strict=True)]

    async def judged(self, pair: Pair) -> Judgement:
        """The labeler's label of a chunk under the query that found it."""
        return await label(self.encoder, pair)

    async def picked(self, asked: str, marked: str) -> NextQuery:
        """The words that the filter picks of the query and the marks."""
        return await filtered_query(self.encoder, asked, marked)

    def goes_on(self, label: Judgement) -> bool:
        """True if the chunk is tagged "continue": it helps."""
        return label.relevant >= self.continue_at

    async def next_query(self, chunk: TaggedChunk) -> str:
        """The words that the filter picks of the chunk's query and of its marks."""
        return await self.pick_query(chunk.query, chunk.passage, " ".join(self.marks(chunk.passage, chunk.label)))
