import pytest
from toys import Steps, ask, echo

from multihop import Direct, FollowUp, Turn, scripted
from multihop.programs.shared.follow_up import LONGEST, SHOWN, is_same_question

TOLD = [Turn("Who discovered radium?", "Marie Curie")]
FULL = "Who was Marie Curie's husband?"


def say(full):
    """An LM that writes that full question, and answers with the question that it is asked."""
    return scripted(lambda prompt: {"full_question": full} if "conversation" in prompt.inputs else echo(prompt))


def test_the_full_question_is_what_the_program_answers():
    lm = say(" Who was Marie Curie's\nhusband? ")
    prediction = ask(FollowUp(Steps(rounds=2), TOLD), lm, "Who was her husband?")
    assert prediction.answer == "Who was Marie Curie's husband? Who was Marie Curie's husband?"
    first, *rest = prediction.trajectory
    assert first == {
        "step": "stand_alone",
        "inputs": {"conversation": ["Who discovered radium? -> Marie Curie"], "question": "Who was her husband?"},
        "outputs": {"full_question": " Who was Marie Curie's\nhusband? ".strip()},
    }
    assert [step["step"] for step in rest] == ["guess", "guess", "read"]
    assert prediction.cost["calls_by_role"] == {"stand_alone": 1, "guess": 2, "read": 1}


@pytest.mark.parametrize("conversation", [[], [Turn("", "")], [Turn(" \n", "\0")]])
def test_without_anything_said_before_nothing_is_asked(conversation):
    program = FollowUp(Direct(), conversation)
    prediction = ask(program, scripted([{"answer": "Pierre"}]), "Who was her husband?")
    assert (prediction.answer, prediction.cost["calls"], program.most_calls()) == ("Pierre", 1, 1)


def test_the_latest_turns_are_read_each_as_far_as_it_is_bounded():
    long = Turn("w" * 2_000, "a" * 2_000)
    program = FollowUp(Direct(), [Turn("first"), Turn("second", "2"), long, Turn("\ud800 third\n?", "3")])
    assert program.conversation == ["second -> 2", f"{'w' * LONGEST} -> {'a' * LONGEST}", "? third ? -> 3"]
    assert program.most_calls() == 2


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Who was her husband? " * 100,
        "Marie Curie's husband was Pierre.",
        "Who discovered radium?",
        "Who was Marie Curie's husband? -> Pierre",
        "no form at all",
    ],
)
def test_what_cannot_be_understood_leaves_the_question_as_it_stands(said):
    written = said if said.startswith("no") else {"full_question": said}
    lm = scripted(lambda prompt: written if "conversation" in prompt.inputs else echo(prompt))
    prediction = ask(FollowUp(Direct(retries=1), TOLD), lm, "Who was her husband?")
    assert prediction.answer == "Who was her husband?"


def test_the_step_is_shown_how_it_is_done():
    lm = say(FULL)
    ask(FollowUp(Direct(), TOLD), lm, "Who was her husband?")
    shown = lm.engine.prompts[0].demonstrations
    assert [(each.inputs["question"], each.outputs["full_question"]) for each in shown] == [
        (question, full) for _, question, full in SHOWN
    ]
    assert [each.inputs["conversation"] for each in shown] == [conversation for conversation, *_ in SHOWN]
    assert all(is_same_question(question, full) for _, question, full in SHOWN)


def test_the_lm_of_a_programs_steps_is_asked_where_they_have_one():
    own, other = say(FULL), scripted([])
    prediction = ask(FollowUp(Direct(lms={"answer": own}), TOLD), other, "Who was her husband?")
    assert (prediction.answer, other.engine.prompts) == (FULL, [])
    mixed = FollowUp(Steps(lms={"read": other}), TOLD)
    assert mixed.step_lms == {}
