"""Exam questions: asked about a name, made to need a second passage, and read as an examinee would."""

import dspy

from .step_signature import StepSignature


class AskAboutName(StepSignature):
    """Write a question about the name that the passage answers.

    First choose the answer: a date, a number, a place, a person or another thing that the passage states of the name.
    Then ask for it, in one question that holds the whole name and makes sense to somebody who has not seen the passage.
    For the name Emma 3 and the answer 1921 it may be "When was the Emma 3 built?"
    """

    passage: str = dspy.InputField(desc="as 'title | text'")
    name: str = dspy.InputField(desc="what the question is about")
    answer: str = dspy.OutputField(desc="a few words, copied from the passage; never the name")
    question: str = dspy.OutputField(desc="asks for the answer, and holds the name")


class AskWhatIsMissing(StepSignature):
    """Write a question about the name that readers of the passage might have, and that the passage does not answer.

    The question holds the whole name and asks for one fact of a kind that is usual for such a thing.
    """

    passage: str = dspy.InputField(desc="as 'title | text'")
    name: str = dspy.InputField(desc="what the question is about")
    question: str = dspy.OutputField(desc="one question that holds the name")


class DescribeName(StepSignature):
    """Describe the name by what one sentence of the passage says of it, without any part of the name.

    The description can stand in the place of the name in a sentence, such as "the river on which Torun lies" or "the
    engineer who designed the Emma 3". It fits nothing else: it names what the passage is about in full.
    """

    passage: str = dspy.InputField(desc="as 'title | text'")
    name: str = dspy.InputField(desc="what is described")
    description: str = dspy.OutputField(desc="a few words that begin with 'the'")


class SitExam(StepSignature):
    """Answer the question from the passages alone, with the shortest phrase, copied from them.

    First find who or what the question describes: a passage must say that it is described so. Where none does, or none
    states the fact that is asked for, the answer is "not mentioned".
    """

    passages: list[str] = dspy.InputField(desc="each as 'title | text'")
    question: str = dspy.InputField()
    described: str = dspy.OutputField(desc="the name of what the question describes, or 'not mentioned'")
    answer: str = dspy.OutputField(desc="a few words, or 'not mentioned'")
