import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from toys import ask

from multihop import Direct, InputError, scripted
from multihop.runtime.adapters import PlainAdapter, adapter_of, asks_for_text_alone
from multihop.signatures import AnswerFromPassages, RateStep, ReviewPath

PLAIN = PlainAdapter()
THINKING = dspy.ChainOfThought(AnswerFromPassages).predict.signature


def prompt(signature, inputs, demos=()):
    return [(each["role"], each["content"]) for each in PLAIN.format(signature, list(demos), inputs)]


def test_one_text_is_asked_for_as_it_is():
    (_, system), (_, user) = prompt(AnswerFromPassages, {"passages": ["A | b.", "C | d."], "question": "Who?"})
    assert user == "Passages:\nA | b.\n\nC | d.\n\nQuestion: Who?\n\nAnswer:"
    assert system.startswith(AnswerFromPassages.instructions)
    assert "{" not in system
    assert "Reply with the answer alone" in system


def test_several_outputs_are_asked_for_as_json():
    (_, system), (_, user) = prompt(ReviewPath, {"question": "Who?", "path": []})
    assert user == "Question: Who?\n\nPath:\nnone"
    assert '"relevant" (true or false): whether they hold any part of what the answer needs' in system
    assert [line.split('"')[1] for line in system.splitlines() if line.startswith('"')] == [*ReviewPath.output_fields]


def test_a_score_goes_to_ten_and_another_number_anywhere():
    (_, system), _ = prompt(RateStep, {"question": "Who?", "history": []})
    assert '"score" (a whole number from 0 to 10): a number from 0 to 10' in system
    (_, system), _ = prompt(dspy.Signature("question -> year: int, place: str"), {"question": "When?"})
    assert '"year" (a whole number)\n"place" (text)' in system


def test_demonstrations_are_turns_of_the_same_form():
    demo = {"passages": ["E | f."], "question": "When?", "answer": "1815"}
    turns = prompt(AnswerFromPassages, {"passages": [], "question": "Who?"}, [demo])
    assert [role for role, _ in turns] == ["system", "user", "assistant", "user"]
    assert turns[1][1] == "Passages:\nE | f.\n\nQuestion: When?\n\nAnswer:"
    assert turns[2][1] == "1815"


@pytest.mark.parametrize("form", ["{}", " {}\n", "Answer: {}", "**Answer:** {}"])
def test_a_text_is_taken_as_it_is_and_nothing_is_no_answer(form):
    for answer in ("Jane Austen", "Answers: A Novel", '"Emma" by "Jane Austen"'):
        assert PLAIN.parse(AnswerFromPassages, form.format(answer)) == {"answer": answer}
    assert PLAIN.parse(AnswerFromPassages, form.format('"Jane Austen"')) == {"answer": "Jane Austen"}
    for nothing in ("", '""'):
        with pytest.raises(AdapterParseError, match="the completion is empty"):
            PLAIN.parse(AnswerFromPassages, form.format(nothing))


@pytest.fixture
def lm():
    """An LM that keeps to a form that it is given."""
    lm = scripted(lambda prompt: {"answer": "Ada"})
    lm.structured = "schema"
    return lm


def test_lms_that_keep_to_a_form_are_asked_in_plain_words_first(lm):
    assert isinstance(adapter_of(0, lm), PlainAdapter)
    assert isinstance(adapter_of(1, lm), dspy.JSONAdapter)
    assert asks_for_text_alone(AnswerFromPassages, lm)
    assert not asks_for_text_alone(AnswerFromPassages, scripted([]))
    with dspy.context(adapter=dspy.ChatAdapter()):
        assert not asks_for_text_alone(AnswerFromPassages, lm)
    with dspy.context(adapter=PlainAdapter()):
        assert asks_for_text_alone(AnswerFromPassages, scripted([]))
        assert not asks_for_text_alone(THINKING, scripted([]))


def test_a_cloned_step_is_asked_in_the_form_that_it_was_trained_on(lm):
    """The scripted engine answers prompts of DSPy's chat adapter alone, and so refuses one in plain words."""
    assert ask(Direct(cloned="answer"), lm).answer == "Ada"
    with pytest.raises(dspy.LMUnexpectedError, match="answers prompts written by dspy.ChatAdapter"):
        ask(Direct(), lm)
    with pytest.raises(InputError, match="unknown step of Direct 'plan'. Valid: answer"):
        Direct(cloned=["plan"])
