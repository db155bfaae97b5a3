"""Questions on the way to the answer: finding the next one, finding all at once, answering one."""

import dspy

from .output_types import Texts
from .step_signature import StepSignature


class AnswerSubQuestion(StepSignature):
    """Answer the sub-question from the passages alone, without guessing.

    It is one step towards the question. First decide whether the passages answer it; only then give the answer.
    """

    passages: list[str] = dspy.InputField(desc="retrieved passages, best first, each as 'title | text'")
    question: str = dspy.InputField(desc="what the sub-question is a step towards")
    sub_question: str = dspy.InputField()
    answerable: bool = dspy.OutputField(desc="whether the passages answer the sub-question")
    sub_answer: str = dspy.OutputField(default="", desc="if answerable: the short answer; otherwise empty")


class PlanSubQuestion(StepSignature):
    """Find out what is still missing to answer the question, and ask for it.

    Write one simple question about the next missing fact, with full names instead of pronouns, so that a search engine
    can find it. It must ask for something else than every question that was asked already.
    """

    evidence: list[str] = dspy.InputField(desc="what was found that helps to answer the question")
    pathway: list[str] = dspy.InputField(desc="sub-questions so far, each with its answer")
    asked: list[str] = dspy.InputField(desc="questions that must not be asked again")
    question: str = dspy.InputField()
    sub_question: str = dspy.OutputField(desc="one simple question, different from those asked")


class PickSubQuestion(StepSignature):
    """Direct the answering of a question that takes several steps, one simple question at a time.

    Given the simple questions so far and their answers, decide whether they already give the answer to the whole
    question. If not, write the next simple question, with earlier answers filled in.
    """

    notes: list[str] = dspy.InputField(desc="simple questions so far, each with its answer")
    question: str = dspy.InputField(desc="the whole question")
    enough: bool = dspy.OutputField(desc="whether no further question is needed")
    sub_question: str = dspy.OutputField(default="", desc="if not enough: the next simple question")


class AskFollowUp(StepSignature):
    """Work towards the answer of a question by asking yourself follow-up questions.

    If something is still unknown, ask the next follow-up question: simple, with full names. If the answers so far
    settle the question, ask nothing and give the final answer in the shortest phrase.
    """

    notes: list[str] = dspy.InputField(desc="follow-up questions so far, each with its answer")
    question: str = dspy.InputField()
    enough: bool = dspy.OutputField(desc="whether the final answer is known")
    sub_question: str = dspy.OutputField(default="", desc="if not enough: the next follow-up question")
    answer: str = dspy.OutputField(default="", desc="if enough: the final answer alone")


class SplitQuestion(StepSignature):
    """Split a question that takes several steps into simple ones, all at once.

    Each must ask for a single fact and make sense by itself to a search engine: repeat names and use no pronouns. Where
    a step needs an earlier answer, fill it in from what you know; describe it in words only if you do not know it.
    """

    question: str = dspy.InputField()
    sub_questions: Texts = dspy.OutputField(desc="the simple questions, in the order of the steps")
