"""Searching over sub-questions: proposing, planning, answering, evaluating and reading a history of them.

The inputs stand in the order in which they change, the question before the history that grows, so that a server that
caches the beginnings of prompts computes little anew. A sub-question's passages come first: they are the same wherever
in the tree it is asked.
"""

import dspy

from .output_types import Score, Texts
from .step_signature import StepSignature

HISTORY = "sub-questions so far, each with its result"


class ProposeSubQuestions(StepSignature):
    """Break down what the question still needs, and name different sub-questions that could be asked next.

    Build each from the key words of the question and of the results so far: one simple question with full names, and
    by itself a good search query. Prefer different approaches to different wordings, and never repeat one from the
    history.
    """

    question: str = dspy.InputField()
    number: int = dspy.InputField(desc="how many to name")
    history: list[str] = dspy.InputField(desc=HISTORY)
    sub_questions: Texts = dspy.OutputField(desc="possible next sub-questions, the most promising first")


class NextSubQuestion(StepSignature):
    """Ask the one sub-question that comes next on the way to the answer.

    Build it from the key words of the question and of the results so far, with full names, and never repeat one from
    the history.
    """

    question: str = dspy.InputField()
    history: list[str] = dspy.InputField(desc=HISTORY)
    sub_question: str = dspy.OutputField(desc="one simple question")


class AnswerStep(StepSignature):
    """Answer the sub-question from the passages, in the light of the history and of the question it serves.

    First quote the sentence of the passages that answers it, or say that there is none. Then give the result.
    """

    passages: list[str] = dspy.InputField(desc="passages retrieved for the sub-question, each as 'title | text'")
    history: list[str] = dspy.InputField(desc=HISTORY)
    question: str = dspy.InputField()
    sub_question: str = dspy.InputField()
    sentence: str = dspy.OutputField(desc="the sentence that answers it, or: no information")
    result: str = dspy.OutputField(desc="the answer to the sub-question, in a short sentence, or: not found")


class AnswerStepFromMemory(StepSignature):
    """Answer the sub-question from what you know, in the light of the history and of the question it serves."""

    question: str = dspy.InputField()
    history: list[str] = dspy.InputField(desc=HISTORY)
    sub_question: str = dspy.InputField()
    result: str = dspy.OutputField(desc="the answer to the sub-question, in a short sentence")


class EvaluateHistory(StepSignature):
    """Say how far the history helps to answer the question, from 0 to 10.

    Give 10 only if the question can be answered from the history as it is, and 0 if nothing in it helps.
    """

    question: str = dspy.InputField()
    history: list[str] = dspy.InputField(desc=HISTORY)
    score: Score = dspy.OutputField(desc="a number from 0 to 10")


class AskOwnQuestions(ProposeSubQuestions):
    """Break down what the question still needs, and name different sub-questions that could be asked next.

    You will answer them yourself, from what you know: each asks for one thing, with full names, and builds on the
    results so far. Prefer different approaches to different wordings, and never repeat one from the history. Once the
    results suffice, ask the question itself, word for word.
    """


class AskOwnQuestion(NextSubQuestion):
    """Ask the one sub-question that comes next on the way to the answer.

    You will answer it yourself, from what you know: it asks for one thing, with full names, and builds on the results
    so far. Never repeat one from the history. Once the results suffice, ask the question itself, word for word.
    """


class AnswerOwnQuestion(AnswerStepFromMemory):
    """Answer the sub-question from what you know, in the light of the history and of the question it serves."""

    result: str = dspy.OutputField(desc="one sentence that ends: The answer is ...")


class RateStep(StepSignature):
    """Say how useful the last sub-question of the history is for answering the question, from 0 to 10."""

    question: str = dspy.InputField()
    history: list[str] = dspy.InputField(desc=HISTORY)
    score: Score = dspy.OutputField(desc="a number from 0 to 10")


class ReadPath(StepSignature):
    """Answer the question from the passages and from the history of sub-questions that led to them.

    Answer with the shortest phrase, copied from them where they have it, and without an explanation.
    """

    passages: list[str] = dspy.InputField(desc="the passages behind the history, each as 'title | text'")
    history: list[str] = dspy.InputField(desc=HISTORY)
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class ReadSteps(StepSignature):
    """Answer the question with the shortest phrase, from the history of sub-questions, and without an explanation."""

    history: list[str] = dspy.InputField(desc=HISTORY)
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")
