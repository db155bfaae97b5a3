"""EfficientRAG: small trained models label what was found and write the next query; an LM only reads at the end.

Ziyuan Zhuang et al., "EfficientRAG: Efficient Retriever for Multi-Hop Question Answering" (2024), section 3.1.
"""

from collections.abc import Sequence
from dataclasses import field
from itertools import chain
from typing import Literal, NamedTuple

import dspy

from ..encoder import USEFUL, Encoder, Judgement, Pair, filtered_query, label
from ..retrieval import Passage, RetrieverLike
from ..runtime import Count, Program, Share, together
from ..signatures import AnswerFromPassages
from .shared.evidence import read_last


class TaggedChunk(NamedTuple):
    """A chunk with the query that found it and its label under that query."""

    query: str
    passage: Passage
    label: Judgement


class EfficientRAG(Program):
    """The answer read from the chunks that a labeler finds helpful, hop after hop, with no LM call in between.

    Each query retrieves chunks. The labeler, shown the query and a chunk, marks the useful words of the chunk and tags
    it. Every chunk tagged "continue" joins the pool, and all others are dropped. The filter picks words of the query
    and of marks for the next query: of all marks of the round with `queries="joined"`, or, "each", of those of one
    chunk, so that the search branches. The loop ends when no chunk is tagged "continue", or after `hops` rounds. The
    reader is given the pool in the order of finding, and the passages returned are the pool. An empty pool leaves it to
    what it knows.

    The tag is whether a chunk helps, for the last chunk of a way too: the labeler's verdict "relevant". What the paper
    leaves open is as in its public code (NIL-zhuang/EfficientRAG-official) with "joined": the filter is given the
    current query, there are four rounds, every found chunk is labelled again, and the reader sees it as often as it was
    found. "each" is ours: a chunk writes one query, when it is first tagged, a query is searched for once, and the
    reader sees a chunk once. Without a mark there is no query.

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
    calls = "1"
    labeler = staticmethod(label)
    filter = staticmethod(filtered_query)

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the chunks."""
    k: Count = 10
    """Chunks to label of what each query finds."""
    queries: Literal["each", "joined"] = "each"
    """How next queries are written: one after each chunk, or one a round of the marks of all its chunks, as the paper's
    code does."""
    hops: Count = 4
    """Rounds of retrieval at most."""
    continue_at: Share = 0.5
    """From this probability of helping on a chunk is tagged "continue"."""
    useful_at: Share = USEFUL
    """From this probability on a word is marked useful."""
    weights: str | None = None
    """The folder of an encoder of your own (`multihop train`); the built-in one if not given."""
    reads: bool = True
    """False to stop where the last step would read: passages and no answer, for an LM call less."""

    def set_up(self) -> None:
        """Open the labeler and the filter."""
        self.encoder = Encoder.load(self.weights)
        self.read = dspy.Predict(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return int(self.reads)

    @property
    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of the weights, wherever they are."""
        return {"weights": self.encoder.fingerprint}

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
                    again = chunk.passage.id in pool and self.queries == "each"
                    if not again and self.marks(chunk.passage, chunk.label):
                        marked.append(chunk)
                    pool.setdefault(chunk.passage.id, chunk.passage)
            written = await self.write_queries(marked) if hops < self.hops else []
            queries = [query for query in dict.fromkeys(written) if query not in asked or self.queries == "joined"]
            asked.update(queries)
        passages = list(pool.values())
        answer = await self.read_passages(passages if self.queries == "each" else helpful, question)
        counts = count_chunks(hops, labelled, helpful)
        return dspy.Prediction(answer=answer, passages=passages, counts=counts)

    async def label_found(self, query: str) -> list[TaggedChunk]:
        """The chunks that the query finds, each labelled under that query."""
        pages = [hit.passage for hit in await self.find(query, self.k)]
        labels = await self.label(query, pages)
        return [TaggedChunk(query, page, label) for page, label in zip(pages, labels, strict=True)]

    def goes_on(self, label: Judgement) -> bool:
        """True if the chunk is tagged "continue": it helps."""
        return label.relevant >= self.continue_at

    async def write_queries(self, chunks: Sequence[TaggedChunk]) -> list[str]:
        """The words that the filter picks of the query and the marks: of each chunk, or of all of them, joined."""
        marked = [" ".join(self.marks(chunk.passage, chunk.label)) for chunk in chunks]
        if self.queries == "joined" and chunks:
            after = ", ".join(dict.fromkeys(chunk.passage.title for chunk in chunks))
            return [await self.pick_query(chunks[0].query, after, " ".join(marked))]
        texts = zip(chunks, marked, strict=True)
        return await together(*(self.pick_query(chunk.query, chunk.passage.title, text) for chunk, text in texts))

    async def read_passages(self, passages: Sequence[Passage], question: str) -> str | None:
        """The answer that the reader gives."""
        answer: str | None = (await read_last(self, self.read, passages=passages, question=question)).answer
        return answer

    async def label(self, text: str, pages: Sequence[Passage], known: tuple[str, ...] = ()) -> list[Judgement]:
        """Label each page under a question or query, and under what is known."""
        labels = await together(*(self.labeler(self.encoder, Pair(text, str(page), known)) for page in pages))
        record = [
            {
                "id": page.id,
                "title": page.title,
                "tag": "continue" if self.goes_on(label) else "terminate",
                "relevant": round(label.relevant, 3),
                "useful": self.marks(page, label),
            }
            for page, label in zip(pages, labels, strict=True)
        ]
        self.record({"step": "label", "labels": record})
        return labels

    def marks(self, page: Passage, label: Judgement) -> list[str]:
        """The useful words of the page, neighbours together."""
        return [str(page)[start:end] for start, end in label.marks(self.useful_at)]

    async def pick_query(self, asked: str, after: str, marked: str) -> str:
        """The next query after pages of these titles: the words that the filter picks of the last one and the marks."""
        query = (await self.filter(self.encoder, asked, marked)).query
        self.record({"step": "filter", "outputs": {"after": after, "marked": marked, "query": query}})
        return query


def count_chunks(hops: int, labelled: Sequence[Passage], helpful: Sequence[Passage]) -> dict[str, int]:
    """The rounds of retrieval; the chunks labelled and those found helpful, with repeats and each once."""
    return {
        "hops": hops,
        "labelled": len(labelled),
        "documents": len(set(labelled)),
        "kept": len(helpful),
        "pool": len({passage.id for passage in helpful}),
    }
