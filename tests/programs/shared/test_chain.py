from typing import NamedTuple

import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from shelf import GARBAGE, Shelf, by_field, run

from multihop import Budget, create
from multihop.programs.shared.chain import final_answer

SUB_QUESTIONS = {
    "sub_question": {"enough": False, "sub_question": "s"},
    "sub_answer": {"answerable": True, "sub_answer": "y"},
}


class Chain(NamedTuple):
    """What an LM says that never comes to an end, by output field, and the calls of each step that it then takes."""

    says: dict
    first: str
    """The field by which the first step is known."""
    calls: dict
    """In three turns."""
    finding_nothing: dict
    repeating: dict = {}
    """In four turns, until it repeats itself."""


CHAINS = {
    "ircot": Chain(
        {"thought": {"thought": "on", "enough": False}}, "thought", {"think": 2, "read": 1}, {"think": 2, "read": 1}
    ),
    "iter-retgen": Chain({}, "answer", {"answer": 3}, {"answer": 3}, {"answer": 2}),
    "self-ask": Chain(
        SUB_QUESTIONS,
        "sub_question",
        {"follow_up": 4, "answer": 3, "read": 1},
        {"follow_up": 4, "read": 1},
        {"follow_up": 2, "answer": 1, "read": 1},
    ),
    "decomp": Chain(
        SUB_QUESTIONS,
        "sub_question",
        {"plan": 3, "answer": 3, "read": 1},
        {"plan": 3, "read": 1},
        {"plan": 2, "answer": 1, "read": 1},
    ),
    "react": Chain(
        {"action": {"thought": "t", "action": "search", "query": "s"}},
        "action",
        {"act": 4, "read": 1},
        {"act": 4, "read": 1},
        {"act": 2, "read": 1},
    ),
    "search-r1": Chain(
        {"continuation": "<search>s</search>"},
        "continuation",
        {"write": 4, "read": 1},
        {"write": 4, "read": 1},
        {"write": 2, "read": 1},
    ),
    "cor": Chain(
        {"relevant": {"relevant": True, "enough": False, "analysis": "", "query": "s"}},
        "relevant",
        {"review": 3, "read": 1},
        {"review": 3, "read": 1},
        {"review": 2, "read": 1},
    ),
    "resp": Chain(  # it never asks the same twice
        {
            "summary": "s",
            "sub_answer": {"answerable": False},
            "enough": False,
            "sub_question": [f"s{n}" for n in range(9)],
        },
        "summary",
        {"summarize": 3, "answer": 2, "judge": 2, "plan": 2, "read": 1},
        {"judge": 1, "plan": 2, "read": 1},
        {"summarize": 4, "answer": 3, "judge": 3, "plan": 3, "read": 1},
    ),
}


def shelf():
    return Shelf(q="a b", s="c", on="c", s0="c", s1="d", s2="e", **{"q r x": "f"})


def endless(name, **said):
    """An LM that never comes to an end, but for what is said."""
    return by_field(**{"answer": "x", **CHAINS[name].says, **said})


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_that_never_ends_by_itself_ends_after_its_turns(name):
    searched, calls = shelf(), CHAINS[name].calls
    prediction, prompts = run(create(name, searched, retries=0, stops=(), turns=3), endless(name))
    assert prediction.cost["calls_by_role"] == calls
    assert len(searched.asked) == prediction.cost["retrievals"] == prediction.counts["rounds"] == 3
    assert prediction.counts["repeated"] == len(searched.asked) - len(set(searched.asked))
    at_once = calls["answer"] if name == "resp" else 0  # its sub-answers are written beside the summaries
    assert len(prompts) - at_once == prediction.cost["chain"]
    assert (prediction.answer, prediction.over_budget) == ("x", False)


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("calls", [1, 2, 4, 7, 10])
def test_a_budget_ends_a_chain_with_an_answer_and_is_never_exceeded(name, calls):
    prediction, prompts = run(
        create(name, shelf(), retries=0, stops=(), turns=3, budget=Budget(calls=calls)), endless(name)
    )
    assert prediction.answer == "x"
    assert len(prompts) == prediction.cost["calls"] <= calls
    assert prediction.over_budget == (calls < sum(CHAINS[name].calls.values()))


@pytest.mark.parametrize("name", CHAINS)
def test_without_any_time_nothing_is_retrieved_and_all_that_is_asked_is_the_answer(name):
    searched = shelf()
    prediction, prompts = run(create(name, searched, budget=Budget(seconds=0)), endless(name))
    assert (prediction.answer, prediction.over_budget) == ("x", True)
    assert (len(prompts), searched.asked) == (1, [])


@pytest.mark.parametrize("name", CHAINS)
def test_where_nothing_is_found_nothing_is_answered_or_summarized_but_the_question(name):
    prediction, _ = run(create(name, Shelf(), retries=0, stops=(), turns=3), endless(name))
    assert (prediction.answer, prediction.passages) == ("x", [])
    assert prediction.cost["calls_by_role"] == CHAINS[name].finding_nothing


@pytest.mark.parametrize(
    ("name", "role", "found"),
    [("ircot", "think", ["a"]), ("self-ask", "follow_up", []), ("decomp", "plan", []), ("cor", "review", ["a"])],
)
def test_a_step_that_cannot_be_parsed_ends_the_chain(name, role, found):
    lm = endless(name, **{CHAINS[name].first: GARBAGE})
    prediction, _ = run(create(name, Shelf(q="a"), retries=2), lm)
    assert prediction.answer == "x"
    assert prediction.cost["calls_by_role"] == {role: 3, "read": 1}
    assert prediction.cost["parse_failures"] == 3
    assert [passage.id for passage in prediction.passages] == found


@pytest.mark.parametrize("name", CHAINS)
def test_a_step_that_can_be_parsed_at_the_second_attempt_costs_one_call_more(name):
    first = CHAINS[name].first
    lm = endless(name, **{first: [GARBAGE, *[CHAINS[name].says.get(first, "x")] * 9]})
    prediction, prompts = run(create(name, shelf(), retries=1, stops=(), turns=3), lm)
    assert (prediction.answer, prediction.counts["rounds"]) == ("x", 3)
    assert len(prompts) == sum(CHAINS[name].calls.values()) + 1
    assert prediction.cost["parse_failures"] == 1
    assert prompts[0].inputs == prompts[1].inputs
    assert (prompts[0].style, prompts[1].style) == ("chat", "json")


@pytest.mark.parametrize("name", CHAINS)
def test_a_reading_that_cannot_be_parsed_is_an_error_with_the_record_of_what_was_done(name):
    with pytest.raises(AdapterParseError) as raised:
        run(create(name, shelf(), retries=1, stops=(), turns=3), endless(name, answer=GARBAGE))
    assert raised.value.trajectory[-1]["error"] == "AdapterParseError"
    assert raised.value.cost["parse_failures"] == (4 if name == "iter-retgen" else 2)


@pytest.mark.parametrize("name", [*CHAINS, "decompose", "sure", "recomp", "replug"])
def test_demonstrations_go_through_dspy_into_every_step(name):
    program = create(name, shelf(), retries=0)
    for role, predictor in program.named_predictors():
        predictor.demos = [dspy.Example(**dict.fromkeys(predictor.signature.fields, f"demo of {role}"))]
    others = {"sub_questions": [["s"]], "candidates": [["x", "y"]], "valid": True, "first_better": True, "summary": "s"}
    lm = endless(name, **others) if name in CHAINS else by_field(answer="x", **others)
    prediction, prompts = run(program, lm)
    shown_demos = set()
    for prompt in prompts:
        (demonstration,) = prompt.demonstrations
        (text,) = set(demonstration.inputs.values()) | set(demonstration.outputs.values())
        shown_demos.add(text.removeprefix("demo of ").removesuffix(".predict"))
        assert "demo of" not in prompt.instructions
    assert shown_demos == set(prediction.cost["calls_by_role"])
    assert set(program.steps) - shown_demos == ({"read"} if name == "sure" else set())  # it reads without candidates


@pytest.mark.parametrize("name", [name for name in CHAINS if CHAINS[name].repeating])
def test_every_loop_ends_where_it_repeats_itself(name):
    prediction, _ = run(create(name, shelf(), retries=0, stops="repeats", turns=4), endless(name))
    assert prediction.answer == "x"
    assert prediction.cost["calls_by_role"] == CHAINS[name].repeating
    ends = [step["outputs"]["rule"] for step in prediction.trajectory if step["step"] == "stop"]
    assert ends == ([] if name == "resp" else ["repeats"])


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So the final answer is: Paris.", "Paris"),
        ("So the answer to it is: 12 May.", "12 May"),
        ("THE ANSWER IS 42", "42"),
        ("She wrote it. So the final answer is: St. Ives.", "St. Ives"),
        ("So the final answer is:\nParis", "Paris"),
        ("The answer is:", ""),
        ("The answer must be found.", ""),
        ("", ""),
    ],
)
def test_a_declared_answer_is_recognised(text, answer):
    assert final_answer(text) == answer
