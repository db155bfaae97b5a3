"""Thinking: the next sentence of a line of thought, several to choose from, what it is worth, or the next action."""

import dspy

from .output_types import Action, Score, Texts
from .step_signature import StepSignature

THOUGHTS = "the thoughts so far, each followed by the passages found for it, if there are any"


class ThinkOneSentence(StepSignature):
    """Continue the line of thought towards the answer by exactly one sentence.

    State the next fact that follows from the passages, or, where they do not hold it, what you believe it to be, with
    full names: the sentence is also used to search for more. If the sentence arrives at the answer, say so in it.
    """

    passages: list[str] = dspy.InputField(desc="all passages retrieved so far, each as 'title | text'")
    thoughts: list[str] = dspy.InputField(desc="the sentences so far")
    question: str = dspy.InputField()
    thought: str = dspy.OutputField(desc="one sentence")
    enough: bool = dspy.OutputField(default=False, desc="whether this sentence gives the answer")


class ProposeThoughts(StepSignature):
    """Name different thoughts that could come next in a line of thought towards the answer of the question.

    Each is one sentence that states the next fact, from the passages or, where they do not hold it, from what you know,
    with full names. Once the answer follows from the thoughts so far, state it: "So the answer is ...". Prefer
    different approaches to different wordings, and repeat no thought.
    """

    history: list[str] = dspy.InputField(desc=THOUGHTS)
    number: int = dspy.InputField(desc="how many to name")
    question: str = dspy.InputField()
    thoughts: Texts = dspy.OutputField(desc="possible next thoughts, the most promising first")


class ValueThoughts(StepSignature):
    """Say how surely this line of thought leads to the right answer of the question, from 0 to 10.

    Give 10 only if it has arrived at an answer that follows from it, and 0 if it is wrong, or can no longer get there.
    """

    history: list[str] = dspy.InputField(desc=THOUGHTS)
    question: str = dspy.InputField()
    score: Score = dspy.OutputField(desc="a number from 0 to 10")


class ThinkAndAct(StepSignature):
    """Answer the question in turns of thinking and acting.

    Think about what was observed so far and what is missing. Then act: either search, with a query of a few words, or
    finish, with the answer in the shortest phrase. Do not repeat a search.
    """

    history: list[str] = dspy.InputField(desc="thoughts, actions and observations so far")
    question: str = dspy.InputField()
    thought: str = dspy.OutputField(default="", desc="one or two sentences")
    action: Action = dspy.OutputField(desc="search or finish")
    query: str = dspy.OutputField(default="", desc="with search: what to look for")
    answer: str = dspy.OutputField(default="", desc="with finish: the short answer alone")
