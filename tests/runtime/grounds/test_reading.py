import asyncio
import math

import pytest

from multihop.encoder import Encoder, PageAnswer, PagesReading
from multihop.retrieval import Passage
from multihop.runtime.grounds import reading
from multihop.runtime.grounds.reading import read_signals

LONG = "word " * 200
ADA = Passage("1", "Ada", "Ada was born in London.")
FAR = Passage("2", "Far", LONG)
END = Passage("3", "End", LONG)


@pytest.fixture
def reads(monkeypatch):
    """The encoder reads what it is told to, group after group; what it was asked is kept."""

    def reads(*readings):
        asked, left = [], [*readings]

        async def read(encoder, pages):
            asked.append(pages)
            return left.pop(0)

        monkeypatch.setattr(Encoder, "load", classmethod(lambda kind: None))
        monkeypatch.setattr(reading, "read", read)
        return asked

    return reads


def signals(answer, *passages, question="Where was Ada born?"):
    return asyncio.run(read_signals(question, answer, passages))


def test_an_answer_is_as_likely_as_the_reader_finds_it_where_it_reads(reads):
    london, ada = PageAnswer(0, 22, 28, -0.5), PageAnswer(0, 0, 3, -2.0)
    asked = reads(PagesReading(0.75, 0.5, 0.25, 0.125, (london, ada), (0.9,)))
    found = signals("London.", ADA)
    assert asked == [("Where was Ada born?", ("Ada | Ada was born in London.",))]
    assert found == {
        "complete": pytest.approx(math.log(3)),
        "first": pytest.approx(math.log(9)),
        "second": -7.0,
        "span": pytest.approx(-0.5 + math.log(0.5)),
        "margin": pytest.approx(-0.5 + math.log(0.5) - math.log(0.25)),  # against "yes"
    }


def test_an_answer_that_the_reader_would_not_give_is_the_least_likely(reads):
    reads(PagesReading(0.5, 1.0, 0.0, 0.0, (PageAnswer(0, 22, 28, 0.0),), (0.5,)))
    found = signals("Paris", ADA)
    assert (found["span"], found["margin"]) == (-12.0, -6.0)


def test_yes_and_no_have_the_probabilities_of_their_own(reads):
    reads(PagesReading(0.5, 0.01, 0.9, 0.09, (), (0.5,)))
    found = signals("yes", ADA)
    assert found["span"] == pytest.approx(math.log(0.9))
    assert found["margin"] == pytest.approx(math.log(10))


def test_the_best_of_several_readings_counts_and_each_passage_once(reads):
    asked = reads(
        PagesReading(0.2, 0.5, 0.0, 0.0, (PageAnswer(0, 22, 28, -1.0),), (0.5, 0.2)),
        PagesReading(0.8, 0.25, 0.0, 0.0, (PageAnswer(0, 22, 28, -2.0),), (0.8, 0.3)),
    )
    found = signals("London", ADA, FAR, END)
    assert [len(pages.pages) for pages in asked] == [2, 2]
    assert found["complete"] == pytest.approx(math.log(4))
    assert found["first"] == pytest.approx(math.log(4))  # Ada, read twice
    assert found["second"] == pytest.approx(math.log(3 / 7))
    assert found["span"] == pytest.approx(-1.0 + math.log(0.5))


def test_without_passages_nothing_is_read(reads):
    asked = reads()
    assert signals("London") == {"complete": -7.0, "first": -7.0, "second": -7.0, "span": -12.0, "margin": -6.0}
    assert asked == []
