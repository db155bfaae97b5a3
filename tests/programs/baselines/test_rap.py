import dspy
import pytest
from in_turn import AtOnce, InTurn
from shelf import Shelf, by_field, inputs, run, scripted_search

from multihop import ReasoningViaPlanning


def test_rap_answers_from_memory_and_rewards_a_path_by_the_mean_of_its_ratings():
    lm = scripted_search(proposals=["s1"], plan="p", score=lambda history: "10" if len(history) == 1 else "5")
    prediction, prompts = run(ReasoningViaPlanning(iterations=1, depth=2), lm)
    assert prediction.counts["reward"] == 0.75
    assert [given["history"] for given in inputs(prompts, "score")] == InTurn(
        AtOnce(["s1 -> about s1"], ["s1 -> about s1", "p -> about p"])
    )
    assert prediction.passages == []
    assert all("passages" not in prompt.inputs for prompt in prompts)


def drawing(results, score="10"):
    """An LM that asks p, answers by turns from a list, and finds everything as useful."""
    left = list(results)
    return by_field(
        sub_questions=lambda given: ["p"],
        result=lambda given: {"result": left.pop(), "sentence": "s"},
        score=score,
        answer="read",
    )


@pytest.mark.parametrize(
    ("results", "confidence", "taken"),
    [
        (["It is a.", "It is a", "it is A!", "It is b."], 0.75, "it is a"),
        (["She wrote it. The answer is Ada.", "The answer is Ada", "By Bob. The answer is Bob.", ""], 0.5, "ada"),
        (["", "", "", ""], 1.0, "not found"),
    ],
)
def test_an_answers_confidence_is_its_share_of_those_that_are_drawn(results, confidence, taken):
    program = ReasoningViaPlanning(samples=4, iterations=1, depth=1)
    prediction, prompts = run(program, drawing(results, score="8"))
    assert prediction.counts["reward"] == pytest.approx(0.8 * confidence)
    assert taken in prompts[-1].inputs["history"][0].lower()
    assert prediction.cost["calls_by_role"] == {"propose": 1, "answer": 4, "evaluate": 1, "read": 1}


def test_its_answers_are_drawn_apart():
    lm = drawing(["one", "two", "one"])
    with dspy.context(lm=lm.copy(cache=True)):
        prediction = ReasoningViaPlanning(samples=3, iterations=1, depth=1)(question="q")
    assert prediction.counts["reward"] == pytest.approx(2 / 3)


def test_a_path_ends_where_the_question_itself_is_asked():
    lm = scripted_search(proposals=["s1", "Q?"], plan="q")
    prediction, prompts = run(ReasoningViaPlanning(iterations=1, depth=4), lm)
    assert sorted(map(len, (given["history"] for given in inputs(prompts, "score")))) == [1, 1, 2]
    assert prediction.cost["calls_by_role"]["plan"] == 1  # after s1; nothing follows the question


def test_it_asks_and_answers_by_prompts_of_its_own():
    program = ReasoningViaPlanning()
    assert "answer it yourself" in program.plan.signature.instructions
    assert "answer them yourself" in program.propose.signature.instructions
    assert program.answer.signature.output_fields["result"].json_schema_extra["desc"].endswith("The answer is ...")
    assert "passages" in ReasoningViaPlanning(Shelf(), retrieval=True).answer.signature.input_fields
