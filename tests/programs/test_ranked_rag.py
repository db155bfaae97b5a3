"""RankedRAG's loop, call by call, and over small random graphs against all their paths tried one by one."""

import random

import pytest
from in_turn import AtOnce, InTurn
from shelf import Shelf, by_field, page, run, shown

from multihop import RankedRAG
from multihop.encoder import Judgement, NextQuery, PagesReading


class Labels:
    """An encoder with a script: for each passage its relevance and how surely it leads on, whatever is known.

    Its whole text is marked. Read together, a passage helps as surely as `helps` says, by name, and else surely.
    """

    def __init__(self, queries=None, helps=None, **labels):
        self.labels, self.queries, self.helps = labels, queries or {}, helps or {}
        self.pairs, self.findings, self.batches, self.together = [], [], [], []

    def read(self, asked):
        self.together += asked
        helps = [tuple(self.helps.get(name_in(text), 1.0) for text in each.pages) for each in asked]
        return [PagesReading(0.0, 0.5, 0.0, 0.0, (), each) for each in helps]

    def judge(self, pairs):
        self.pairs += pairs
        self.batches.append(len(pairs))
        return [self.judgement(pair) for pair in pairs]

    def judgement(self, pair):
        relevant, leads_on = self.label(pair)
        span = (pair.passage.index("text"), len(pair.passage))
        return Judgement(relevant, leads_on, 0.0, 0.0, 0.0, 0.0, (), ((span, 0.9),))

    def label(self, pair):
        return self.labels.get(name_in(pair.passage), (0.1, 0.0))

    def next_queries(self, findings):
        self.findings += findings
        return [NextQuery(self.queries.get(name_in(found), f"more {found}"), "", found) for _, found in findings]


def name_in(text):
    return text.rpartition(" ")[2]


def asked(shelf, labels, links=0, **settings):
    program = RankedRAG(shelf, retries=0, links=links, **settings)
    program.encoder = labels
    return run(program, by_field(answer="x"))


def labelled(prediction, hop):
    """The chunks that were labelled in a hop, in the order of the record."""
    labels = [step["labels"] for step in prediction.trajectory if "labels" in step]
    return [label["id"] for label in labels[hop]]


def test_a_chain_of_two_hops_call_by_call():
    shelf = Shelf(q="a b", s="c a")
    labels = Labels({"a": "s"}, a=(0.9, 0.8), b=(0.2, 0.1), c=(0.7, 0.1))
    prediction, prompts = asked(shelf, labels, k=2)
    assert shelf.batches == [(["q"], 4), (InTurn(AtOnce("s", "text of a")), 4)]
    known = f"{page('a')}"
    assert [(pair.question, pair.passage, pair.known) for pair in labels.pairs] == InTurn(
        AtOnce(("q", str(page("a")), ()), ("q", str(page("b")), ())),
        ("q", str(page("c")), (known,)),
    )
    assert labels.findings == [("q", "text of a")]
    assert [passage.id for passage in prediction.passages] == ["a", "c", "b"]
    assert [prompt.inputs for prompt in prompts] == [{"passages": shown("a", "c", "b"), "question": "q"}]
    assert prediction.counts == {"hops": 2, "labelled": 3, "documents": 3, "kept": 3, "pool": 3}
    assert (prediction.cost["calls"], prediction.cost["retrievals"]) == (1, 3)


def test_after_the_first_hop_the_likeliest_is_followed_even_if_nothing_leads_on():
    shelf = Shelf(q="a b", s="c", t="d")
    prediction, _ = asked(shelf, labels := Labels({"b": "t"}, a=(0.9, 0.1), b=(0.5, 0.29)), hops=3)
    assert labels.findings == [("q", "text of b")]
    assert prediction.counts["hops"] == 2  # after the second, nothing that leads on is the end


def test_pages_that_a_chunk_names_are_fused_with_what_the_query_finds():
    shelf = Shelf(**{"q": "a", "s": "b", "text of a": "c text of d"})
    prediction, _ = asked(shelf, labels := Labels({"a": "s"}, a=(0.9, 0.9)), links=1, k=3, k_after=3, widen=1)
    assert shelf.batches[1:] == [(["text of a"], 100), (InTurn(AtOnce("s", "text of a")), 3)]
    assert [pair.passage for pair in labels.pairs[1:]] == InTurn(AtOnce(*shown("text", "b", "c")))
    assert labelled(prediction, 1) == ["text", "b", "c"]  # "of" is too short for a name
    [[named], *_] = prediction.trajectory[3]["branches"]
    assert [hit["id"] for hit in named["hits"]] == ["text"]


def test_it_ends_at_the_last_hop_without_picking_another_query():
    shelf = Shelf(q="a", s="b", t="c", u="d")
    labels = Labels({"a": "s", "b": "t", "c": "u"}, **dict.fromkeys("abcd", (0.9, 0.9)))
    prediction, _ = asked(shelf, labels, hops=3)
    assert shelf.asked == InTurn("q", AtOnce("s", "text of a"), AtOnce("t", "text of b"))
    assert len(labels.findings) == 2
    assert labels.pairs[-1].known == (str(page("a")), str(page("b")))
    assert prediction.counts["hops"] == 3


def test_the_likeliest_queries_are_followed_all_at_once():
    shelf = Shelf(q="a b c", sa="d", sb="e", sc="f")
    labels = Labels({"a": "sa", "b": "sb", "c": "sc"}, a=(0.5, 0.5), b=(0.9, 0.9), c=(0.8, 0.8))
    asked(shelf, labels, open_queries=2, hops=2)
    assert shelf.batches[1][0] == InTurn(AtOnce("sb", "text of b", "sc", "text of c"))
    assert labels.batches == [3, 2]


def test_nothing_found_is_read_as_nothing():
    prediction, prompts = asked(Shelf(), Labels())
    assert prompts[0].inputs["passages"] == []
    assert prediction.counts == {"hops": 1, "labelled": 0, "documents": 0, "kept": 0, "pool": 0}


def test_what_the_filter_and_the_marks_find_is_fused():
    shelf = Shelf(**{"q": "a", "s": "b c d", "text of a": "d e"})
    prediction, _ = asked(shelf, labels := Labels({"a": "s"}, a=(0.9, 0.9)), k=3, k_after=3, widen=1, hops=2)
    assert [pair.passage for pair in labels.pairs[1:]] == InTurn(AtOnce(*shown("d", "b", "c")))
    assert labelled(prediction, 1) == ["d", "b", "c"]  # d is in both; then by rank


def test_after_a_chunk_that_is_followed_fewer_are_labelled():
    shelf = Shelf(**{"q": "a", "s": "b c d e", "text of a": "f g h i"})
    prediction, _ = asked(shelf, Labels({"a": "s"}, a=(0.9, 0.9)), k=4, k_after=3, widen=1)
    assert shelf.batches[1:] == [(InTurn(AtOnce("s", "text of a")), 4)]
    assert labelled(prediction, 1) == ["b", "f", "c"]


@pytest.mark.parametrize(("leap", "first"), [(0.9, "l"), (0.6, "a")])
def test_no_place_costs_more_than_the_tenth(leap, first):
    """The first is worth 0.1; the twelfth (0.1 + 0.9 * 0.9) * 0.8 ** 9 = 0.122, or 0.086 with 0.6."""
    labels = Labels(**dict.fromkeys("abcdefghijk", (0.0, 0.0)), l=(leap, 0.0))
    prediction, _ = asked(Shelf(q="a b c d e f g h i j k l"), labels, k=12, hops=1, side_by_side=0)
    assert prediction.passages[0].id == first


def test_a_search_of_which_nothing_is_believed_is_labelled_further_down():
    prediction, _ = asked(Shelf(q="a b c d e"), labels := Labels(d=(0.9, 0.0)), k=2, hops=1)
    assert [pair.passage for pair in labels.pairs] == InTurn(AtOnce(*shown("a", "b")), AtOnce(*shown("c", "d")))
    assert labelled(prediction, 0) == ["a", "b"]
    assert labelled(prediction, 1) == ["c", "d"]
    assert prediction.passages[0].id == "d"  # 0.91 * 0.8 ** 3, by its place among all: a is worth 0.19
    assert prediction.counts["labelled"] == 4


@pytest.mark.parametrize(
    ("believed", "widen", "seen"), [(0.7, 2, [2]), (0.69, 2, [2, 2]), (0.1, 1, [2]), (0.1, 3, [2, 2, 1])]
)
def test_a_search_is_labelled_until_something_is_believed_and_no_further_than_the_setting(believed, widen, seen):
    asked(shelf := Shelf(q="a b c d e"), labels := Labels(b=(believed, 0.0)), k=2, hops=1, widen=widen)
    assert (labels.batches, shelf.batches) == (seen, [(["q"], 2 * widen)])


def test_each_search_after_a_chunk_is_widened_by_itself():
    """After a, c is believed, so that d is not looked at; after b, e is not."""
    shelf = Shelf(q="a b", s="c d", t="e f")
    labels = Labels({"a": "s", "b": "t"}, a=(0.9, 0.9), b=(0.9, 0.8), c=(0.8, 0.0))
    asked(shelf, labels, k=2, k_after=1, widen=2)
    assert [pair.passage for pair in labels.pairs] == InTurn(
        AtOnce(*shown("a", "b")), AtOnce(*shown("c", "e")), *shown("f")
    )


@pytest.mark.parametrize(("doubted", "kept"), [(0.1, 1), (0.11, 0)])
def test_what_the_labeler_finds_worthless_keeps_a_tenth_of_its_worth(doubted, kept):
    prediction, _ = asked(Shelf(q="a"), Labels(a=(0.0, 0.0)), hops=1, keep_at=doubted)
    assert prediction.counts["kept"] == kept


def test_the_likeliest_chunks_are_ranked_once_more_by_reading_them_together():
    """By promise times odds, 0.91 * 0.8 * 999, 0.91 * 0.64 and 0.91 / 9."""
    labels = Labels(**dict.fromkeys("abc", (0.9, 0.0)), helps={"a": 0.1, "b": 1.0, "c": 0.5})
    prediction, prompts = asked(Shelf(q="a b c"), labels, hops=1, read_chunks=2)
    assert [passage.id for passage in prediction.passages] == ["b", "c", "a"]
    assert prompts[0].inputs["passages"] == shown("b", "c")
    assert [(each.question, each.pages) for each in labels.together] == [("q", tuple(shown("a", "b", "c")))]


NAMES = ("text", "anna", "bert", "cora", "dora")  # every page is "text of NAME": the first is named by all others


class RandomGraph(Labels):
    """An encoder whose labels depend on the whole path, over pages of which each finds three others."""

    def __init__(self, seed):
        super().__init__({name: f"after {name}" for name in NAMES})
        dice = random.Random(seed)
        self.found = {name: dice.sample([n for n in NAMES if n != name], 3) for name in NAMES}

    def label(self, pair):
        return self.along(tuple(map(name_in, (*pair.known, pair.passage))))

    def along(self, path):
        return random.Random(repr(path)).random(), random.Random(repr(path[::-1])).random()

    def shelf(self):
        return Shelf(q=" ".join(NAMES), **{f"after {name}": " ".join(pages) for name, pages in self.found.items()})


def by_brute_force(graph, hops, width):
    """Every page by the best path to it, of the paths whose beginnings were among the `width` best of their level."""
    best = dict.fromkeys(NAMES, 0.0)
    level = [((name,), 1.0, rank) for rank, name in enumerate(NAMES)]
    for _ in range(hops):
        believed = []
        for path, before, rank in level:
            belief = before * (0.1 + 0.9 * graph.along(path)[0])
            best[path[-1]] = max(best[path[-1]], belief * 0.8**rank)
            believed.append((path, belief))
        believed.sort(key=lambda each: -each[1] * graph.along(each[0])[1])
        level = []
        for path, belief in believed[:width]:
            new = [name for name in graph.found[path[-1]] if name not in path]
            level += [((*path, name), belief, rank) for rank, name in enumerate(new)]
    return sorted(NAMES, key=lambda name: -best[name])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("hops", "width"), [(2, 1), (2, 2), (3, 2), (4, 3), (3, 100)])
def test_pages_rank_as_when_all_paths_of_the_beam_are_tried(seed, hops, width):
    graph = RandomGraph(seed)
    prediction, _ = asked(graph.shelf(), graph, hops=hops, open_queries=width, continue_at=0.0, side_by_side=0)
    assert [passage.id for passage in prediction.passages] == by_brute_force(graph, hops, width)
