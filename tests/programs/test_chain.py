import pytest
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import Budget, ChainOfReviews, InterleavedThought, create
from multihop.programs.chain import Walk, final_answer
from multihop.retrieval import Passage

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

CALLS = {"ircot": 3, "iter-retgen": 3, "self-ask": 8, "decomp": 7, "react": 5, "cor": 4, "resp": 10}
"""What each then calls in three turns."""


@pytest.mark.parametrize("name", ENDLESS)
def test_a_chain_that_never_ends_by_itself_ends_after_its_turns(name):
    shelf = Shelf(q="a b", s="c", on="c", s0="c", s1="d", s2="e", **{"q r x": "f"})
    prediction, prompts = run(create(name, shelf, retries=0), by_field(**ENDLESS[name]))
    assert (len(shelf.asked), len(prompts)) == (3, CALLS[name])
    assert prediction.counts["rounds"] == 3
    assert prediction.answer == "x"


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.parametrize("calls", range(1, 11))
def test_a_budget_ends_a_chain_with_an_answer_and_is_never_exceeded(name, calls):
    shelf = Shelf(q="a b", s="c", on="c", s0="c", s1="d", s2="e")
    prediction, prompts = run(create(name, shelf, retries=0, budget=Budget(calls=calls)), by_field(**ENDLESS[name]))
    assert prediction.answer == "x"
    assert len(prompts) == prediction.cost["calls"] <= calls
    assert prediction.over_budget == (calls < CALLS[name])


@pytest.mark.parametrize("name", ENDLESS)
def test_an_empty_retrieval_still_ends_in_an_answer(name):
    prediction, _ = run(create(name, Shelf(), retries=0), by_field(**ENDLESS[name]))
    assert prediction.answer == "x"
    assert prediction.passages == []


@pytest.mark.parametrize(
    ("name", "field"),
    [("ircot", "thought"), ("self-ask", "sub_question"), ("decomp", "sub_question"), ("cor", "relevant")],
)
def test_a_step_that_cannot_be_parsed_ends_the_chain(name, field):
    prediction, _ = run(create(name, Shelf(q="a"), retries=0), by_field(**{**ENDLESS[name], field: GARBAGE}))
    assert prediction.answer == "x"
    assert prediction.cost["parse_failures"] == 1


@pytest.mark.parametrize("name", ["ircot", "self-ask", "decomp", "react", "cor"])
def test_a_query_that_comes_again_is_counted(name):
    shelf = Shelf(q="a", s="b", on="b")
    prediction, _ = run(create(name, shelf, retries=0), by_field(**ENDLESS[name]))
    assert prediction.counts["repeated"] == len(shelf.asked) - len(set(shelf.asked)) > 0


@pytest.mark.parametrize("name", [*ENDLESS, "decompose", "sure", "recomp", "replug"])
def test_demonstrations_go_through_dspy_into_every_step(name):
    import dspy

    program = create(name, Shelf(q="a", s="b"), retries=0)
    for role, predictor in program.named_predictors():
        fields = predictor.signature.fields
        predictor.demos = [dspy.Example(**dict.fromkeys(fields, f"demo of {role}"))]
    rest = {"sub_questions": ["s"], "candidates": ["x", "y"], "valid": True, "first_better": True, "summary": "s"}
    lm = by_field(**{**rest, **ENDLESS.get(name, {"answer": "x"})})
    _, prompts = run(program, lm)
    assert prompts
    for prompt in prompts:
        assert len(prompt.demonstrations) == 1
        assert "demo of" not in prompt.instructions


def test_the_chain_of_reviews_reviews_all_it_has_found():
    shelf = Shelf(q="a b", s="b c")
    review = {"reasoning": "r", "relevant": True, "enough": False, "analysis": "", "query": "s"}
    lm = by_field(relevant=[review, {**review, "enough": True, "analysis": "It is C."}], answer="x")
    prediction, prompts = run(ChainOfReviews(shelf), lm)
    assert [prompt.inputs for prompt in prompts] == [
        {"question": "q", "path": shown("a", "b")},
        {"question": "q", "path": shown("a", "b", "c")},
        {"evidence": ["Assertion: It is C.", *shown("a", "b", "c")], "question": "q"},
    ]
    assert prediction.counts == {"rounds": 2, "repeated": 0, "documents": 3, "evidence": 1}


def test_most_keeps_the_passages_found_first():
    shelf = Shelf(q="a b c", on="d e")
    _, prompts = run(InterleavedThought(shelf, most=4, turns=2, retries=0), by_field(**ENDLESS["ircot"]))
    assert prompts[-1].inputs["passages"] == shown("a", "b", "c", "d")


def test_a_walk_counts_rounds_repetitions_and_passages():
    walk = Walk(3, ["Who?", "who", "where"], {"p": Passage("p", "", "")})
    assert walk.over
    assert walk.counts == {"rounds": 3, "repeated": 1, "documents": 1}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("So the final answer is: Paris.", "Paris"),
        ("the answer is Paris", "Paris"),
        ("So the answer to it is: 12 May.", "12 May"),
        ("The answer must be found.", ""),
        ("Where is the answer?", ""),
        ("", ""),
    ],
)
def test_a_declared_answer_is_recognised(text, answer):
    assert final_answer(text) == answer
