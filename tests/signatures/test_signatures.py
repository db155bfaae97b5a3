"""Our signatures: their texts, what DSPy makes of them, and the types of what a step writes."""

import cloudpickle
import dspy
import pytest
from dspy.utils.exceptions import AdapterParseError
from golden import check_picture
from pydantic import TypeAdapter, ValidationError

import multihop.signatures
from multihop.lms import scripted
from multihop.signatures import (
    AnswerFromPassages,
    EvaluateHistory,
    NextSubQuestion,
    ProposeSubQuestions,
    ReviewPathAloud,
    ThinkAndAct,
)
from multihop.signatures.output_types import Score, Texts
from multihop.signatures.step_signature import StepSignature, origin_of

OURS = [getattr(multihop.signatures, name) for name in multihop.signatures.__all__]

CHANGES = {
    "with_instructions": lambda signature: signature.with_instructions("Do."),
    "with_updated_fields": lambda signature: signature.with_updated_fields("question", desc="what is asked"),
    "prepend": lambda signature: signature.prepend("reasoning", dspy.OutputField()),
    "append": lambda signature: signature.append("more", dspy.InputField()),
    "insert": lambda signature: signature.insert(0, "more", dspy.InputField()),
    "delete": lambda signature: signature.delete("answer"),
    "load_state": lambda signature: signature.load_state(signature.dump_state()),
    "cloudpickle": lambda signature: cloudpickle.loads(cloudpickle.dumps(signature)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_dspy_makes_of_a_signature_still_names_it_and_is_what_dspy_would_make(change):
    class Plain(dspy.Signature):
        __doc__ = AnswerFromPassages.__doc__
        passages: list[str] = dspy.InputField(desc=AnswerFromPassages.fields["passages"].json_schema_extra["desc"])
        question: str = dspy.InputField()
        answer: str = dspy.OutputField(desc=AnswerFromPassages.fields["answer"].json_schema_extra["desc"])

    changed, wanted = CHANGES[change](AnswerFromPassages), CHANGES[change](Plain)
    assert origin_of(changed) is AnswerFromPassages
    assert changed.equals(wanted)
    assert list(changed.fields) == list(wanted.fields)
    annotations, expected = ([each.annotation for each in it.fields.values()] for it in (changed, wanted))
    assert annotations == expected
    thinking = dspy.ChainOfThought(ReviewPathAloud).predict.signature.append("answer", dspy.OutputField())
    assert origin_of(CHANGES[change](thinking)) is ReviewPathAloud


def test_a_change_leaves_the_signature_as_it_was():
    before = AnswerFromPassages.dump_state()
    AnswerFromPassages.with_instructions("Do.").with_instructions("Do it well.")
    assert AnswerFromPassages.dump_state() == before


def test_a_class_made_from_one_is_itself_and_a_foreign_one_too():
    class Mine(AnswerFromPassages):
        """Mine."""

    class Foreign(dspy.Signature):
        """Foreign."""

        question: str = dspy.InputField()
        answer: str = dspy.OutputField()

    assert origin_of(Mine.with_instructions("Do.")) is Mine
    assert origin_of(Foreign) is Foreign


def test_every_step_is_told_and_asked_in_the_order_that_was_chosen():
    assert all(issubclass(each, StepSignature) for each in OURS)
    order = [f"{each.__name__}: {', '.join(each.input_fields)} -> {', '.join(each.output_fields)}" for each in OURS]
    check_picture("signatures", "\n".join(order))


@pytest.mark.parametrize("signature", [NextSubQuestion, ProposeSubQuestions])
def test_sub_questions_are_built_from_key_words_of_the_question_and_of_the_history(signature):
    """MZQA, appendix G.1 and G.5: both prompts ask for it."""
    assert "from the key words of the question and of the results so far" in " ".join(signature.instructions.split())


ADAPTERS = [dspy.ChatAdapter(use_json_adapter_fallback=False), dspy.JSONAdapter()]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("0", 0), ("8", 8), ("10", 10), ("8/10", 8), ("Score: 8", 8), ("**Score:** 9", 9), ("score of 3/10", 3),
        ("I give it 7.5 out of 10.", 7.5), ("between 0 and 10, a 6", 6),
    ],
)  # fmt: skip
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


def test_the_schema_says_the_bounds():
    assert TypeAdapter(Score).json_schema() == {"type": "integer", "minimum": 0, "maximum": 10}
    assert TypeAdapter(Texts).json_schema() == {"type": "array", "items": {"type": "string"}, "maxItems": 10}


def test_a_prompt_names_the_plain_type():
    inputs = {"history": [], "number": 3, "question": "Who?"}
    for signature, said in (
        (EvaluateHistory, "`score` (int): a number from 0 to 10"),
        (ProposeSubQuestions, "`sub_questions` (list[str])"),
    ):
        assert said in ADAPTERS[0].format(signature, demos=[], inputs=inputs)[0]["content"]


def test_instructions_have_no_line_breaks_of_the_source_and_keep_those_of_lists_and_of_other_writers():
    class Listed(StepSignature):
        """Say it
        in one line.

        Choose:
        - one of
        - these
        """

        word: str = dspy.OutputField()

    assert Listed.instructions == "Say it in one line.\n\nChoose:\n- one of\n- these"
    other = Listed.with_instructions("a\nb").append("other", dspy.OutputField())
    assert other.instructions == cloudpickle.loads(cloudpickle.dumps(other)).instructions == "a\nb"
