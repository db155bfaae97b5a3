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
    """Describe ___ by what the passage says of it, in a few words that can take its place in the question.

    They begin with "the", say what kind of thing or person it is, and hold the other names in full, so that they fit
    nothing else. If the passage says "Ada Wolf designed the ___ in 1921", and the question is "Where was ___ built?",
    they may be "the machine that Ada Wolf designed in 1921".
    """

    passage: str = dspy.InputField(desc="as 'title | text', with ___ in the place of a name")
    question: str = dspy.InputField(desc="a question about the same name")
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
