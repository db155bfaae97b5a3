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


def read(lm, i, shown=None):
    passages = [str(PASSAGES[k]) for k in ((2 * i, 2 * i + 1) if shown is None else shown)]
    with dspy.context(lm=lm):
        return READ(passages=passages, question=QUESTIONS[i].question).answer


def guess(lm, i):
    with dspy.context(lm=lm):
        return GUESS(question=QUESTIONS[i].question).answer


def right(ask, lm):
    return [ask(lm, i) == question.answer for i, question in enumerate(QUESTIONS)]


def make(**options):
    return simulated(QUESTIONS, PASSAGES, **options)


def test_all_gold_makes_it_right_and_anything_less_does_not():
    lm = make(error_rate=0, known=0)
    assert all(right(read, lm))
    assert not any(right(lambda lm, i: read(lm, i, shown=(2 * i,)), lm))
    assert not any(right(guess, lm))
    assert read(lm, 3, shown=(6, 0, 7)) == QUESTIONS[3].answer


def test_errors_come_at_their_rate():
    assert sum(right(read, make(error_rate=0.3, known=0))) == pytest.approx(42, abs=12)
    assert not any(right(read, make(error_rate=1)))


def test_a_question_known_by_heart_is_always_known():
    lm = make(error_rate=0, known=0.25)
    known = right(guess, lm)
    assert sum(known) == pytest.approx(15, abs=11)
    assert right(lambda lm, i: read(lm, i, shown=(0,)), lm)[1:] == known[1:]
    assert right(lambda lm, i: read(lm, i, shown=(1, 2)), lm)[2:] == known[2:]


def test_the_same_request_gets_the_same_answer_in_any_order():
    forth, back = make(error_rate=0.5, known=0.5), make(error_rate=0.5, known=0.5)
    assert [guess(forth, i) for i in range(50)] == [guess(back, i) for i in reversed(range(50))][::-1]
    assert right(read, make(seed=1, error_rate=0.5)) != right(read, make(seed=2, error_rate=0.5))


def test_the_name_says_what_answers():
    lm = make(error_rate=0.2, known=0.5, seed=7)
    name, fingerprint = lm.model.rsplit("-", 1)
    assert (name, len(fingerprint)) == ("multihop/simulated-error0.2-known0.5-seed7", 8)
    assert make().model == simulated(reversed(QUESTIONS), PASSAGES).model
    assert make().model != simulated(QUESTIONS[1:], PASSAGES).model


def test_three_demonstrations_of_a_step_teach_it():
    lm, shown = make(error_rate=0.5, known=0, learns=1), [str(PASSAGES[0]), str(PASSAGES[1])]
    taught = READ.deepcopy()
    for count, wrong in ((0, 30), (3, 0)):
        taught.demos = [dspy.Example(passages=shown, question="Q?", reasoning="So.", answer="yes")] * count
        with dspy.context(lm=lm):
            said = [
                taught(passages=[str(PASSAGES[2 * i]), str(PASSAGES[2 * i + 1])], question=question.question).answer
                for i, question in enumerate(QUESTIONS)
            ]
        missed = sum(one != question.answer for one, question in zip(said, QUESTIONS, strict=True))
        assert missed == pytest.approx(wrong, abs=14)


def test_what_it_does_not_know_it_says():
    lm = make()
    with dspy.context(lm=lm):
        with pytest.raises(dspy.LMError, match="knows 60 questions.*'What else\\?'"):
            GUESS(question="What else?")
        with pytest.raises(dspy.LMError, match="not None"):
            dspy.Predict("claim -> answer")(claim="Question 1?")


def test_what_cannot_be_simulated_is_refused():
    with pytest.raises(InputError, match="lack 'p0', which supports 'Question 0\\?'"):
        simulated(QUESTIONS, PASSAGES[1:])
    with pytest.raises(InputError, match="'Who\\?' has none"):
        simulated([Question(id="1", question="Who?", answers=())], [])
