from dataclasses import replace

import dspy
import pytest
from small_town import AUTHOR, BORN, COUNTY, NO_TEXT, NOVEL, PASSAGES, QUESTIONS, VILLAGE, WHERE, Remembering

from multihop import (
    BM25,
    InputError,
    OneStep,
    Passage,
    Program,
    Question,
    RankedRAG,
    RunFailed,
    World,
    evaluate,
    lexical,
)
from multihop.data import SubQuestion
from multihop.diagnosis import CandidatePool, GoldInCorpus, HopRecall, RetrievalGain, diagnose
from multihop.diagnosis import gain as gain_module
from multihop.diagnosis.depths import DEPTHS
from multihop.diagnosis.gain import MOST_PASSAGES, FindingOnly, too_large_for_gain
from multihop.diagnosis.gold_pages import describe_gold, find_gold
from multihop.diagnosis.record import CorpusShape, PassageLengths


@pytest.fixture
def diagnosis():
    return diagnose(PASSAGES, QUESTIONS, retriever=Remembering(), sample=0)


def test_the_gold_in_the_corpus(diagnosis):
    assert (diagnosis.questions.questions, diagnosis.questions.with_gold) == (2, 2)
    assert diagnosis.questions.gold == GoldInCorpus(
        pages=4,
        found=4,
        matched_by={"id": 2},
        pairs=2,
        linked_pairs=2,  # the novel names its author, and she her village
        questions_with_pairs=2,
        linked_questions=2,
    )


def test_recall_by_depth(diagnosis):
    depths = diagnosis.questions.depths
    assert [depth.k for depth in depths] == list(DEPTHS)
    # Of the first question one of two is first and the other third; of the second, one is first and the other nowhere.
    assert [depth.recall for depth in depths] == [0.5, 0.5, 0.75, 0.75, 0.75, 0.75, 0.75]
    assert [depth.complete for depth in depths] == [0, 0, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert (depths[2].low, depths[2].high) == (0.5, 1.0)
    assert (depths[0].low, depths[0].high) == (0.5, 0.5)


def test_recall_by_hop_where_a_rule_reads_the_hops(diagnosis):
    questions = diagnosis.questions
    assert questions.hops == (
        HopRecall(hop=1, pages=2, recall=(1.0,) * 7),
        HopRecall(hop=2, pages=2, recall=(0.0, 0.0, 0.5, 0.5, 0.5, 0.5, 0.5)),
    )
    assert (questions.hops_told, questions.hops_by_rule) == (0, 2)


def test_recall_by_hop_where_the_set_tells_them():
    hops = (
        SubQuestion("Who wrote Emma?", "Jane Austen", "p1"),
        SubQuestion("Where was Jane Austen born?", "Steventon", "p2"),
        SubQuestion("In which county is Steventon?", "Hampshire", "p3"),
    )
    told = Question(
        id="q3",
        question="In which county was the author of Emma born?",
        answers=("Hampshire",),
        supporting=("p1", "p2", "p3"),
        decomposition=hops,
    )
    found = diagnose(PASSAGES, [told], retriever=Remembering({told.question: [NOVEL, COUNTY, VILLAGE]}), sample=0)
    assert (found.questions.hops_told, found.questions.hops_by_rule) == (1, 0)
    assert [(hop.hop, hop.pages, hop.recall[0], hop.recall[2]) for hop in found.questions.hops] == [
        (1, 1, 1.0, 1.0),
        (2, 1, 0.0, 0.0),
        (3, 1, 0.0, 1.0),
    ]


def test_what_pools_hold_and_what_is_searched_for(diagnosis):
    searching = Remembering()
    questions = diagnose(PASSAGES, QUESTIONS, retriever=searching, sample=0).questions
    assert searching.asked == [
        ([BORN.question, WHERE.question], 100),
        (["Emma (novel)", "Hampshire", "Jane Austen"], 10),
    ]
    around_20 = (
        CandidatePool(20, named=False, title_hits=False, size=2.5, recall=0.75, complete=0.5),
        CandidatePool(20, named=True, title_hits=False, size=3.5, recall=1.0, complete=1.0),  # and the village
        CandidatePool(20, named=True, title_hits=True, size=5.5, recall=1.0, complete=1.0),  # all; all but one
    )
    assert questions.pools[:3] == around_20
    assert [pool.hits for pool in questions.pools] == [20] * 3 + [100] * 3
    assert [pool.size for pool in questions.pools[3:]] == [2.5, 3.5, 5.5]
    assert diagnosis.retriever == "remembering"


def test_a_name_that_too_many_pages_share_leads_nowhere():
    twins = [Passage(f"t{number}", "Steventon", f"Version {number}.") for number in range(20)]
    for passages, held in ((PASSAGES + twins[:19], 1.0), (PASSAGES + twins, 0.75)):
        pools = diagnose(passages, QUESTIONS, retriever=Remembering(), sample=0).questions.pools
        assert pools[1].recall == held


def question(**fields):
    return Question(**{"id": "q", "question": "Where?", "answers": ("Steventon",), **fields})


def test_gold_is_recognised_by_id_text_or_title_as_evaluate_does():
    renamed = [page._replace(id=str(number)) for number, page in enumerate(PASSAGES, 1)]
    by_text = question(supporting=("x1", "x2"), passages=(AUTHOR._replace(id="x1"), VILLAGE._replace(id="x2")))
    by_title = question(supporting=("Emma (novel)", "Bath"))
    unknown = question(supporting=("Bath", "Bristol"))
    none = question()
    gold = find_gold([BORN, by_text, by_title, unknown, none], [*renamed, *PASSAGES])
    assert [each.match.by for each in gold[:2]] == ["id", "text"]
    gold = find_gold([BORN, by_text, by_title, unknown, none], renamed)
    ways = ["nothing recognised", "text", "title", "nothing recognised", "no gold known"]
    assert [each.match.by for each in gold] == ways
    assert gold[1].pages == {"x1": renamed[1], "x2": renamed[2]}
    assert gold[2].pages == {"Emma (novel)": renamed[0]}
    assert describe_gold(gold) == GoldInCorpus(
        pages=8,
        found=3,
        matched_by={"no gold known": 1, "nothing recognised": 2, "text": 1, "title": 1},
        pairs=1,
        linked_pairs=1,
        questions_with_pairs=1,
        linked_questions=1,
    )


def test_hops_of_gold_that_is_recognised_by_its_text():
    own = (NOVEL._replace(id="x1"), AUTHOR._replace(id="x2"))
    asked = question(question=BORN.question, supporting=("x1", "x2"), passages=own)
    hops = diagnose(PASSAGES, [asked], retriever=Remembering(), sample=0).questions.hops
    assert [(hop.hop, hop.pages, hop.recall[:3]) for hop in hops] == [(1, 1, (1, 1, 1)), (2, 1, (0, 0, 1))]


def test_without_gold_there_is_no_recall():
    for asked, reason in (
        (question(), "the questions name no gold passages"),
        (question(supporting=("Bath",)), "no gold passage was recognised"),
    ):
        searching = Remembering()
        found = diagnose(PASSAGES, [asked], retriever=searching).questions
        assert (found.depths, found.hops, found.pools, found.gain, found.no_gain) == ((), (), (), None, reason)
        assert searching.asked == []


def test_a_question_without_gold_is_left_out_of_recall():
    found = diagnose(PASSAGES, [BORN, question()], retriever=Remembering(), sample=0).questions
    assert (found.questions, found.with_gold, found.depths[0].recall) == (2, 1, 0.5)


class Finds(Program):
    """Finds all of the first question's gold, and half of the second's."""

    def __init__(self, retriever):
        super().__init__(retriever)

    async def aforward(self, question):
        return dspy.Prediction(answer="", passages=[NOVEL, AUTHOR, COUNTY])


def test_what_ranked_rag_gains_question_by_question(monkeypatch):
    monkeypatch.setattr(gain_module, "FindingOnly", Finds)
    by_one = Remembering({BORN.question: [NOVEL], WHERE.question: [COUNTY, AUTHOR]})
    found = diagnose(PASSAGES, QUESTIONS, retriever=by_one).questions
    # 0.5 -> 1.0 and 0.5 -> 0.5; of two questions drawn again, both are alike in half of the cases.
    assert found.gain == RetrievalGain(questions=2, one_step=0.5, ranked_rag=0.75, low=0.0, high=0.5, p_value=1.0)
    assert found.no_gain == ""


def test_a_sample_is_drawn_and_none_where_none_is_asked_for(monkeypatch):
    monkeypatch.setattr(gain_module, "FindingOnly", Finds)
    asked = [question(id=f"q{number}", question=f"{number}?", supporting=("p1",)) for number in range(9)]
    assert diagnose(PASSAGES, asked, retriever=Remembering(), sample=4).questions.gain.questions == 4
    left_out = diagnose(PASSAGES, asked, retriever=Remembering(), sample=0).questions
    assert (left_out.gain, left_out.no_gain) == (None, "no sample was asked for")


def shape(passages, mean):
    words = PassageLengths(mean, mean, mean, int(mean))
    return CorpusShape(passages, 0, 0, 0, words, 0, 0, 0, 0, 0.0, 0.0, passages)


def test_what_would_take_long_is_compared_only_on_demand(monkeypatch):
    assert too_large_for_gain(shape(MOST_PASSAGES, 100), 50) == ""
    assert too_large_for_gain(shape(MOST_PASSAGES + 1, 1), 1) == "the corpus has more than 100,000 passages"
    words = "50 questions are about 165,000 words to read, more than 150,000"
    assert too_large_for_gain(shape(10, 110), 50) == words
    monkeypatch.setattr(gain_module, "MOST_PASSAGES", 5)
    monkeypatch.setattr(gain_module, "FindingOnly", Finds)
    found = diagnose(PASSAGES, QUESTIONS, retriever=Remembering()).questions
    assert (found.gain, found.no_gain) == (None, "the corpus has more than 5 passages")
    assert diagnose(PASSAGES, QUESTIONS, retriever=Remembering(), deep=True).questions.gain is not None


@pytest.mark.usefixtures("tiny_encoder")
def test_ranked_rag_finds_the_same_as_where_it_also_reads():
    retriever = BM25.build(PASSAGES)
    with dspy.context(lm=lexical()):
        reading = RankedRAG(retriever)(question=BORN.question)
    finding = FindingOnly(retriever)(question=BORN.question)
    assert finding.passages == reading.passages
    assert (finding.answer, finding.cost["calls"], reading.cost["calls"]) == ("", 0, 1)


@pytest.mark.usefixtures("tiny_encoder")
def test_an_index_searches_and_gives_its_passages_and_generators_are_kept():
    world = World(questions=3, passages=40, seed=3)
    pages, asked = list(world.passages()), list(world.questions())
    doing = []
    over_index = diagnose(BM25.build(pages), asked, watch=doing.append)
    assert diagnose(iter(pages), iter(asked)) == over_index
    assert over_index.retriever == BM25.build(pages).fingerprint
    assert over_index.questions.gold.found == over_index.questions.gold.pages
    assert over_index.questions.gain.questions == 3
    assert doing[-1] == "asking ranked-rag 3 questions"


def test_the_corpus_alone():
    found = diagnose(PASSAGES)
    assert (found.corpus.passages, found.retriever, found.questions) == (6, None, None)


def test_no_text_counts_as_no_gold_by_text():
    asked = question(supporting=("x5",), passages=(NO_TEXT._replace(id="x5", title="Elsewhere"),))
    assert find_gold([asked], PASSAGES)[0].match.by == "nothing recognised"


def test_recall_at_five_is_what_evaluate_measures_for_one_step():
    world = World(questions=40, passages=200, seed=4)
    pages, asked = list(world.passages()), list(world.questions())
    titles = {page.id: page.title for page in pages}
    titled = [replace(each, supporting=tuple(map(titles.__getitem__, each.supporting))) for each in asked]
    renamed = [page._replace(id=str(number)) for number, page in enumerate(pages)]
    for corpus, questions in ((pages, asked), (renamed, titled)):
        retriever = BM25.build(corpus)
        with dspy.context(lm=lexical()):
            run = evaluate(OneStep(retriever, k=5), questions, progress=False)
        found = diagnose(retriever, questions, sample=0).questions
        assert found.depths[2].recall == pytest.approx(run.summary["metrics"]["recall@5"]["mean"], abs=1e-6)
        assert found.gold.matched_by == run.summary["recall"]["matched_by"]


def test_a_retriever_that_loses_a_query_is_named():
    class Loses:
        def search(self, queries, k):
            return [[] for _ in queries[1:]]

    with pytest.raises(InputError, match="Loses"):
        diagnose(PASSAGES, QUESTIONS, retriever=Loses(), sample=0)


def test_a_function_searches_too():
    found = diagnose(PASSAGES, QUESTIONS, retriever=lambda query: Remembering().search([query], 100)[0], sample=0)
    assert found.questions.depths[2].recall == 0.75


def test_where_ranked_rag_cannot_answer_any_question_that_is_said(monkeypatch):
    class Fails(Finds):
        async def aforward(self, question):
            raise ValueError("no such page")

    monkeypatch.setattr(gain_module, "FindingOnly", Fails)
    with pytest.raises(RunFailed, match=r"ranked-rag failed on all 2 questions: ValueError 2\."):
        diagnose(PASSAGES, QUESTIONS, retriever=Remembering())
