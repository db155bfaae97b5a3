"""The chains of the literature, call by call; what holds for each chain is in shared/test_chain.py."""

import pytest
from shelf import GARBAGE, Shelf, by_field, inputs, run, shown

from multihop import DecomposedPrompting, InterleavedThought, IterativeRetrievalGeneration, ReAct, SelfAsk
from multihop.programs.baselines.react import NOTHING_FOUND, UNREADABLE


def ask(sub_question):
    return {"enough": False, "sub_question": sub_question}


def answered(sub_answer, *, answerable=True):
    return {"answerable": answerable, "sub_answer": sub_answer}


def test_self_ask_retrieves_for_follow_ups_and_answers_them_until_the_final_answer():
    shelf = Shelf(s1="a", s2="b")
    lm = by_field(
        sub_question=[ask("s1"), ask("s2"), {"enough": True, "answer": "final"}],
        sub_answer=[answered("A"), answered("guess", answerable=False)],
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
def test_the_end_of_self_ask_is_recognised_however_it_is_declared(end):
    shelf = Shelf()
    prediction, prompts = run(SelfAsk(shelf), by_field(sub_question=[end]))
    assert (prediction.answer, len(prompts), shelf.asked) == ("Paris", 1, [])


def test_an_end_of_self_ask_without_an_answer_is_read():
    lm = by_field(sub_question=[{"enough": True, "answer": ""}], answer=["read"])
    prediction, prompts = run(SelfAsk(Shelf()), lm)
    assert prediction.answer == "read"
    assert prompts[-1].inputs == {"notes": [], "passages": [], "question": "q"}


def test_a_follow_up_for_which_nothing_is_found_is_not_answered():
    lm = by_field(sub_question=[ask("s1"), {"enough": True, "answer": "x"}])
    _, prompts = run(SelfAsk(Shelf()), lm)
    assert inputs(prompts, "enough")[-1]["notes"] == ["s1 -> not found"]
    assert len(prompts) == 2


def test_an_answer_to_a_follow_up_that_cannot_be_parsed_leads_to_reading_what_is_there():
    lm = by_field(sub_question=[ask("s1")], sub_answer=GARBAGE, answer="read")
    prediction, prompts = run(SelfAsk(Shelf(s1="a"), retries=0), lm)
    assert prediction.answer == "read"
    assert prompts[-1].inputs["passages"] == shown("a")


def test_the_controller_of_decomposed_prompting_picks_and_the_module_answers_until_it_stops():
    shelf = Shelf(s1="a", s2="a b")
    lm = by_field(
        sub_question=[ask("s1"), ask("s2"), {"enough": True, "sub_question": "ignored"}],
        sub_answer=[answered("A"), answered("B")],
        answer=["final"],
    )
    prediction, prompts = run(DecomposedPrompting(shelf), lm)
    assert shelf.asked == ["s1", "s2"]
    assert [prompt.inputs for prompt in prompts] == [
        {"notes": [], "question": "q"},
        {"passages": shown("a"), "question": "q", "sub_question": "s1"},
        {"notes": ["s1 -> A"], "question": "q"},
        {"passages": shown("a", "b"), "question": "q", "sub_question": "s2"},
        {"notes": ["s1 -> A", "s2 -> B"], "question": "q"},
        {"notes": ["s1 -> A", "s2 -> B"], "passages": shown("a", "b"), "question": "q"},
    ]
    assert prediction.evidence == [
        {"analysis": "s1 -> A", "passages": ["a"]},
        {"analysis": "s2 -> B", "passages": ["a", "b"]},
    ]
    prediction, prompts = run(DecomposedPrompting(Shelf()), by_field(sub_question={"enough": True}, answer="x"))
    assert (prediction.answer, len(prompts), prediction.passages) == ("x", 2, [])  # it may stop before asking anything


def test_each_thought_of_ircot_retrieves_for_the_next_one():
    shelf = Shelf(q="a b", **{"A leads to C.": "b c"})
    thoughts = [{"thought": "A leads to C.", "enough": False}, {"thought": "C is it.", "enough": True}]
    prediction, prompts = run(InterleavedThought(shelf), by_field(thought=thoughts, answer="x"))
    assert shelf.batches == [(["q"], 5), (["A leads to C."], 5)]
    assert [prompt.inputs for prompt in prompts] == [
        {"passages": shown("a", "b"), "thoughts": [], "question": "q"},
        {"passages": shown("a", "b", "c"), "thoughts": ["A leads to C."], "question": "q"},
        {"passages": shown("a", "b", "c"), "question": "q"},
    ]
    assert prediction.cost["calls_by_role"] == {"think": 2, "read": 1}
    assert prediction.evidence == [{"analysis": "A leads to C. C is it.", "passages": ["a", "b", "c"]}]


def test_a_thought_that_gives_the_answer_ends_ircot_once_it_has_retrieved_as_often_as_is_set():
    declared, enough = {"thought": "So the answer is: B.", "enough": False}, {"thought": "It is C.", "enough": True}
    for last in (declared, enough):
        prediction, prompts = run(InterleavedThought(Shelf(q="a")), by_field(thought=[last], answer="x"))
        assert (len(prompts), prediction.counts["rounds"]) == (2, 1)
    shelf = Shelf(q="a", **{"So the answer is: B.": "b", "It is C.": "c"})
    prediction, prompts = run(
        InterleavedThought(shelf, least_turns=2), by_field(thought=[declared, enough], answer="x")
    )
    assert shelf.asked == ["q", "So the answer is: B."]
    assert prompts[-1].inputs == {"passages": shown("a", "b"), "question": "q"}
    assert prediction.cost["calls_by_role"] == {"think": 2, "read": 1}


def test_those_found_first_stay_where_the_passages_of_ircot_are_bounded():
    """Each of three retrievals finds twenty others; so many passages are shown to each thought and to the reader."""
    shelf = Shelf(**{query: " ".join(f"{query}{n}" for n in range(20)) for query in ("q", "on", "further")})
    for settings, seen in (({"k": 15}, [15, 30, 45]), ({"k": 10, "max_passages": 15}, [10, 15, 15])):
        thoughts = [{"thought": thought, "enough": False} for thought in ("on", "further")]
        prediction, prompts = run(InterleavedThought(shelf, **settings), by_field(thought=thoughts, answer="x"))
        assert [len(prompt.inputs["passages"]) for prompt in prompts] == seen
        assert [str(passage) for passage in prediction.passages] == prompts[-1].inputs["passages"]
    assert prompts[-1].inputs["passages"] == shown(*(f"q{n}" for n in range(10)), *(f"on{n}" for n in range(5)))


def test_question_and_full_response_retrieve_for_the_next_turn_of_iter_retgen_which_reads_its_own_passages():
    shelf = Shelf(q="a b", **{"q r A": "b c", "q r B": "d"})
    prediction, prompts = run(IterativeRetrievalGeneration(shelf), by_field(answer=["A", "B", "D"]))
    assert shelf.asked == ["q", "q r A", "q r B"]
    assert [prompt.inputs["passages"] for prompt in prompts] == [shown("a", "b"), shown("b", "c"), shown("d")]
    assert prediction.answer == "D"
    assert [passage.id for passage in prediction.passages] == ["d", "a", "b", "c"]


@pytest.mark.parametrize("said", [["A", GARBAGE], [GARBAGE, "A"]])
def test_of_two_turns_of_iter_retgen_the_one_that_can_be_parsed_answers(said):
    prediction, prompts = run(IterativeRetrievalGeneration(Shelf(q="a"), retries=0), by_field(answer=said))
    assert (prediction.answer, len(prompts)) == ("A", 2)
    if said[0] == GARBAGE:  # it answers once more
        assert prompts[-1].inputs["passages"] == shown("a")


SEARCH = {"thought": "look", "action": "search", "query": "s1"}
FINISH = {"thought": "", "action": "finish", "answer": "done"}


def test_react_thinks_searches_observes_and_finishes():
    shelf = Shelf(s1="a b")
    prediction, prompts = run(ReAct(shelf), by_field(action=[SEARCH, FINISH]))
    assert shelf.batches == [(["s1"], 5)]
    assert [prompt.inputs for prompt in prompts] == [
        {"history": [], "question": "q"},
        {"history": ["Thought: look", "Search: s1", *shown("a", "b")], "question": "q"},
    ]
    assert prediction.answer == "done"
    assert prediction.cost["calls_by_role"] == {"act": 2}
    assert run(ReAct(Shelf()), by_field(action=[FINISH]))[0].answer == "done"  # it may finish at once
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
def test_a_turn_of_react_that_cannot_be_read_is_noted_and_the_next_one_taken(unreadable):
    prediction, prompts = run(ReAct(Shelf(s1="a"), retries=0), by_field(action=[unreadable, SEARCH, FINISH]))
    assert prompts[1].inputs["history"] == [UNREADABLE]
    assert prediction.answer == "done"


def test_if_every_turn_of_react_is_unreadable_the_history_is_read():
    prediction, prompts = run(ReAct(Shelf(), turns=3, retries=0), by_field(action=GARBAGE, answer="read"))
    assert prediction.answer == "read"
    assert len(prompts) == 5
    assert prompts[-1].inputs == {"history": [UNREADABLE] * 4, "question": "q"}
    assert prediction.cost["parse_failures"] == 4
