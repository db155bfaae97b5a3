import cloudpickle
import dspy
import pytest
from golden import check_picture

import multihop.signatures
from multihop.signatures import AnswerFromPassages, NextSubQuestion, ProposeSubQuestions, ReviewPathAloud
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
    assert [field.annotation for field in changed.fields.values()] == [
        each.annotation for each in wanted.fields.values()
    ]
    assert (
        origin_of(
            CHANGES[change](dspy.ChainOfThought(ReviewPathAloud).predict.signature.append("answer", dspy.OutputField()))
        )
        is ReviewPathAloud
    )


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


def test_every_signature_of_ours_is_one():
    assert len(OURS) > 30
    assert all(issubclass(each, StepSignature) for each in OURS)


def test_every_step_is_told_and_asked_in_the_order_that_was_chosen():
    order = [
        f"{each.__name__}: {', '.join(each.input_fields)} -> {', '.join(each.output_fields)}"
        for each in OURS
        if issubclass(each, StepSignature)
    ]
    check_picture("signatures", "\n".join(order))


@pytest.mark.parametrize("signature", [NextSubQuestion, ProposeSubQuestions])
def test_sub_questions_are_built_from_key_words_of_the_question_and_of_the_history(signature):
    """MZQA, appendix G.1 and G.5: both prompts ask for it."""
    assert "from the key words of the question and of the results so far" in " ".join(signature.instructions.split())
