import asyncio
import math

import pytest

from multihop.encoder import Judgement, PageAnswer, PagesReading
from multihop.lms.local_page import LocalPage
from multihop.lms.prompt import Prompt

EMMA, AUSTEN = "Emma | By Jane Austen.", "Jane Austen | Born in Bath."
BATH, DANUBE = "Bath | A city.", "Danube | A river."
ETNA = "Etna | " + "A mountain. " * 142 + "It smokes."


class Scripted:
    """An encoder whose relevance is told by a passage and how much is known; the answer is the end of the last page."""

    def __init__(self, **relevant):
        self.relevant, self.pairs, self.runs, self.groups = relevant, [], [], []

    async def read(self, asked):
        self.groups += [pages for _, pages in asked]
        return [self.reading(pages) for _, pages in asked]

    def reading(self, pages):
        last = pages[-1]
        score = self.relevant.get(last.rpartition(" ")[2].strip("."), -1.0)
        answer = PageAnswer(len(pages) - 1, last.rindex(" ") + 1, len(last), score)
        return PagesReading(1.0, self.relevant.get("holds", 1.0), 0.0, 0.0, (answer,))

    async def judge(self, pairs):
        self.pairs += pairs
        self.runs.append(len(pairs))
        return [self.judgement(pair) for pair in pairs]

    def judgement(self, pair):
        name = pair.passage.split(" ")[0].lower()
        relevant = self.relevant.get(f"{name}_{len(pair.known)}", 0.5)
        return Judgement(relevant, 0.0, 0.0, 1.0, 0.0, 0.0)


def page_of(encoder, **inputs):
    return LocalPage(Prompt("", {"question": "q", **inputs}, (), ()), encoder)


def piece(*paragraphs, assertion="It is so."):
    return "\n".join([f"Assertion: {assertion}", *(f"Paragraph: {paragraph}" for paragraph in paragraphs)])


def asked(encoder):
    return [(pair.passage, pair.known) for pair in encoder.pairs]


def test_evidence_is_read_along_its_paths_and_each_beginning_once():
    encoder = Scripted(emma_0=0.5, jane_1=0.8, bath_2=0.25)
    page = page_of(encoder, evidence=[piece(EMMA, AUSTEN, BATH), piece(EMMA, DANUBE), piece(EMMA, DANUBE)])
    reads = asyncio.run(page.reads())
    assert asked(encoder) == [(EMMA, ()), (AUSTEN, (EMMA,)), (DANUBE, (EMMA,)), (BATH, (EMMA, AUSTEN))]
    assert encoder.runs == [1, 2, 1]
    assert [(read.text, read.belief, read.relevance) for read in reads] == [
        (EMMA, 1.0, 0.5), (AUSTEN, 0.5, 0.4), (DANUBE, 0.5, 0.25), (BATH, 0.4, 0.1),
    ]  # fmt: skip


def test_only_the_two_passages_before_are_known():
    encoder = Scripted()
    asyncio.run(page_of(encoder, evidence=[piece(EMMA, AUSTEN, BATH, DANUBE)]).reads())
    assert asked(encoder)[-1] == (DANUBE, (AUSTEN, BATH))


def test_the_pages_of_a_path_are_read_together_and_the_likeliest_path_answers():
    encoder = Scripted(emma_0=0.9, jane_1=0.9, danube_0=0.2)
    candidates = asyncio.run(page_of(encoder, evidence=[piece(DANUBE), piece(EMMA, AUSTEN)]).candidates())
    assert encoder.groups == [(DANUBE,), (EMMA, AUSTEN)]
    assert asked(encoder) == [(DANUBE, ()), (EMMA, ()), (AUSTEN, (EMMA,))]  # each judged once
    assert [(candidate.text, candidate.passage) for candidate in candidates] == [("Bath", AUSTEN), ("river", DANUBE)]
    likely = math.log(0.81) + 0.5 * math.log(0.82)  # the path, and that it ends in the answer
    assert candidates[0].score == pytest.approx(-1.0 + likely)
    assert AUSTEN[slice(*candidates[0].span)] == "Bath."


def test_other_pages_are_read_in_their_order_the_first_with_all_others():
    encoder = Scripted(etna_0=0.9, danube_0=0.1, emma_0=0.99, jane_0=0.95)
    candidates = asyncio.run(page_of(encoder, passages=[EMMA, AUSTEN, ETNA, DANUBE]).candidates())
    assert encoder.groups == [(EMMA, AUSTEN, ETNA), (EMMA, DANUBE)]
    assert [(each.text, each.score) for each in candidates] == [
        ("smokes", pytest.approx(-1.0 + 0.5 * math.log(0.91))),
        ("river", pytest.approx(-1.3 + 0.5 * math.log(0.99 * 0.5 + 0.01))),
    ]


@pytest.mark.parametrize(("behind", "judged"), [(-3.02, 0), (-3.0, 8)])
def test_the_judge_is_not_asked_where_the_reader_leaves_it_nothing_to_decide(behind, judged):
    """The second group is another 0.3 behind; the judge moves an answer by half of log(101) at most, by 2.308."""
    encoder = Scripted(river=behind)
    best = asyncio.run(page_of(encoder, passages=[EMMA, AUSTEN, ETNA, DANUBE]).best())
    assert (best.text, best.passage) == ("smokes", ETNA)
    assert len(encoder.pairs) == judged


def test_the_judge_is_asked_after_the_likeliest_about_the_pages_between_which_it_may_decide():
    inputs = {"passages": [EMMA, AUSTEN, ETNA, DANUBE]}
    relevant = {"river": -2.0, "emma_0": 0.9, "jane_0": 0.8, "etna_0": 0.001, "etna_1": 0.0, "danube_1": 0.999}
    encoder = Scripted(**relevant)
    best = asyncio.run(page_of(encoder, **inputs).best())
    assert asked(encoder) == [
        *((text, ()) for text in inputs["passages"]),
        (ETNA, (EMMA,)), (DANUBE, (EMMA,)), (ETNA, (AUSTEN,)), (DANUBE, (AUSTEN,)),
    ]  # fmt: skip
    assert best == asyncio.run(page_of(Scripted(**relevant), **inputs).candidates())[0]
    assert (best.text, best.score) == ("river", pytest.approx(-2.3 + 0.5 * math.log(0.9 * 0.999 + 0.01)))


def test_a_path_is_its_last_passage_and_an_empty_one_is_none():
    read = asyncio.run(page_of(Scripted(emma_0=0.5, jane_1=0.5), path=[EMMA, AUSTEN]).path())
    assert (read.text, read.known, read.relevance) == (AUSTEN, (EMMA,), 0.25)
    assert asyncio.run(page_of(Scripted(), path=[" "]).path()) is None
    assert asyncio.run(page_of(Scripted(), passages=[]).path()) is None
