"""EfficientRAG's loop, call by call, and against a reading of section 3.1 and figure 3 that was made from the paper.

"Given a query, the retriever obtains relevant chunks"; the labeler "annotates a sequence of tokens in this document";
the tagger tags the chunk; of one tagged <Continue> "we will add this chunk to a candidate pool", otherwise "we stop
searching for the successor branches from this query"; "the filter module takes both the labeled tokens and the current
query to construct a new query for the next round"; "this iterative process continues until all chunks are tagged
<Terminate> or the maximum number of iterations is reached". What the paper leaves open is as the program says it is: a
chunk writes one query, a query is searched for once, and a chunk without a labeled token writes none.
"""

import random

import pytest
from in_turn import AtOnce, InTurn
from shelf import Shelf, by_field, page, run, shown

from multihop import Budget, EfficientRAG
from multihop.encoder import Judgement, NextQuery


class Networks:
    """A labeler with its tagger, and a filter, that answer from tables by a query and the name of a chunk."""

    fingerprint = "tables"

    def __init__(self, helpful, queries, unlabeled=()):
        self.helpful, self.queries, self.unlabeled = helpful, queries, unlabeled
        self.pairs, self.findings = [], []

    def label(self, pairs):
        self.pairs += pairs
        return [self.judgement(pair.question, pair.passage) for pair in pairs]

    def judgement(self, query, passage):
        chunk, start = passage[-1], passage.index("text")
        words = () if (query, chunk) in self.unlabeled else (((start, len(passage)), 0.2),)
        tag = 0.5 if (query, chunk) in self.helpful else 0.49
        return Judgement(tag, 0.0, 1.0, 0.0, 0.0, 0.0, (), words)

    def filter(self, findings):
        self.findings += findings
        return [NextQuery(self.queries[query, marked[-1]], "", marked) for query, marked in findings]


def asked(shelf, networks, **settings):
    program = EfficientRAG(shelf, retries=0, **settings)
    program.encoder = networks
    return run(program, by_field(answer="x"))


def pairs(*each):
    """Pairs of a query and the names of the chunks that it is labelled with, nothing being known."""
    return AtOnce(*((query, str(page(name)), ()) for query, names in each for name in names.split()))


def test_every_chunk_that_helps_writes_a_query_from_the_last_one_and_its_marks():
    """Two ways begin at q, by a and by c; d ends the one, e and f follow on the other, and g is dropped."""
    shelf = Shelf(q="a b c", s="d g", t="e", u="f", v="g")
    queries = {("q", "a"): "s", ("q", "c"): "t", ("s", "d"): "v", ("t", "e"): "u", ("u", "f"): "w"}
    networks = Networks(queries.keys(), queries)
    prediction, prompts = asked(shelf, networks, k=3)
    assert shelf.batches == [
        (["q"], 3),
        (InTurn(AtOnce("s", "t")), 3),
        (InTurn(AtOnce("v", "u")), 3),
        (["w"], 3),
    ]
    assert networks.pairs == InTurn(
        pairs(("q", "a b c")), pairs(("s", "d g"), ("t", "e")), pairs(("v", "g"), ("u", "f"))
    )
    assert networks.findings == InTurn(
        AtOnce(("q", "text of a"), ("q", "text of c")),
        AtOnce(("s", "text of d"), ("t", "text of e")),
        ("u", "text of f"),
    )
    assert [prompt.inputs for prompt in prompts] == [{"passages": shown(*"acdef"), "question": "q"}]
    assert [passage.id for passage in prediction.passages] == ["a", "c", "d", "e", "f"]
    assert prediction.counts == {"hops": 4, "labelled": 8, "documents": 7, "kept": 5, "pool": 5}
    assert (prediction.cost["calls"], prediction.cost["retrievals"]) == (1, 6)


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_the_last_hop_writes_no_query_and_what_it_finds_is_read(hops):
    shelf = Shelf(q="a", s="b", t="c", u="d")
    queries = {("q", "a"): "s", ("s", "b"): "t", ("t", "c"): "u"}
    networks = Networks(queries.keys(), queries)
    _, prompts = asked(shelf, networks, hops=hops)
    assert shelf.asked == ["q", "s", "t"][:hops]
    assert networks.findings == [("q", "text of a"), ("s", "text of b")][: hops - 1]
    assert prompts[0].inputs["passages"] == shown(*"abc"[:hops])


def test_tags_and_filter_are_on_record():
    prediction, _ = asked(Shelf(q="a b", s="c"), Networks({("q", "a")}, {("q", "a"): "s"}))
    _, label, pick, *_ = prediction.trajectory
    assert label["labels"] == [
        {"id": "a", "title": "A", "tag": "continue", "relevant": 0.5, "useful": ["text of a"]},
        {"id": "b", "title": "B", "tag": "terminate", "relevant": 0.49, "useful": ["text of b"]},
    ]
    assert pick == {"step": "filter", "outputs": {"after": "A", "marked": "text of a", "query": "s"}}


def test_where_the_time_is_over_it_reads_what_it_has(monkeypatch):
    shelf, networks = Shelf(q="a", s="b"), Networks({("q", "a")}, {("q", "a"): "s"})
    monkeypatch.setattr("multihop.runtime.cost.Account.seconds_left", property(lambda self: 1 - len(shelf.batches)))
    prediction, prompts = asked(shelf, networks, budget=Budget(seconds=1))
    assert prediction.over_budget
    assert shelf.asked == ["q"]
    assert prompts[0].inputs["passages"] == shown("a")


CHUNKS, QUERIES = "abcdefghijkl", ["q", *(f"q{number}" for number in range(15))]
CASES = 100


class Case:
    """Tables drawn by lot: what each query finds, the tag and the labeled tokens of each chunk under it, the filter."""

    def __init__(self, seed):
        dice = random.Random(seed)
        self.k, self.hops, tagged = dice.randint(2, 6), dice.randint(1, 6), dice.choice([0.3, 0.5, 0.7])
        self.found = {query: dice.sample(CHUNKS, max(0, dice.randint(-1, 9))) for query in QUERIES}
        pairs = [(query, chunk) for query in QUERIES for chunk in CHUNKS]
        self.helpful = {pair for pair in pairs if dice.random() < tagged}
        self.unlabeled = {pair for pair in pairs if dice.random() >= 0.85}
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
                    if (query, chunk) not in self.helpful:  # <Terminate>
                        continue
                    helpful += 1
                    if chunk in pool:
                        continue
                    pool.append(chunk)
                    if (query, chunk) not in self.unlabeled:
                        successors.append(self.filters[query, chunk])
            queries = [each for n, each in enumerate(successors) if each not in seen and each not in successors[:n]]
            seen.update(queries)
        return pool, iterations, helpful

    def read_from_the_code(self):
        """The same, with one query a round of the last one and all marks, nothing being looked at for repetition."""
        pool, helpful, iterations, query = [], [], [], "q"
        while query and len(iterations) < self.hops:
            iterations.append([query])
            tagged = [chunk for chunk in self.found[query][: self.k] if (query, chunk) in self.helpful]
            helpful += tagged
            pool += [chunk for chunk in tagged if chunk not in pool]
            marks = [chunk for chunk in tagged if (query, chunk) not in self.unlabeled]
            query = self.filters[query, marks[-1]] if marks else ""
        return pool, iterations, helpful


def in_order(steps):
    """The steps of a record, those of its branches in the branches' order."""
    for step in steps:
        yield step
        for branch in step.get("branches", ()):
            yield from in_order(branch)


def test_pool_queries_and_order_are_those_of_the_paper():
    read = []
    for seed in range(CASES):
        case = Case(seed)
        shelf = Shelf(**{query: " ".join(chunks) for query, chunks in case.found.items()})
        networks = Networks(case.helpful, case.filters, case.unlabeled)
        prediction, prompts = asked(shelf, networks, k=case.k, hops=case.hops)
        pool, iterations, helpful = case.read_from_the_paper()
        assert [passage.id for passage in prediction.passages] == pool, seed
        assert prompts[0].inputs["passages"] == shown(*pool)
        assert [sorted(queries) for queries, _ in shelf.batches] == [sorted(queries) for queries in iterations], seed
        searched = [step["query"] for step in in_order(prediction.trajectory) if step["step"] == "find"]
        assert searched == [query for queries in iterations for query in queries], seed
        assert (prediction.counts["hops"], prediction.counts["kept"]) == (len(iterations), helpful)
        read.append((pool, iterations, helpful))
    # The cases are of many kinds: long and short ways, whole and empty pools, queries that return.
    assert {len(iterations) for _, iterations, _ in read} >= {1, 2, 3, 4, 5}
    assert {0, 1, 5, 9} <= {len(pool) for pool, _, _ in read}
    assert sum(helpful > len(pool) for pool, _, helpful in read) > 25
    assert sum(any(len(queries) > 1 for queries in iterations) for _, iterations, _ in read) > 25


def test_with_one_query_a_round_the_marks_of_all_chunks_are_joined_as_in_the_public_code():
    lengths = set()
    for seed in range(CASES):
        case = Case(seed)
        shelf = Shelf(**{query: " ".join(chunks) for query, chunks in case.found.items()})
        networks = Networks(case.helpful, case.filters, case.unlabeled)
        prediction, prompts = asked(shelf, networks, k=case.k, hops=case.hops, queries="joined")
        pool, iterations, helpful = case.read_from_the_code()
        assert [passage.id for passage in prediction.passages] == pool, seed
        assert prompts[0].inputs["passages"] == shown(*helpful)
        assert [queries for queries, _ in shelf.batches] == iterations, seed
        lengths.add(len(iterations))
        for query, marked in networks.findings:
            marks = [c for c in case.found[query][: case.k] if (query, c) in case.helpful - case.unlabeled]
            assert marked == " ".join(f"text of {chunk}" for chunk in marks)
    assert lengths >= {1, 2, 3, 4, 5}
