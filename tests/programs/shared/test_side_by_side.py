"""The second ranking of chunks, by what a reader says of them side by side, worked out by hand."""

import asyncio
from math import log

import pytest
from shelf import page, shown

from multihop import Passage
from multihop.encoder import Judgement, PageAnswer, PagesReading
from multihop.programs.shared.side_by_side import JudgedChunk, OpenQuery, rank_side_by_side


class Reader:
    """Says how surely each page helps, by its name and surely if nothing is said, and holds the answer, or not at all.

    Half of what is said of an answer is whether there is one, the other half where it is.
    """

    def __init__(self, helps=None, answers=None):
        self.helps, self.answers, self.asked = helps or {}, answers or {}, []

    def read(self, asked):
        self.asked += asked
        return [self.reading([text.rpartition(" ")[2] for text in each.pages]) for each in asked]

    def reading(self, names):
        likely = [self.answers.get(name, 0.0) for name in names]
        spans = tuple(PageAnswer(place, 0, 1, log(each / 0.5)) for place, each in enumerate(likely) if each)
        return PagesReading(0.0, 0.5, 0.0, 0.0, spans, tuple(self.helps.get(name, 1.0) for name in names))


def judged(name, relevant, rank=0, *, found_by_question=True):
    origin = OpenQuery(("q",)) if found_by_question else OpenQuery(("more",), (page("a"),))
    return JudgedChunk(page(name), Judgement(relevant, 0.0, 0.0, 0.0, 0.0, 0.0, (), ()), origin, rank)


def ranked(reader, *chunks, most_read=12):
    return " ".join(passage.id for passage in asyncio.run(rank_side_by_side(reader, "q", chunks, most_read)))


THREE = (judged("a", 0.9, 0), judged("b", 0.9, 1), judged("c", 0.9, 2))
"""What the question found, each promising less."""
LATER = judged("d", 0.0, found_by_question=False)


@pytest.mark.parametrize(
    ("helps", "answers", "ranking"),
    [
        # Where the answer surely stands a passage is three times as likely: b is worth 0.8 * 3 ** 0.15 = 0.94 of a,
        ({"c": 0.0}, {"b": 0.15}, "a b d c"),
        ({"c": 0.0}, {"b": 0.25}, "b a d c"),  # or 0.8 * 3 ** 0.25 = 1.05.
        # The reader is never surer of a passage than 999 to 1, so that a, which promises more than b, comes first.
        ({"a": 0.999, "b": 1.0}, {}, "a b c d"),
        # The less the reader believes, the more counts where the question found a passage:
        # c has 0.91 * 0.64 * 1.5 / 3 ** 0.4 = 0.56, b 0.24 and a 0.23;
        ({"a": 0.6 / 3, "b": 0.6 / 2, "c": 0.6, "d": 0.0}, {}, "c b a d"),
        ({"a": 0.5 / 3, "b": 0.5 / 2, "c": 0.5, "d": 0.0}, {}, "c a b d"),  # c 0.34, b 0.17 and a 0.18;
        ({"a": 0.2 / 3, "b": 0.2 / 2, "c": 0.2, "d": 0.0}, {}, "a c b d"),  # c 0.060, b 0.046 and a 0.065.
    ],
)
def test_passages_are_ranked_by_what_they_promise_times_what_the_reader_says(helps, answers, ranking):
    assert ranked(Reader(helps, answers), *THREE, LATER) == ranking


def test_what_the_question_did_not_find_counts_as_behind_all_that_it_found():
    """All help by a half, so that a place counts by its root: d, which promises 1, stands at the fourth."""
    found = [judged("a", 0.9), judged("b", 0.5), judged("c", 0.4), judged("d", 1.0, found_by_question=False)]
    # 0.91, 1 / 2, 0.55 / 1.41 and 0.46 / 1.73
    assert ranked(Reader(dict.fromkeys("abcd", 0.5)), *found) == "a d b c"


def test_what_is_less_likely_than_those_read_together_stays_behind_them():
    reader = Reader({"a": 0.0, "b": 0.0, "c": 1.0})
    assert ranked(reader, *THREE, most_read=2) == "a b c"
    assert [(each.question, each.pages) for each in reader.asked] == [("q", tuple(shown("a", "b")))]


@pytest.mark.parametrize(("promise", "read"), [(0.02, "abcd"), (0.03, "abcde")])
def test_what_promises_less_than_a_twentieth_of_the_best_is_not_read(promise, read):
    """The first is worth 1; the fifth 0.8 ** 4 * (0.1 + 0.9 * 0.02) = 0.048, or 0.052 with 0.03."""
    reader = Reader()
    ranked(reader, judged("a", 1.0), *(judged(name, 0.9) for name in "bcd"), judged("e", promise, 4))
    assert [each.pages for each in reader.asked] == [tuple(shown(*read))]


def test_where_one_chunk_alone_promises_anything_nothing_is_read_together():
    reader = Reader({"a": 0.0, "b": 1.0})
    assert ranked(reader, judged("a", 1.0), judged("b", 0.01, 9)) == "a b"  # worth 1 and 0.015
    assert reader.asked == []


def test_of_a_long_chunk_the_marked_sentences_and_the_first_ones_are_read_beside_others():
    """The long one is read as 150 words: its last sentence, which is marked, its first, and as many as then fit."""
    first, filling, last = "Etna is a volcano.", "It smokes on and on.", "It stands in Sicily."
    long = Passage("a", "Etna", " ".join([first, *[filling] * 40, last]))
    marked = len(str(long)) - len("Sicily.")
    label = Judgement(0.9, 0.0, 0.0, 0.0, 0.0, 0.0, (), (((marked, marked + 6), 0.9),))
    reader = Reader()
    ranked(reader, JudgedChunk(long, label, OpenQuery(("q",)), 0), judged("b", 0.9))
    ((read, other),) = [each.pages for each in reader.asked]
    assert read == " ".join([f"Etna | {first}", *[filling] * 28, last])
    assert len(read.split()) == 150
    assert other == str(page("b"))
