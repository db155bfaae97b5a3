import pytest

from multihop import Question, scripted
from multihop.exam import make_exam
from multihop.exam.rewording import is_same_question, reword_all

from twelve_pages import PAGES  # isort: skip

QUESTION = Question(id="q", question="When was the director of the 1971 film Last Bus born?", answers=("9 June 1930",))


@pytest.mark.parametrize(
    "text",
    [
        "On which day was the person who directed the 1971 film Last Bus born?",
        "The 1971 film Last Bus has a director; when was that person born?",
    ],
)
def test_a_wording_of_the_same_question(text):
    assert is_same_question(QUESTION, text, ["Last Bus"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The director of the 1971 film Last Bus was born when",
        "Who directed the 1971 film Last Bus? And when was that person born?",
        "When was the director of that 1971 film born, the one of the bus?",
        "When was the director of the film Last Bus born in the world?",
        "When was Maria Wolf, the director of the 1971 film Last Bus, born?",
        "Was the director of the 1971 film Last Bus born on 9 June 1930 or later?",
        "When was the director of the 1971 film Last Bus born, given all that we know of films and their directors?",
        "When?",
    ],
)
def test_a_wording_that_says_more_or_less(text):
    assert not is_same_question(QUESTION, text, ["Last Bus"])


def test_a_wording_that_is_refused_or_cannot_be_read_leaves_the_question():
    good = "On which day was the director of the 1971 film Last Bus born?"
    questions = [QUESTION] * 2
    lm = scripted([{"reworded_question": good}, {"reworded_question": "Who is it?"}])
    worded, count = reword_all(questions, [["Last Bus"]] * 2, lm)
    assert ({each.question for each in worded}, count) == ({good, QUESTION.question}, 1)
    unreadable = scripted(lambda prompt: "no fields at all")
    assert reword_all([QUESTION], [["Last Bus"]], unreadable) == ([QUESTION], 0)


def test_the_lm_is_shown_the_question_and_its_names():
    seen = []

    def reply(prompt):
        seen.append(prompt.inputs["question"])
        return {"reworded_question": "?"}

    exam = make_exam(PAGES, questions=30, lm=scripted(reply))
    assert exam.reworded == 0
    assert len(seen) == len(exam.questions)
    assert any("Last Bus" in text for text in seen)
