import pytest
from in_turn import AtOnce, InTurn
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import Budget, Decompose


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
