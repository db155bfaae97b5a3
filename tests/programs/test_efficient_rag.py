"""EfficientRAG's loop, call by call: what is searched for, labelled, filtered, pooled and read."""

import pytest
from in_turn import AtOnce, InTurn
from shelf import Shelf, by_field, page, run, shown

from multihop import Budget, EfficientRAG
from multihop.encoder import Judgement, NextQuery


class Tagger:
    """A labeler and filter with a script: what helps under which query, and the query after a query and its marks."""

    def __init__(self, helpful, queries=None, unmarked=""):
        self.helpful = {query: names.split() for query, names in helpful.items()}
        self.queries, self.unmarked = queries or {}, unmarked.split()
        self.pairs, self.findings, self.fingerprint = [], [], "tagger"

    def label(self, pairs):
        self.pairs += pairs
        return [self.one(pair) for pair in pairs]

    def one(self, pair):
        name = pair.passage.rpartition(" ")[2]
        relevant = 0.5 if name in self.helpful.get(pair.question, ()) else 0.49
        start = pair.passage.index("text")
        mark = () if name in self.unmarked else (((start, len(pair.passage)), 0.2),)
        return Judgement(relevant, 0.0, 1.0, 0.0, 0.0, 0.0, (), mark)

    def filter(self, findings):
        self.findings += findings
        return [NextQuery(self.queries[asked, found.split()[-1]], "", found) for asked, found in findings]


def asked(shelf, tagger, **settings):
    program = EfficientRAG(shelf, retries=0, **settings)
    program.encoder = tagger
    prediction, prompts = run(program, by_field(answer="x"))
    return prediction, prompts


def pairs(*each):
    """Pairs of a query and the names of the chunks that it is labelled with, nothing being known."""
    return AtOnce(*((query, str(page(name)), ()) for query, names in each for name in names.split()))


def test_every_chunk_that_helps_writes_a_query_from_the_last_one_and_its_marks():
    """Two ways begin at q, by a and by c; d ends the one, e and f follow on the other, and g is dropped."""
    shelf = Shelf(q="a b c", s="d g", t="e", u="f", v="g")
    tagger = Tagger(
        {"q": "a c", "s": "d", "t": "e", "u": "f"},
        {("q", "a"): "s", ("q", "c"): "t", ("s", "d"): "v", ("t", "e"): "u", ("u", "f"): "w"},
    )
    prediction, prompts = asked(shelf, tagger, k=3)
    assert shelf.batches == [
        (["q"], 3),
        (InTurn(AtOnce("s", "t")), 3),
        (InTurn(AtOnce("v", "u")), 3),
        (["w"], 3),
    ]
    assert tagger.pairs == InTurn(
        pairs(("q", "a b c")), pairs(("s", "d g"), ("t", "e")), pairs(("v", "g"), ("u", "f"))
    )  # fmt: skip
    assert tagger.findings == InTurn(
        AtOnce(("q", "text of a"), ("q", "text of c")),
        AtOnce(("s", "text of d"), ("t", "text of e")),
        ("u", "text of f"),
    )
    assert [prompt.inputs for prompt in prompts] == [{"passages": shown(*"acdef"), "question": "q"}]
    assert [passage.id for passage in prediction.passages] == ["a", "c", "d", "e", "f"]
    assert prediction.counts == {"hops": 4, "labelled": 8, "documents": 7, "kept": 5, "pool": 5}
    assert (prediction.cost["calls"], prediction.cost["retrievals"]) == (1, 6)


@pytest.mark.parametrize(("hops", "searched", "filtered"), [(1, 1, 0), (2, 2, 1), (3, 3, 2)])
def test_the_last_hop_writes_no_query_and_what_it_finds_is_read(hops, searched, filtered):
    shelf = Shelf(q="a", s="b", t="c", u="d")
    tagger = Tagger({"q": "a", "s": "b", "t": "c"}, {("q", "a"): "s", ("s", "b"): "t", ("t", "c"): "u"})
    prediction, prompts = asked(shelf, tagger, hops=hops)
    assert shelf.asked == ["q", "s", "t"][:searched]
    assert tagger.findings == [("q", "text of a"), ("s", "text of b")][:filtered]
    assert prompts[0].inputs["passages"] == shown(*"abc"[:hops])
    assert prediction.counts["hops"] == hops


def test_tags_and_filter_are_on_record():
    prediction, _ = asked(Shelf(q="a b", s="c"), Tagger({"q": "a"}, {("q", "a"): "s"}))
    _, label, pick, *_ = prediction.trajectory
    assert label["labels"] == [
        {"id": "a", "title": "A", "tag": "continue", "relevant": 0.5, "useful": ["text of a"]},
        {"id": "b", "title": "B", "tag": "terminate", "relevant": 0.49, "useful": ["text of b"]},
    ]
    assert pick == {"step": "filter", "outputs": {"after": "A", "marked": "text of a", "query": "s"}}


def test_where_the_time_is_over_it_reads_what_it_has(monkeypatch):
    shelf = Shelf(q="a", s="b")
    tagger = Tagger({"q": "a", "s": "b"}, {("q", "a"): "s"})
    monkeypatch.setattr("multihop.runtime.cost.Account.seconds_left", property(lambda self: 1 - len(shelf.batches)))
    prediction, prompts = asked(shelf, tagger, budget=Budget(seconds=1))
    assert prediction.over_budget
    assert shelf.asked == ["q"]
    assert prompts[0].inputs["passages"] == shown("a")
