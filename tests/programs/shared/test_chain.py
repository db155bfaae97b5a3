import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from shelf import GARBAGE, Shelf, by_field, run

from multihop import Budget, create
from multihop.programs.shared.chain import final_answer

ENDLESS = {
    "ircot": {"thought": {"thought": "on", "enough": False}, "reasoning": {"reasoning": "r", "answer": "x"}},
    "iter-retgen": {"reasoning": {"reasoning": "r", "answer": "x"}},
    "self-ask": {
        "sub_question": {"enough": False, "sub_question": "s"},
        "sub_answer": {"answerable": True, "sub_answer": "y"},
        "answer": "x",
    },
    "decomp": {
        "sub_question": {"enough": False, "sub_question": "s"},
        "sub_answer": {"answerable": True, "sub_answer": "y"},
        "answer": "x",
    },
    "react": {"action": {"thought": "t", "action": "search", "query": "s"}, "answer": "x"},
    "cor": {
        "relevant": {"reasoning": "r", "relevant": True, "enough": False, "analysis": "", "query": "s"},
        "answer": "x",
    },
    "resp": {
        "summary": "s",
        "sub_answer": {"answerable": False},
        "enough": False,
        "sub_question": [f"s{n}" for n in range(9)],
        "answer": "x",
    },
}
"""For each chain, an LM that never comes to an end."""

ONE_TURN = {
    "ircot": {"read": 1},
    "iter-retgen": {"answer": 1},
    "self-ask": {"follow_up": 2, "answer": 1, "read": 1},
    "decomp": {"plan": 1, "answer": 1, "read": 1},
    "react": {"act": 2, "read": 1},
    "cor": {"review": 1, "read": 1},
    "resp": {"summarize": 1, "read": 1},
}
"""The steps that each then calls if it may retrieve once."""

THREE_TURNS = {
    "ircot": {"think": 2, "read": 1},
    "iter-retgen": {"answer": 3},
    "self-ask": {"follow_up": 4, "answer": 3, "read": 1},
    "decomp": {"plan": 3, "answer": 3, "read": 1},
    "react": {"act": 4, "read": 1},
    "cor": {"review": 3, "read": 1},
    "resp": {"summarize": 3, "answer": 2, "judge": 2, "plan": 2, "read": 1},
}
"""The same in three turns."""

NOTHING_FOUND = {
    **THREE_TURNS,
    "self-ask": {"follow_up": 4, "read": 1},
    "decomp": {"plan": 3, "read": 1},
    "resp": {"judge": 1, "plan": 2, "read": 1},
}
"""The same where the retriever finds nothing: then nothing is answered or summarized."""

FIRST = {
    "ircot": "thought",
    "iter-retgen": "reasoning",
    "self-ask": "sub_question",
    "decomp": "sub_question",
    "react": "action",
    "cor": "relevant",
    "resp": "summary",
}
"""The field by which the first step of each is known."""


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize(("turns", "calls"), [(1, ONE_TURN), (3, THREE_TURNS)])
def test_a_chain_that_never_ends_by_itself_ends_after_its_turns(name, turns, calls):
    shelf = Shelf(q="a b", s="c", on="c", s0="c", s1="d", s2="e", **{"q r x": "f"})
    prediction, prompts = run(create(name, shelf, retries=0, stops=(), turns=turns), by_field(**ENDLESS[name]))
    assert prediction.cost["calls_by_role"] == calls[name]
    assert len(shelf.asked) == prediction.cost["retrievals"] == prediction.counts["rounds"] == turns
    at_once = calls[name].get("answer", 0) if name == "resp" else 0  # its sub-answers are written beside the summaries
    assert len(prompts) - at_once == prediction.cost["chain"]
    assert prediction.answer == "x"
    assert not prediction.over_budget


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("calls", [1, 2, 4, 7, 10])
def test_a_budget_ends_a_chain_with_an_answer_and_is_never_exceeded(name, calls):
    shelf = Shelf(q="a b", s="c", on="c", s0="c", s1="d", s2="e")
    prediction, prompts = run(
        create(name, shelf, retries=0, stops=(), budget=Budget(calls=calls)), by_field(**ENDLESS[name])
    )
    assert prediction.answer == "x"
    assert len(prompts) == prediction.cost["calls"] <= calls
    assert prediction.over_budget == (calls < sum(THREE_TURNS[name].values()))


@pytest.mark.parametrize("name", ENDLESS)
def test_without_any_time_nothing_is_retrieved_and_all_that_is_asked_is_the_answer(name):
    shelf = Shelf(q="a b")
    prediction, prompts = run(create(name, shelf, budget=Budget(seconds=0)), by_field(**ENDLESS[name]))
    assert (prediction.answer, prediction.over_budget) == ("x", True)
    assert (len(prompts), shelf.asked) == (1, [])


@pytest.mark.parametrize("name", ENDLESS)
def test_an_empty_retrieval_still_ends_in_an_answer(name):
    prediction, _ = run(create(name, Shelf(), retries=0, stops=()), by_field(**ENDLESS[name]))
    assert prediction.answer == "x"
    assert prediction.passages == []
    assert prediction.cost["calls_by_role"] == NOTHING_FOUND[name]


@pytest.mark.parametrize(
    ("name", "role", "found"),
    [("ircot", "think", ["a"]), ("self-ask", "follow_up", []), ("decomp", "plan", []), ("cor", "review", ["a"])],
)
def test_a_step_that_cannot_be_parsed_ends_the_chain(name, role, found):
    prediction, _ = run(create(name, Shelf(q="a"), retries=2), by_field(**{**ENDLESS[name], FIRST[name]: GARBAGE}))
    assert prediction.answer == "x"
    assert prediction.cost["calls_by_role"] == {role: 3, "read": 1}
    assert prediction.cost["parse_failures"] == 3
    assert [passage.id for passage in prediction.passages] == found


@pytest.mark.parametrize("name", ENDLESS)
def test_a_step_that_can_be_parsed_at_the_second_attempt_costs_one_call_more(name):
    said = ENDLESS[name][FIRST[name]]
    lm = by_field(**{**ENDLESS[name], FIRST[name]: [GARBAGE, *[said] * 9]})
    prediction, prompts = run(create(name, Shelf(q="a", s="b", on="b", s0="b", s1="b"), retries=1, stops=()), lm)
    assert (prediction.answer, prediction.counts["rounds"]) == ("x", 3)
    assert len(prompts) == sum(THREE_TURNS[name].values()) + 1
    assert prediction.cost["parse_failures"] == 1
    first, second = prompts[:2] if prompts[0].inputs == prompts[1].inputs else (prompts[0], None)
    assert (first.style, second.style) == ("chat", "json")


@pytest.mark.parametrize("name", ENDLESS)
def test_a_reading_that_cannot_be_parsed_is_an_error_with_the_record_of_what_was_done(name):
    reading = "reasoning" if name in ("ircot", "iter-retgen") else "answer"
    program = create(name, Shelf(q="a", s="b", on="b", s0="b", s1="b"), retries=1, stops=())
    with pytest.raises(AdapterParseError) as raised:
        run(program, by_field(**{**ENDLESS[name], reading: GARBAGE}))
    assert raised.value.trajectory[-1]["error"] == "AdapterParseError"
    assert raised.value.cost["parse_failures"] == (4 if name == "iter-retgen" else 2)


@pytest.mark.parametrize("name", ["ircot", "iter-retgen", "self-ask", "decomp", "react", "cor"])
def test_a_query_that_comes_again_is_counted(name):
    shelf = Shelf(q="a", s="b", on="b")
    prediction, _ = run(create(name, shelf, retries=0, stops=()), by_field(**ENDLESS[name]))
    assert prediction.counts["repeated"] == len(shelf.asked) - len(set(shelf.asked)) > 0


@pytest.mark.parametrize("name", [*ENDLESS, "decompose", "sure", "recomp", "replug"])
def test_demonstrations_go_through_dspy_into_every_step(name):
    program = create(name, Shelf(q="a", s="b", s0="b"), retries=0)
    for role, predictor in program.named_predictors():
        predictor.demos = [dspy.Example(**dict.fromkeys(predictor.signature.fields, f"demo of {role}"))]
    others = {"sub_questions": [["s"]], "candidates": [["x", "y"]], "valid": True, "first_better": True, "summary": "s"}
    prediction, prompts = run(program, by_field(**{**others, **ENDLESS.get(name, {"answer": "x"})}))
    shown_demos = set()
    for prompt in prompts:
        (demonstration,) = prompt.demonstrations
        (text,) = set(demonstration.inputs.values()) | set(demonstration.outputs.values())
        shown_demos.add(text.removeprefix("demo of ").removesuffix(".predict"))
        assert "demo of" not in prompt.instructions
    assert shown_demos == set(prediction.cost["calls_by_role"])
    assert set(program.steps) - shown_demos == ({"read"} if name == "sure" else set())  # it reads without candidates


REPEATS = {
    "iter-retgen": {"answer": 2},
    "self-ask": {"follow_up": 2, "answer": 1, "read": 1},
    "decomp": {"plan": 2, "answer": 1, "read": 1},
    "react": {"act": 2, "read": 1},
    "cor": {"review": 2, "read": 1},
    "resp": {"summarize": 4, "answer": 3, "judge": 3, "plan": 3, "read": 1},  # it never asks the same twice
}
"""The steps that each calls until it repeats itself, in four turns."""


@pytest.mark.parametrize("name", REPEATS)
def test_every_loop_ends_where_it_repeats_itself(name):
    shelf = Shelf(q="a b", s="c", s0="c", s1="d", s2="e", **{"q r x": "f"})
    prediction, _ = run(create(name, shelf, retries=0, stops="repeats", turns=4), by_field(**ENDLESS[name]))
    assert prediction.cost["calls_by_role"] == REPEATS[name]
    ends = [step["outputs"]["rule"] for step in prediction.trajectory if step["step"] == "stop"]
    assert ends == ([] if name == "resp" else ["repeats"])
    assert prediction.answer == "x"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So the final answer is: Paris.", "Paris"),
        ("the answer is Paris", "Paris"),
        ("So the answer to it is: 12 May.", "12 May"),
        ("THE ANSWER IS 42", "42"),
        ("She wrote it. So the final answer is: St. Ives.", "St. Ives"),
        ("So the final answer is:\nParis", "Paris"),
        ("The answer is:", ""),
        ("The answers are many.", ""),
        ("The answer must be found.", ""),
        ("Where is the answer?", ""),
        ("", ""),
    ],
)
def test_a_declared_answer_is_recognised(text, answer):
    assert final_answer(text) == answer
