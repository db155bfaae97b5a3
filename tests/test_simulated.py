import dspy
import pytest
from simulated import simulated

from multihop.base import InputError
from multihop.data import Question
from multihop.retrieval import Passage

READ = dspy.Predict("passages: list[str], question -> reasoning, answer")
GUESS = dspy.Predict("question -> answer")
PASSAGES = [Passage(f"p{i}", f"Title {i}", f"Text {i}.") for i in range(120)]
ANSWERS = ("yes", "19{:02}", "{} miles", "Ada {:c}")
QUESTIONS = [
    Question(
        id=f"q{i}",
        question=f"Question {i}?",
        answers=(ANSWERS[i % 4].format(10 + i // 4 + 55 * (i % 4 == 3)),),
        supporting=(f"p{2 * i}", f"p{2 * i + 1}"),
    )
    for i in range(60)
]


def right(step=READ, *, shown=2, **options):
    """Which questions are answered right, shown so many of their gold passages, by a simulation of these options."""
    found = []
    with dspy.context(lm=simulated(QUESTIONS, PASSAGES, **options)):
        for i, question in enumerate(QUESTIONS):
            passages = {"passages": list(map(str, PASSAGES[2 * i :][:shown]))} if step is not GUESS else {}
            found.append(step(question=question.question, **passages).answer == question.answer)
    return found


def test_all_gold_makes_it_right_and_anything_less_does_not():
    assert all(right(error_rate=0, known=0))
    assert not any(right(shown=1, error_rate=0, known=0))
    assert not any(right(GUESS, error_rate=0, known=0))


def test_errors_come_at_their_rate_and_three_demonstrations_of_a_step_teach_it():
    assert sum(right(error_rate=0.3, known=0)) == pytest.approx(42, abs=12)
    assert not any(right(error_rate=1))
    assert right(seed=1, error_rate=0.5) != right(seed=2, error_rate=0.5)
    taught = READ.deepcopy()
    taught.demos = [dspy.Example(passages=["a | b"], question="Q?", reasoning="So.", answer="yes")] * 3
    assert sum(right(error_rate=0.5, known=0, learns=1)) == pytest.approx(30, abs=14)
    assert all(right(taught, error_rate=0.5, known=0, learns=1))


def test_a_question_known_by_heart_is_always_known():
    known = right(GUESS, error_rate=0, known=0.25)
    assert sum(known) == pytest.approx(15, abs=11)
    assert right(shown=1, error_rate=0, known=0.25) == known


def test_the_name_says_what_answers():
    name, fingerprint = simulated(QUESTIONS, PASSAGES, error_rate=0.2, known=0.5, seed=7).model.rsplit("-", 1)
    assert (name, len(fingerprint)) == ("multihop/simulated-error0.2-known0.5-seed7", 8)


def test_what_it_does_not_know_and_what_cannot_be_simulated_is_refused():
    refused = pytest.raises(dspy.LMError, match="knows 60 questions.*'What else\\?'")
    with dspy.context(lm=simulated(QUESTIONS, PASSAGES)), refused:
        GUESS(question="What else?")
    with pytest.raises(InputError, match="lack 'p0', which supports 'Question 0\\?'"):
        simulated(QUESTIONS, PASSAGES[1:])
    with pytest.raises(InputError, match="'Who\\?' has none"):
        simulated([Question(id="1", question="Who?", answers=())], [])
