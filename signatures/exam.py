"""Exam questions: a question about one passage, a description to stand for a name in it, and the examinee."""

import dspy

from .step_signature import StepSignature


class AskAboutName(StepSignature):
    """Write a short question about the name whose answer is the given one, as the passage states it.

    The question holds the name as it is written, and no part of the answer.
    """

    passage: str = dspy.InputField(desc="as 'title | text'")
    name: str = dspy.InputField(desc="what is asked about")
    answer: str = dspy.InputField(desc="'not mentioned' to ask for a usual fact that the passage does not state")
    question: str = dspy.OutputField(desc="holds the name")


class DescribeName(StepSignature):
    """Describe what ___ stands for by what the text says of it, in a few words that can take its place.

    They begin with "the" and its kind, if that is told, and fit nothing else.
    """

    title: str = dspy.InputField(desc="of the page that the text is from")
    text: str = dspy.InputField(desc="with ___ in the place of a name")
    kind: str = dspy.InputField(desc="what the name is, as another page has it")
    description: str = dspy.OutputField(desc="a phrase, no sentence")


class SitExam(StepSignature):
    """Answer the question from the passages alone, with the shortest phrase, copied from them.

    Where no passage states what is asked for, the answer is "not mentioned".
    """

    passages: list[str] = dspy.InputField(desc="each as 'title | text'")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words, or 'not mentioned'")
