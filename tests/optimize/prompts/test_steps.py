"""What the examples of each step say, value by value."""

import dspy
import pytest

import multihop.signatures
from multihop import Program
from multihop.optimize.prompts.steps import MAKERS, step_examples
from multihop.optimize.prompts.worked import Worked, WorkedHop
from multihop.retrieval import Passage

EMMA = Passage("1", "Emma", "Emma is a novel by Jane Austen. It sold well.")
AUSTEN = Passage("2", "Jane Austen", "Jane Austen was born in Steventon.")
NOISE = tuple(Passage(f"n{number}", f"Page {number}", f"It is about {number}.") for number in range(4))
WORKED = Worked(
    "Where was the author of Emma born?",
    "Steventon",
    (WorkedHop("Who wrote Emma?", "Jane Austen", EMMA), WorkedHop("Where was she born?", "Steventon", AUSTEN)),
    NOISE,
    "Bath",
)


def said(step, *fields):
    """The values of some fields, example by example."""
    rows = [tuple(row[field] for field in fields) for row in MAKERS[step](WORKED)]
    return [row[0] for row in rows] if len(fields) == 1 else rows


@pytest.mark.parametrize("step", ["ReviewPath", "JudgePath", "ReviewPathAloud"])
def test_a_path_is_enough_at_its_end_and_a_negative_leads_nowhere(step):
    assert said(step, "path", "relevant", "enough") == [
        ([str(EMMA)], True, False),
        ([str(EMMA), str(AUSTEN)], True, True),
        ([str(NOISE[0])], False, False),
    ]


def test_a_sub_question_can_be_answered_from_its_paragraph_and_not_from_negatives():
    rows = said("AnswerSubQuestion", "sub_question", "answerable", "sub_answer")
    assert rows == [
        ("Who wrote Emma?", True, "Jane Austen"),
        ("Where was she born?", True, "Steventon"),
        ("Where was she born?", False, ""),
    ]
    shown = said("AnswerSubQuestion", "passages")
    assert [str(EMMA) in shown[0], str(AUSTEN) in shown[1], str(AUSTEN) in shown[2]] == [True, True, False]


@pytest.mark.parametrize("step", ["AnswerStep", "AnswerStepFromMemory"])
def test_a_step_is_answered_by_its_hop(step):
    assert said(step, "sub_question", "result") == [
        ("Who wrote Emma?", "Jane Austen"),
        ("Where was she born?", "Steventon"),
    ]


def test_memories_are_enough_when_every_hop_is_among_them():
    assert said("JudgeMemories", "enough") == [False, True]


@pytest.mark.parametrize("step", ["PickSubQuestion", "AskFollowUp"])
def test_a_planner_asks_for_the_next_hop_and_then_has_enough(step):
    assert said(step, "enough", "sub_question", "answer") == [
        (False, "Who wrote Emma?", ""),
        (False, "Where was she born?", ""),
        (True, "", "Steventon"),
    ]


@pytest.mark.parametrize("step", ["PlanSubQuestion", "NextSubQuestion"])
def test_a_planner_that_always_asks_is_never_shown_the_end(step):
    assert said(step, "sub_question") == ["Who wrote Emma?", "Where was she born?"]


def test_a_thought_is_the_last_one_when_every_hop_is_known():
    assert said("ThinkOneSentence", "enough") == [False, False, True]


@pytest.mark.parametrize("step", ["ThinkAndAct", "ThinkAndActAgain", "ProposeActions"])
def test_an_agent_searches_for_the_next_hop_and_finishes_with_the_answer(step):
    assert said(step, "action", "query", "answer") == [
        ("search", "Who wrote Emma?", ""),
        ("search", "Where was she born?", ""),
        ("finish", "", "Steventon"),
    ]


@pytest.mark.parametrize("step", ["EvaluateHistory", "EvaluateActions"])
def test_a_history_scores_by_how_much_of_the_way_it_is(step):
    assert said(step, "score") == ["5", "10"]


def test_a_step_on_the_way_rates_ten_and_one_aside_nothing():
    rows = said("RateStep", "history", "score")
    assert [score for _, score in rows] == ["10", "10", "0"]
    assert rows[1][0] == [str(hop) for hop in WORKED.hops]
    assert not set(rows[2][0]) & {str(hop) for hop in WORKED.hops}


def test_the_right_candidate_is_valid_and_the_wrong_one_is_not():
    assert said("ValidateCandidate", "candidate", "valid") == [("Steventon", True), ("Bath", False)]
    assert said("ProposeCandidates", "candidates") == [["Steventon", "Bath"]]


def test_the_better_account_is_that_of_the_right_candidate_wherever_it_stands():
    rows = said("CompareCandidates", "first", "second", "first_better")
    assert [(first.partition(":")[0], second.partition(":")[0], better) for first, second, better in rows] == [
        ("Steventon", "Bath", True),
        ("Bath", "Steventon", False),
    ]


READERS = [name for name in MAKERS if name.startswith(("Read", "AnswerQuestion", "AnswerFromPassages"))]


@pytest.mark.parametrize("step", READERS)
def test_every_reader_says_the_answer(step):
    assert said(step, "answer") == ["Steventon"]


@pytest.mark.parametrize("step", MAKERS)
def test_a_step_is_known_by_its_class_whatever_its_instructions_are_and_after_loading(step):
    signature = getattr(multihop.signatures, step)

    class Alone(Program):
        retrieves = False

        def __init__(self, **limits):
            super().__init__(**limits)
            self.do = dspy.Predict(signature)
            self.aloud = dspy.ChainOfThought(signature)

    program = Alone()
    for predictor in program.predictors():
        predictor.signature = predictor.signature.with_instructions("Do it.")
    program.load_state(program.dump_state())
    made = step_examples(program, [WORKED])
    wanted = [{name: row[name] for name in signature.fields} for row in MAKERS[step](WORKED)]
    assert [example.toDict() for example in made["do"]] == wanted
    assert [example.toDict() for example in made["aloud.predict"]] == [
        {**row, "reasoning": WORKED.reasoning} for row in wanted
    ]
