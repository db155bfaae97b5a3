import pytest
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import ReAct
from multihop.programs.baselines.react import NOTHING_FOUND, UNREADABLE

SEARCH = {"thought": "look", "action": "search", "query": "s1"}
FINISH = {"thought": "", "action": "finish", "answer": "done"}


def test_thought_search_observation_then_finish():
    shelf = Shelf(s1="a b")
    prediction, prompts = run(ReAct(shelf), by_field(action=[SEARCH, FINISH]))
    assert shelf.batches == [(["s1"], 5)]
    assert [prompt.inputs for prompt in prompts] == [
        {"history": [], "question": "q"},
        {"history": ["Thought: look", "Search: s1", *shown("a", "b")], "question": "q"},
    ]
    assert prediction.answer == "done"
    assert prediction.cost["calls_by_role"] == {"act": 2}


def test_it_may_finish_at_once():
    assert run(ReAct(Shelf()), by_field(action=[FINISH]))[0].answer == "done"


def test_a_search_that_finds_nothing_is_observed():
    _, prompts = run(ReAct(Shelf()), by_field(action=[SEARCH, FINISH]))
    assert prompts[-1].inputs["history"][-1] == NOTHING_FOUND


@pytest.mark.parametrize(
    "unreadable",
    [
        GARBAGE,
        {"action": "ponder", "query": "x"},
        {"action": "search", "query": " "},
        {"action": "finish", "answer": ""},
    ],
)
def test_an_unreadable_turn_is_noted_and_the_next_one_taken(unreadable):
    prediction, prompts = run(ReAct(Shelf(s1="a"), retries=0), by_field(action=[unreadable, SEARCH, FINISH]))
    assert prompts[1].inputs["history"] == [UNREADABLE]
    assert prediction.answer == "done"


def test_if_every_turn_is_unreadable_the_history_is_read():
    prediction, prompts = run(ReAct(Shelf(), turns=3, retries=0), by_field(action=GARBAGE, answer="read"))
    assert prediction.answer == "read"
    assert len(prompts) == 5
    assert prompts[-1].inputs == {"history": [UNREADABLE] * 4, "question": "q"}
    assert prediction.cost["parse_failures"] == 4
