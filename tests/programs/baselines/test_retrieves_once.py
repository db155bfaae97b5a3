"""Methods that retrieve once: for the parts of the question, or to read a summary."""

import pytest
from in_turn import AtOnce, InTurn
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import Budget, Decompose, Recomp


def test_all_parts_are_retrieved_for_in_one_batch_and_read_by_rank():
    shelf = Shelf(s1="a b", s2="c a d")
    lm = by_field(sub_questions=[["s1", " s2 ", "s1", ""]], answer="x")
    prediction, prompts = run(Decompose(shelf), lm)
    assert shelf.batches == [(InTurn(AtOnce("s1", "s2")), 5)]
    assert prompts[0].inputs == {"question": "q"}
    assert prompts[1].inputs == {"passages": shown("a", "c", "b", "d"), "question": "q"}
    assert prediction.cost["calls"] == prediction.cost["chain"] == 2
    assert prediction.counts == {"parts": 2, "documents": 4}


@pytest.mark.parametrize("said", [GARBAGE, {"sub_questions": []}, {"sub_questions": ["", " "]}])
def test_a_question_that_cannot_be_split_is_retrieved_for_as_it_is(said):
    shelf = Shelf(q="a")
    prediction, _ = run(Decompose(shelf, retries=0), by_field(sub_questions=[said], answer="x"))
    assert (prediction.answer, shelf.asked) == ("x", ["q"])


def test_parts_are_limited():
    shelf = Shelf()
    run(Decompose(shelf, parts=2), by_field(sub_questions=[["s1", "s2", "s3"]], answer="x"))
    assert shelf.asked == InTurn(AtOnce("s1", "s2"))


def test_without_budget_for_splitting_the_question_is_retrieved_for():
    shelf = Shelf(q="a")
    prediction, prompts = run(Decompose(shelf, budget=Budget(calls=1)), by_field(answer="x"))
    assert (len(prompts), prediction.over_budget, shelf.asked) == (1, True, ["q"])


def test_the_summary_alone_is_read():
    prediction, prompts = run(Recomp(Shelf(q="a b")), by_field(summary=["short"], answer="x"))
    assert [prompt.inputs for prompt in prompts] == [
        {"passages": shown("a", "b"), "question": "q"},
        {"summary": "short", "question": "q"},
    ]
    assert [passage.id for passage in prediction.passages] == ["a", "b"]


@pytest.mark.parametrize(
    ("shelf", "settings", "calls"),
    [(Shelf(), {}, 1), (Shelf(q="a"), {"retries": 0}, 2), (Shelf(q="a"), {"budget": Budget(calls=1)}, 1)],
)
def test_without_a_summary_the_lm_answers_from_memory(shelf, settings, calls):
    prediction, prompts = run(Recomp(shelf, **settings), by_field(summary=GARBAGE, answer="x"))
    assert prompts[-1].inputs == {"summary": "", "question": "q"}
    assert (prediction.answer, len(prompts)) == ("x", calls)
