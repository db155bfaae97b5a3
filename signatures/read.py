"""Reading what was gathered: assertions, paragraphs, a summary, or notes."""

import dspy

from .step_signature import StepSignature


class ReadAnalyses(StepSignature):
    """Answer the question from assertions that others made about it.

    They may contradict each other: weigh them against one another and against what you know. Answer with the shortest
    phrase, copied from them where they have it.
    """

    analyses: list[str] = dspy.InputField(desc="assertions about the question, each from other sources")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class ReadEvidence(StepSignature):
    """Answer the question from pieces of evidence, each an assertion with the paragraphs that it rests on.

    The assertions may contradict each other: check them against the paragraphs, and against what you know. Answer with
    the shortest phrase, copied from the evidence where it has it.
    """

    evidence: list[str] = dspy.InputField(desc="assertions, each followed by the paragraphs it rests on")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class ReadSummary(StepSignature):
    """Answer the question with the shortest phrase, copied from the summary of what was found where it has it."""

    summary: str = dspy.InputField()
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class ReadNotes(StepSignature):
    """Answer the question from notes, each a simpler question with its answer, and from the passages behind them.

    Answer with the shortest phrase, copied from the notes or the passages where they have it.
    """

    notes: list[str] = dspy.InputField(desc="simpler questions, each with its answer")
    passages: list[str] = dspy.InputField(desc="the passages that were found, each as 'title | text'")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")


class ReadHistory(StepSignature):
    """Answer the question with the shortest phrase, from a history of thoughts, searches and what they found."""

    history: list[str] = dspy.InputField(desc="thoughts, actions and observations")
    question: str = dspy.InputField()
    answer: str = dspy.OutputField(desc="a few words")
