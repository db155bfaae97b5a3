"""EfficientRAG against a reading of section 3.1 and figure 3 that was made from the paper and not from the program.

"Given a query, the retriever obtains relevant chunks"; the labeler "annotates a sequence of tokens in this document";
the tagger tags the chunk; of one tagged <Continue> "we will add this chunk to a candidate pool", otherwise "we stop
searching for the successor branches from this query"; "the filter module takes both the labeled tokens and the current
query to construct a new query for the next round"; "this iterative process continues until all chunks are tagged
<Terminate> or the maximum number of iterations is reached". What the paper leaves open is as the program says it is: a
chunk writes one query, a query is searched for once, and a chunk without a labeled token writes none.
"""

import random

from shelf import Shelf, by_field, page, run

from multihop import EfficientRAG
from multihop.encoder import Judgement, NextQuery

CHUNKS, QUERIES = "abcdefghijkl", ["q", *(f"q{number}" for number in range(15))]


CASES = 100


class Case:
    """Tables drawn by lot: what each query finds, the tag and the labeled tokens of each chunk under it, the filter."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.k, self.hops, tagged = dice.randint(2, 6), dice.randint(1, 6), dice.choice([0.3, 0.5, 0.7])
        self.found = {query: dice.sample(CHUNKS, max(0, dice.randint(-1, 9))) for query in QUERIES}
        pairs = [(query, chunk) for query in QUERIES for chunk in CHUNKS]
        self.tags = {pair: dice.random() < tagged for pair in pairs}
        self.labeled = {pair: dice.random() < 0.85 for pair in pairs}
        self.filters = {pair: dice.choice(QUERIES) for pair in pairs}

    def read_from_the_paper(self):
        """The pool in order, the queries of each iteration, and what was found helpful with repeats."""
        pool, helpful, iterations = [], 0, []
        seen, queries = {"q"}, ["q"]
        while queries and len(iterations) < self.hops:
            iterations.append(queries)
            successors = []
            for query in queries:
                for chunk in self.found[query][: self.k]:
                    if not self.tags[query, chunk]:  # <Terminate>
                        continue
                    helpful += 1
                    if chunk in pool:
                        continue
                    pool.append(chunk)
                    if self.labeled[query, chunk]:
                        successors.append(self.filters[query, chunk])
            queries = [each for n, each in enumerate(successors) if each not in seen and each not in successors[:n]]
            seen.update(queries)
        return pool, iterations, helpful


class Networks:
    """A labeler with its tagger, and a filter, which answer from the tables."""

    fingerprint = "tables"

    def __init__(self, case):
        self.case = case

    def label(self, pairs):
        assert all(pair.known == () for pair in pairs)
        return [self.judgement(pair.question, pair.passage) for pair in pairs]

    def judgement(self, query, passage):
        chunk, start = passage[-1], passage.index("text")
        words = (((start, len(passage)), 0.9),) if self.case.labeled[query, chunk] else ()
        tag = 0.9 if self.case.tags[query, chunk] else 0.1
        return Judgement(tag, tag, 0.0, 0.0, 0.0, 0.0, (), words)

    def filter(self, findings):
        return [NextQuery(self.case.filters[query, marked[-1]], "", marked) for query, marked in findings]


def in_order(steps):
    """The steps of a record, those of its branches in the branches' order."""
    for step in steps:
        yield step
        for branch in step.get("branches", ()):
            yield from in_order(branch)


def test_pool_queries_and_order_are_those_of_the_paper():
    for seed in range(CASES):
        case = Case(seed)
        shelf = Shelf(**{query: " ".join(chunks) for query, chunks in case.found.items()})
        program = EfficientRAG(shelf, k=case.k, hops=case.hops, retries=0)
        program.encoder = Networks(case)
        prediction, prompts = run(program, by_field(answer="x"))
        pool, iterations, helpful = case.read_from_the_paper()
        assert [passage.id for passage in prediction.passages] == pool, seed
        assert prompts[0].inputs["passages"] == [str(page(chunk)) for chunk in pool]
        assert [sorted(queries) for queries, _ in shelf.batches] == [sorted(queries) for queries in iterations], seed
        searched = [step["query"] for step in in_order(prediction.trajectory) if step["step"] == "find"]
        assert searched == [query for queries in iterations for query in queries], seed
        assert (prediction.counts["hops"], prediction.counts["kept"]) == (len(iterations), helpful)


def test_the_cases_are_of_many_kinds():
    """Without them the agreement would say little: long and short ways, whole and empty pools, queries that return."""
    read = [Case(seed).read_from_the_paper() for seed in range(CASES)]
    assert {len(iterations) for _, iterations, _ in read} >= {1, 2, 3, 4, 5}
    assert {0, 1, 5, 9} <= {len(pool) for pool, _, _ in read}
    assert sum(helpful > len(pool) for pool, _, helpful in read) > 25
    assert sum(any(len(queries) > 1 for queries in iterations) for _, iterations, _ in read) > 25
