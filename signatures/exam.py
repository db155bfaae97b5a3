"""Exam questions: asked about a name, made to need a second passage, and read as an examinee would."""

import dspy

from .step_signature import StepSignature


class AskAboutName(StepSignature):
    """Write a question about the name that one sentence of the passage answers, and its answer.

    The question holds the whole name and asks for one fact: who, where, when, which or how many. It makes sense to
    somebody who has not seen the passage. The answer is a few words copied from that sentence, and not the name.
    """

    passage: str = dspy.InputField()
    name: str = dspy.InputField(desc="what the question is about")
    sentence: str = dspy.OutputField(desc="the sentence that states the fact, copied")
    question: str = dspy.OutputField(desc="one question that holds the name")
    answer: str = dspy.OutputField(desc="a few words, copied from the sentence")


class AskWhatIsMissing(StepSignature):
    """Write a question about the name that readers of the passage might have, and that the passage does not answer.

    The question holds the whole name and asks for one fact of the kind that the passage states of others.
    """

    passage: str = dspy.InputField()
    name: str = dspy.InputField(desc="what the question is about")
    question: str = dspy.OutputField(desc="one question that holds the name")


class DescribeName(StepSignature):
    """Describe the name by what one sentence of the passage says of it, without any part of the name.

    The description can stand in the place of the name in a sentence, such as "the river on which Torun lies" or "the
    engineer who designed the Emma". It fits nothing else, and calls other things by their full names.
    """

    passage: str = dspy.InputField()
    name: str = dspy.InputField(desc="what is described")
    sentence: str = dspy.OutputField(desc="the sentence that says it, copied")
    description: str = dspy.OutputField(desc="a few words that begin with 'the'")


class SitExam(StepSignature):
    """Answer the question from the passages alone, with the shortest phrase, copied from them.

    Each thing that the question describes must be found in the passages before its fact counts. Where the passages do
    not say who or what is described, or do not state the fact, the answer is "not stated".
    """

    passages: list[str] = dspy.InputField(desc="each as 'title | text'")
    question: str = dspy.InputField()
    described: str = dspy.OutputField(desc="the name of what the question describes, or 'not stated'")
    answer: str = dspy.OutputField(desc="a few words, or 'not stated'")
