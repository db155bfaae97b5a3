import pytest
from crowd import crowd
from in_turn import AtOnce, InTurn
from shelf import GARBAGE, Shelf, by_field, run, shown

from multihop import Budget, SummarizedRetrieval

pytestmark = pytest.mark.at_once


def judge(valid=(), better=(), candidates=("x", "y")):
    """An LM that finds these candidates valid, and prefers those named earlier in `better`."""

    def rank(account):
        name = account.partition(":")[0]
        return better.index(name) if name in better else len(better)

    return by_field(
        candidates=lambda given: list(candidates),
        summary=lambda given: f"for {given['candidate']}",
        valid=lambda given: given["candidate"] in valid,
        first_better=lambda given: rank(given["first"]) <= rank(given["second"]),
        answer="read",
    )


def test_candidates_are_summarized_validated_and_compared_in_both_orders():
    prediction, prompts = run(SummarizedRetrieval(Shelf(q="a b")), judge(valid=["y"], better=["y"]))
    x, y = "x: for x", "y: for y"
    assert prompts[0].inputs == {"passages": shown("a", "b"), "number": 2, "question": "q"}
    assert [prompt.inputs for prompt in prompts[1:]] == InTurn(
        AtOnce(*({"passages": shown("a", "b"), "candidate": name, "question": "q"} for name in "xy")),
        AtOnce(
            *({"candidate": name, "summary": f"for {name}", "question": "q"} for name in "xy"),
            *({"question": "q", "first": first, "second": second} for first, second in ((x, y), (y, x))),
        ),
    )
    assert prediction.answer == "y"
    assert prediction.cost["calls_by_role"] == {"propose": 1, "summarize": 2, "validate": 2, "compare": 2}
    assert prediction.cost["chain"] == 3


@pytest.mark.parametrize(
    ("valid", "better", "answer"),
    [
        ((), ("y", "x"), "y"),  # the comparisons decide
        (("y",), ("x", "z", "y"), "x"),  # one point each: the likelier candidate
        (("x", "y"), (), "x"),  # an LM that always prefers the first decides nothing
        (("z",), ("y", "z", "x"), "z"),
    ],
)
def test_validity_and_the_share_of_comparisons_count_alike(valid, better, answer):
    program = SummarizedRetrieval(Shelf(q="a"), candidates=3)
    assert run(program, judge(valid, better, ["x", "y", "z"]))[0].answer == answer


def test_a_single_candidate_needs_no_competition_and_repetitions_are_one():
    prediction, prompts = run(SummarizedRetrieval(Shelf(q="a")), judge(candidates=["x", " x", ""]))
    assert (prediction.answer, len(prompts)) == ("x", 1)


def test_without_candidates_the_passages_are_read():
    prediction, prompts = run(SummarizedRetrieval(Shelf(q="a")), judge(candidates=[]))
    assert (prediction.answer, len(prompts)) == ("read", 2)


@pytest.mark.parametrize("field", ["summary", "valid", "first_better"])
def test_a_step_that_cannot_be_parsed_leaves_it_to_the_likeliest(field):
    said = {"candidates": {"candidates": ["x", "y"]}, "summary": "s", "valid": True, "first_better": False}
    prediction, _ = run(SummarizedRetrieval(Shelf(q="a"), retries=0), by_field(**{**said, field: GARBAGE}))
    assert prediction.answer == "x"


@pytest.mark.parametrize("calls", range(1, 9))
def test_a_budget_is_never_exceeded(calls):
    prediction, prompts = run(SummarizedRetrieval(Shelf(q="a"), budget=Budget(calls=calls)), judge(["y"], ["y"]))
    assert len(prompts) <= calls
    assert prediction.over_budget == (calls < 8)  # one call is left for reading, in case there is no candidate
    assert prediction.answer == {1: "read", 8: "y"}.get(calls, "x")


def test_summaries_and_comparisons_run_at_once():
    lm = crowd(judge(candidates="wxyz").engine.answers, **{"summary": 4, "valid first_better": 4 + 12})
    prediction, _ = run(SummarizedRetrieval(Shelf(q="a"), candidates=4), lm)
    assert (lm.engine.most_at_once, prediction.cost["calls"], prediction.cost["chain"]) == (16, 21, 3)
