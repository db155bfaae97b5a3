import pytest
from shelf import GARBAGE, Shelf, by_field, inputs, run, shown

from multihop import SelfAsk


def test_follow_ups_are_retrieved_for_and_answered_until_the_final_answer():
    shelf = Shelf(s1="a", s2="b")
    lm = by_field(
        sub_question=[
            {"enough": False, "sub_question": "s1"},
            {"enough": False, "sub_question": "s2"},
            {"enough": True, "answer": "final"},
        ],
        sub_answer=[{"answerable": True, "sub_answer": "A"}, {"answerable": False, "sub_answer": "guess"}],
    )
    prediction, prompts = run(SelfAsk(shelf), lm)
    assert shelf.asked == ["s1", "s2"]
    assert [prompt.inputs for prompt in prompts] == [
        {"notes": [], "question": "q"},
        {"passages": shown("a"), "question": "q", "sub_question": "s1"},
        {"notes": ["s1 -> A"], "question": "q"},
        {"passages": shown("b"), "question": "q", "sub_question": "s2"},
        {"notes": ["s1 -> A", "s2 -> not found"], "question": "q"},
    ]
    assert prediction.answer == "final"
    assert prediction.cost["chain"] == 5


@pytest.mark.parametrize(
    "end",
    [
        {"enough": True, "answer": "Paris"},
        {"enough": False, "sub_question": " ", "answer": "Paris"},
        {"enough": False, "sub_question": "So the final answer is: Paris.", "answer": ""},
        {"enough": True, "sub_question": "So the final answer is: Paris.", "answer": "no"},
    ],
)
def test_its_end_is_recognised_however_it_is_declared(end):
    shelf = Shelf()
    prediction, prompts = run(SelfAsk(shelf), by_field(sub_question=[end]))
    assert (prediction.answer, len(prompts), shelf.asked) == ("Paris", 1, [])


def test_an_end_without_an_answer_is_read():
    lm = by_field(sub_question=[{"enough": True, "answer": ""}], answer=["read"])
    prediction, prompts = run(SelfAsk(Shelf()), lm)
    assert prediction.answer == "read"
    assert prompts[-1].inputs == {"notes": [], "passages": [], "question": "q"}


def test_a_follow_up_for_which_nothing_is_found_is_not_answered():
    lm = by_field(sub_question=[{"enough": False, "sub_question": "s1"}, {"enough": True, "answer": "x"}])
    _, prompts = run(SelfAsk(Shelf()), lm)
    assert inputs(prompts, "enough")[-1]["notes"] == ["s1 -> not found"]
    assert len(prompts) == 2


def test_an_answer_that_cannot_be_parsed_leads_to_reading_what_is_there():
    lm = by_field(sub_question=[{"enough": False, "sub_question": "s1"}], sub_answer=GARBAGE, answer="read")
    prediction, prompts = run(SelfAsk(Shelf(s1="a"), retries=0), lm)
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a")
