import asyncio
from math import log

import pytest
from in_turn import AtOnce, InTurn
from shelf import Shelf, by_field, page, run, shown

from multihop import Passage, RankedRAG
from multihop.encoder import Judgement, NextQuery, PageAnswer, PagesReading
from multihop.programs.shared.side_by_side import JudgedChunk, OpenQuery, rank_side_by_side


class Labels:
    """An encoder with a script: for each passage its relevance and how surely it leads on, whatever is known.

    Read together, a passage helps as surely as `helps` says, by name, and else surely; and it holds the answer as
    surely as `answers` says, or not at all.
    """

    def __init__(self, queries=None, helps=None, answers=None, **labels):
        self.labels, self.queries, self.helps, self.answers = labels, queries or {}, helps or {}, answers or {}
        self.pairs, self.findings, self.batches, self.together = [], [], [], []

    def read(self, asked):
        self.together += asked
        return [self.reading([text.rpartition(" ")[2] for text in each.pages]) for each in asked]

    def reading(self, names):
        """Half of what is said of an answer is whether there is one, the other half where it is."""
        likely = [self.answers.get(name, 0.0) for name in names]
        spans = tuple(PageAnswer(page, 0, 1, log(each / 0.5)) for page, each in enumerate(likely) if each)
        return PagesReading(0.0, 0.5, 0.0, 0.0, spans, tuple(self.helps.get(name, 1.0) for name in names))

    def judge(self, pairs):
        self.pairs += pairs
        self.batches.append(len(pairs))
        return [self.label(pair.passage) for pair in pairs]

    def label(self, passage):
        name = passage.rpartition(" ")[2]
        relevant, leads_on = self.labels.get(name, (0.1, 0.0))
        start = passage.index("text")
        return Judgement(relevant, leads_on, 0.0, 0.0, 0.0, 0.0, (), (((start, len(passage)), 0.9),))

    def next_queries(self, findings):
        self.findings += findings
        return [NextQuery(self.queries.get(found.split()[-1], f"more {found}"), "", found) for _, found in findings]


def judged(passage, relevant, mark=None, rank=0):
    """A passage that the question found, and what was said of it."""
    label = Judgement(relevant, 0.0, 0.0, 0.0, 0.0, 0.0, (), ((mark, 0.9),) if mark else ())
    return JudgedChunk(passage, label, OpenQuery(("q",)), rank)


def asked(shelf, labels, links=0, **settings):
    program = RankedRAG(shelf, retries=0, links=links, **settings)
    program.encoder = labels
    prediction, prompts = run(program, by_field(answer="x"))
    return prediction, prompts


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
    labels = Labels({"a": "s"}, a=(0.9, 0.9))
    prediction, _ = asked(shelf, labels, links=1, k=3, k_after=3, widen=1)
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


def test_another_reader_suggests_what_the_last_step_checks():
    shelf, labels = Shelf(q="a b"), Labels(a=(0.9, 0.0))
    program = RankedRAG(shelf, retries=0, links=0, read_chunks=1, suggests=True)
    program.encoder = labels
    prediction, prompts = run(program, by_field(answer=["y", "x"]))
    read = {"passages": shown("a"), "question": "q"}
    assert [prompt.inputs for prompt in prompts] == [read, {**read, "suggestion": "y"}]
    assert (prediction.answer, prediction.cost["calls"], program.most_calls()) == ("x", 2, 2)
    without = RankedRAG(shelf, suggests=True, reads=False)
    assert (without.most_calls(), RankedRAG(shelf).most_calls()) == (0, 1)


def test_nothing_found_is_read_as_nothing():
    prediction, prompts = asked(Shelf(), Labels())
    assert prompts[0].inputs["passages"] == []
    assert prediction.counts == {"hops": 1, "labelled": 0, "documents": 0, "kept": 0, "pool": 0}


def test_the_record_shows_labels_and_filter():
    prediction, _ = asked(Shelf(q="a", s="b"), Labels({"a": "s"}, a=(0.9, 0.8)), hops=2)
    find, label, pick, *_ = prediction.trajectory
    assert (find["step"], find["query"]) == ("find", "q")
    assert label["labels"] == [{"id": "a", "title": "A", "tag": "continue", "relevant": 0.9, "useful": ["text of a"]}]
    assert pick == {"step": "filter", "outputs": {"after": "A", "marked": "text of a", "query": "s"}}


def test_what_the_filter_and_the_marks_find_is_fused():
    shelf = Shelf(**{"q": "a", "s": "b c d", "text of a": "d e"})
    labels = Labels({"a": "s"}, a=(0.9, 0.9))
    prediction, _ = asked(shelf, labels, k=3, k_after=3, widen=1, hops=2)
    assert [pair.passage for pair in labels.pairs[1:]] == InTurn(AtOnce(*shown("d", "b", "c")))
    assert labelled(prediction, 1) == ["d", "b", "c"]  # d is in both; then by rank


@pytest.mark.parametrize(("leap", "first"), [(0.66, "b"), (0.60, "a")])
def test_a_place_further_back_costs_a_fifth(leap, first):
    """The first is worth 0.1 + 0.9 * 0.5 = 0.55; the second 0.8 of the same sum for `leap`: 0.555 and 0.512."""
    prediction, _ = asked(Shelf(q="a b"), Labels(a=(0.5, 0.0), b=(leap, 0.0)), hops=1)
    assert prediction.passages[0].id == first


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


@pytest.mark.parametrize(("believed", "seen"), [(0.7, 2), (0.69, 4)])
def test_what_is_believed_ends_the_labelling_of_its_search(believed, seen):
    _, _ = asked(Shelf(q="a b c d e"), labels := Labels(b=(believed, 0.0)), k=2, widen=2, hops=1)
    assert len(labels.pairs) == seen


@pytest.mark.parametrize(("widen", "seen"), [(1, [2]), (3, [2, 2, 1])])
def test_how_far_down_a_search_is_labelled_is_a_setting(widen, seen):
    asked(shelf := Shelf(q="a b c d e"), labels := Labels(), k=2, hops=1, widen=widen)
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
    labels = Labels(a=(0.9, 0.0), b=(0.9, 0.0), c=(0.9, 0.0), helps={"a": 0.1, "b": 1.0, "c": 0.5})
    prediction, prompts = asked(Shelf(q="a b c"), labels, hops=1, read_chunks=2)
    assert [passage.id for passage in prediction.passages] == ["b", "c", "a"]
    assert prompts[0].inputs["passages"] == shown("b", "c")
    assert [(each.question, each.pages) for each in labels.together] == [("q", tuple(shown("a", "b", "c")))]


def ranked_by(labels):
    """The passages a, b and c, which the question found, each promising less, and d, found after a, worth a tenth."""
    later = judged(page("d"), 0.0)._replace(origin=OpenQuery(("more",), (page("a"),)))
    found = [judged(page(name), 0.9, rank=rank) for rank, name in enumerate("abc")]
    return " ".join(passage.id for passage in asyncio.run(rank_side_by_side(labels, "q", [*found, later], 12)))


@pytest.mark.parametrize(("answers", "first"), [(0.15, "a"), (0.25, "b")])
def test_where_the_answer_surely_stands_a_passage_is_three_times_as_likely(answers, first):
    """b is worth 0.8 * 3 ** 0.15 = 0.94 of a, or 0.8 * 3 ** 0.25 = 1.05; all but c surely help."""
    assert ranked_by(Labels(helps={"c": 0.0}, answers={"b": answers}))[0] == first


def test_the_reader_is_never_surer_of_a_passage_than_999_to_1():
    """So a, which promises more than b, comes first."""
    assert ranked_by(Labels(helps={"a": 0.999, "b": 1.0})) == "a b c d"


@pytest.mark.parametrize(("surest", "ranking"), [(0.6, "c b a d"), (0.5, "c a b d"), (0.2, "a c b d")])
def test_the_less_the_reader_believes_the_more_counts_where_the_question_found_a_passage(surest, ranking):
    """By 0.6, c has 0.91 * 0.64 * 1.5 / 3 ** 0.4 = 0.56, b 0.24 and a 0.23; by 0.5, 0.34, 0.17 and 0.18; by 0.2, 0.060,
    0.046 and 0.065."""
    assert ranked_by(Labels(helps={"a": surest / 3, "b": surest / 2, "c": surest, "d": 0.0})) == ranking


def test_what_the_question_did_not_find_counts_as_behind_all_that_it_found():
    """All help by a half, so that a place counts by its root: d, which promises 1, stands at the fourth."""
    labels = Labels(helps=dict.fromkeys("abcd", 0.5))
    later = judged(page("d"), 1.0)._replace(origin=OpenQuery(("more",), (page("a"),)))
    found = [judged(page(name), relevant) for name, relevant in zip("abc", (0.9, 0.5, 0.4), strict=True)]
    ranked = asyncio.run(rank_side_by_side(labels, "q", [*found, later], 12))
    assert [passage.id for passage in ranked] == ["a", "d", "b", "c"]  # 0.91, 1 / 2, 0.55 / 1.41 and 0.46 / 1.73


def test_what_is_less_likely_than_those_read_together_stays_behind_them():
    labels = Labels(a=(0.9, 0.0), helps={"a": 0.0, "b": 0.0, "c": 1.0})
    prediction, _ = asked(Shelf(q="a b c"), labels, hops=1, side_by_side=2)
    assert [passage.id for passage in prediction.passages] == ["a", "b", "c"]
    assert [each.pages for each in labels.together] == [tuple(shown("a", "b"))]


@pytest.mark.parametrize(("promise", "read"), [(0.02, "a b c d"), (0.03, "a b c d e")])
def test_what_promises_less_than_a_twentieth_of_the_best_is_not_read(promise, read):
    """The first is worth 1; the fifth 0.8 ** 4 * (0.1 + 0.9 * 0.02) = 0.048, or 0.052 with 0.03."""
    labels = Labels(
        a=(1.0, 0.0), e=(promise, 0.0), **dict.fromkeys("bcd", (0.9, 0.0)), helps=dict.fromkeys("abcd", 0.5)
    )
    asked(Shelf(q="a b c d e"), labels, hops=1)
    assert [each.pages for each in labels.together] == [tuple(shown(*read.split()))]


def test_where_one_chunk_alone_promises_anything_nothing_is_read_together():
    labels = Labels(helps={"a": 0.0, "b": 1.0})
    likely, unlikely = judged(page("a"), 1.0), judged(page("b"), 0.01, rank=9)  # worth 1 and 0.015
    assert asyncio.run(rank_side_by_side(labels, "q", [likely, unlikely], 12)) == [page("a"), page("b")]
    assert labels.together == []


def test_of_a_long_chunk_the_marked_sentences_and_the_first_ones_are_read_beside_others():
    """The long one is read as 150 words: its last sentence, which is marked, its first, and as many as then fit."""
    first, filling, last = "Etna is a volcano.", "It smokes on and on.", "It stands in Sicily."
    text = " ".join([first, *[filling] * 40, last])
    long = Passage("a", "Etna", text)
    marked = len(str(long)) - len("Sicily.")
    labels = Labels()
    asyncio.run(rank_side_by_side(labels, "q", [judged(long, 0.9, (marked, marked + 6)), judged(page("b"), 0.9)], 12))
    ((read, other),) = [each.pages for each in labels.together]
    assert read == " ".join([f"Etna | {first}", *[filling] * 28, last])
    assert len(read.split()) == 150
    assert other == str(page("b"))


def test_after_a_chunk_that_is_followed_fewer_are_labelled():
    shelf = Shelf(**{"q": "a", "s": "b c d e", "text of a": "f g h i"})
    prediction, _ = asked(shelf, Labels({"a": "s"}, a=(0.9, 0.9)), k=4, k_after=3, widen=1)
    assert shelf.batches[1:] == [(InTurn(AtOnce("s", "text of a")), 4)]
    assert labelled(prediction, 1) == ["b", "f", "c"]
