from typing import Literal

import dspy
import pytest
from simulated import ROLES as SIMULATED

from multihop import Little
from multihop.lms import Field, local
from multihop.lms.local_engine import ROLES, known_output
from multihop.signatures.step_signature import StepSignature

QUESTION = next(iter(Little().questions()))
PAGES = {page.id: str(page) for page in Little().passages()}
GOLD = [PAGES[name] for name in QUESTION.supporting]


class FollowLead(StepSignature):
    """A new step, with outputs that no other has."""

    leads: list[str] = dspy.InputField()
    question: str = dspy.InputField()
    lead_enough: bool = dspy.OutputField()
    next_query: str = dspy.OutputField()
    hop_questions: list[str] = dspy.OutputField()
    final_answer: str | None = dspy.OutputField()


KNOWN = dspy.Signature("leads: list[str], question -> enough: bool, query, sub_questions: list[str], answer")


def follow(signature, leads):
    return dspy.Predict(signature)(leads=leads, question=QUESTION.question).toDict()


def test_a_new_signature_is_answered_as_one_with_the_known_outputs_is():
    with dspy.context(lm=local()):
        for leads in (GOLD, GOLD[:1], []):
            said = follow(FollowLead, leads)
            assert list(said) == ["lead_enough", "next_query", "hop_questions", "final_answer"]
            assert list(said.values()) == list(follow(KNOWN, leads).values())
    assert said["lead_enough"] is False


def test_an_output_of_any_other_name_is_filled_by_its_type():
    class Weigh(dspy.Signature):
        passages: list[str] = dspy.InputField()
        question: str = dspy.InputField()
        place: str = dspy.OutputField()
        wanted: list[str] = dspy.OutputField()
        done: bool = dspy.OutputField()
        stars: int = dspy.OutputField()
        share: float = dspy.OutputField()
        verdict: Literal["go on", "wait", "stop"] = dspy.OutputField()

    with dspy.context(lm=local()):
        said = dspy.Predict(Weigh)(passages=GOLD, question=QUESTION.question)
        known = dspy.Predict("passages: list[str], question -> answer, enough: bool")
        same = known(passages=GOLD, question=QUESTION.question)
    assert (said.place, said.done) == (same.answer, same.enough)
    assert said.verdict == ("stop" if said.done else "go on")
    assert QUESTION.question in said.wanted
    assert said.stars == round(said.share)


@pytest.mark.parametrize(
    ("name", "kind", "says"),
    [
        ("counts", dict[str, int], "cannot fill the output field `counts`, a "),
        ("correct", bool, "cannot fill the output field `correct`, a "),
        ("answer", list[str], "fills the output field `answer` with a str; it is declared as"),
        ("answer", Literal["str", "bool"], "fills the output field `answer` with a str; it is declared as"),
    ],
)
def test_what_passages_do_not_tell_and_a_known_output_of_another_type_are_refused(name, kind, says):
    signature = dspy.Signature({"question": (str, dspy.InputField()), name: (kind, dspy.OutputField())})
    with dspy.context(lm=local()), pytest.raises(dspy.LMError, match=says):
        dspy.Predict(signature)(question="Who?")


def test_the_engines_fill_the_same_outputs():
    assert set(SIMULATED) == set(ROLES)


def test_another_type_is_no_known_output_by_its_ending():
    assert known_output(Field("next_query", "bool")) == known_output(Field("second_better", "bool")) == "enough"
    assert known_output(Field("next_query", "Union[str, NoneType]")) == "query"
