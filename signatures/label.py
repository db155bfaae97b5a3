"""Labelling training data: a question taken apart, the words that answer it, and the words of the next query."""

import dspy

from .output_types import ManyTexts, Texts
from .step_signature import StepSignature


class DecomposeQuestion(StepSignature):
    """Take a question that needs several steps apart into single ones, one for each paragraph, in the order of the way.

    Each must be answered by its paragraph alone. Where it needs an earlier answer, write that answer's number, such as
    #1, instead of it; never put into a question what only a paragraph tells.
    """

    paragraphs: list[str] = dspy.InputField(desc="the paragraphs that together answer the question, as 'title | text'")
    question: str = dspy.InputField()
    answer: str = dspy.InputField(desc="the answer to the whole question")
    sub_questions: Texts = dspy.OutputField(desc="for each paragraph, in their order, the question it answers")
    sub_answers: Texts = dspy.OutputField(desc="the answers, in words of the paragraphs")


class MarkWords(StepSignature):
    """Copy from the paragraph the words that take up the sub-question or its answer, in their order, and no others.

    These are the entities of both, such as people, places, works and dates, and the words for the relation between
    them: whoever sees only what is copied must be able to answer. Leave out what the paragraph says beside that.
    """

    paragraph: str = dspy.InputField(desc="'title | text'")
    sub_question: str = dspy.InputField()
    sub_answer: str = dspy.InputField()
    marked: ManyTexts = dspy.OutputField(desc="words or short phrases, exactly as they are in the paragraph")


class PickNextQuery(StepSignature):
    """Make the next search query by picking words, first of the question and then of what is known.

    Leave out what is settled, and keep what is still asked and what is new. Add no word, change none, and keep their
    order.
    """

    question: str = dspy.InputField()
    known: str = dspy.InputField(desc="the words marked so far")
    query: str = dspy.OutputField(desc="the picked words, separated by spaces")
