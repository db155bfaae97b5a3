import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from pydantic import TypeAdapter, ValidationError

from multihop.lms import scripted
from multihop.signatures import EvaluateHistory, ProposeSubQuestions, ThinkAndAct
from multihop.signatures.output_types import Score, Texts

ADAPTERS = [dspy.ChatAdapter(use_json_adapter_fallback=False), dspy.JSONAdapter()]
SCORES = {
    "8": 8,
    "8/10": 8,
    "Score: 8": 8,
    "**Score:** 9": 9,
    "I give it 7.5 out of 10.": 7.5,
    "between 0 and 10, a 6": 6,
    "score of 3/10": 3,
    "10": 10,
    "0": 0,
}


@pytest.mark.parametrize(("text", "score"), SCORES.items())
def test_scores_are_read_in_any_dress(text, score):
    assert TypeAdapter(Score).validate_python(text) == score


@pytest.mark.parametrize("text", ["", "high", "11", "80%", "-3", "1000"])
def test_what_is_no_score_is_refused(text):
    with pytest.raises(ValidationError, match="no number from 0 to 10"):
        TypeAdapter(Score).validate_python(text)


MANY = [f"question {number}?" for number in range(30)]


@pytest.mark.parametrize("adapter", ADAPTERS, ids=["chat", "json"])
def test_dspy_reads_scores_and_the_first_texts_of_a_list_that_does_not_end(adapter):
    said = [{"score": 7}, {"score": "7/10"}, {"score": 8.5}, {"score": "good"}, {"sub_questions": MANY}]
    with dspy.context(lm=scripted(said), adapter=adapter):
        rate = dspy.Predict(EvaluateHistory)
        assert [rate(history=[], question="Who?").score for _ in range(3)] == [7, 7, 8.5]
        with pytest.raises(AdapterParseError):
            rate(history=[], question="Who?")
        found = dspy.Predict(ProposeSubQuestions)(history=[], number=3, question="Who?").sub_questions
    assert found == MANY[:10]


@pytest.mark.parametrize("adapter", ADAPTERS, ids=["chat", "json"])
def test_an_action_is_one_of_two(adapter):
    fields = {"thought": "", "query": "Po", "answer": ""}
    with dspy.context(lm=scripted([{**fields, "action": "search"}, {**fields, "action": "look up"}]), adapter=adapter):
        assert dspy.Predict(ThinkAndAct)(history=[], question="Who?").action == "search"
        with pytest.raises(AdapterParseError):
            dspy.Predict(ThinkAndAct)(history=[], question="Who?")


@pytest.mark.parametrize(("type_", "schema"), [
    (Score, {"type": "integer", "minimum": 0, "maximum": 10}),
    (Texts, {"type": "array", "items": {"type": "string"}, "maxItems": 10}),
])  # fmt: skip
def test_the_schema_says_the_bounds(type_, schema):
    assert TypeAdapter(type_).json_schema() == schema


def test_a_prompt_names_the_plain_type():
    shown = "".join(
        message["content"]
        for signature, inputs in (
            (EvaluateHistory, {"history": [], "question": "Who?"}),
            (ProposeSubQuestions, {"history": [], "number": 3, "question": "Who?"}),
        )
        for message in ADAPTERS[0].format(signature, demos=[], inputs=inputs)
    )
    assert "`score` (int): a number from 0 to 10" in shown
    assert "`sub_questions` (list[str])" in shown
