"""Reviewing the paragraphs of one path, and filling in what they lack."""

import dspy

from .step_signature import StepSignature


class JudgePath(StepSignature):
    """Judge the paragraphs, all of them together, as a way to the answer of a question that takes several steps.

    They are relevant if anything in them brings the answer closer. They are enough only if every single fact that the
    answer rests on is in them; check each step before you say so. If they are enough, say in a sentence or two what
    they prove and what the answer is.
    """

    question: str = dspy.InputField()
    path: list[str] = dspy.InputField(desc="paragraphs in the order in which they were found, each as 'title | text'")
    relevant: bool = dspy.OutputField(desc="whether they hold any part of what the answer needs")
    enough: bool = dspy.OutputField(desc="whether they hold everything the answer needs")
    analysis: str = dspy.OutputField(default="", desc="if enough: what they prove, and the answer; otherwise empty")


class ReviewPath(JudgePath):
    """Judge the paragraphs, all of them together, as a way to the answer of a question that takes several steps.

    They are relevant if anything in them brings the answer closer. They are enough only if every single fact that the
    answer rests on is in them; check each step before you say so. If they are enough, say in a sentence or two what
    they prove and what the answer is; if not, write the search query that would find the next missing fact.
    """

    query: str = dspy.OutputField(default="", desc="if not enough: a search query for what is missing; otherwise empty")


class JudgePathAloud(JudgePath):
    """Think about the paragraphs, all of them together, as a way to the answer of a question that takes several steps.

    First say what each paragraph contributes, and list which facts the answer still needs. Then decide. They are
    relevant if anything in them brings the answer closer, and enough only if no needed fact is missing. If they are
    enough, say in a sentence or two what they prove and what the answer is.
    """


class ReviewPathAloud(ReviewPath):
    """Think about the paragraphs, all of them together, as a way to the answer of a question that takes several steps.

    First say what each paragraph contributes, and list which facts the answer still needs. Then decide. They are
    relevant if anything in them brings the answer closer, and enough only if no needed fact is missing. If they are
    enough, say in a sentence or two what they prove and what the answer is; if not, write the search query for the
    missing fact.
    """


class CompletePath(StepSignature):
    """Write the paragraph that is missing.

    The paragraphs given do not suffice to answer the question. Work out which fact is missing, and write from your own
    knowledge a short encyclopedic paragraph that states it, with full names. A likely guess is better than none: the
    text is used to search for the real paragraph.
    """

    question: str = dspy.InputField()
    path: list[str] = dspy.InputField(desc="paragraphs in the order in which they were found, each as 'title | text'")
    information: str = dspy.OutputField(desc="the missing paragraph, two or three sentences")


class CompletePathAloud(CompletePath):
    """Answer the question by adding what the paragraphs lack.

    The paragraphs given do not suffice. First say which facts are missing. Then write from your own knowledge a short
    encyclopedic paragraph that states them, with full names, so that the question can be answered with it. A likely
    guess is better than none: the text is used to search for the real paragraph. Last, say what answer the paragraphs
    and yours come to together.
    """

    likely_answer: str = dspy.OutputField(
        default="", desc="the answer that follows from all of them, in a few words; empty if something is still missing"
    )
