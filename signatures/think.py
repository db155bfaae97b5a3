"""Thinking between retrievals: the next sentence of a line of thought, or the next action."""

import dspy

from .step_signature import StepSignature


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


class ThinkAndAct(StepSignature):
    """Answer the question in turns of thinking and acting.

    Think about what was observed so far and what is missing. Then act: either search, with a query of a few words, or
    finish, with the answer in the shortest phrase. Do not repeat a search.
    """

    history: list[str] = dspy.InputField(desc="thoughts, actions and observations so far")
    question: str = dspy.InputField()
    thought: str = dspy.OutputField(default="", desc="one or two sentences")
    action: str = dspy.OutputField(desc="search or finish")
    query: str = dspy.OutputField(default="", desc="with search: what to look for")
    answer: str = dspy.OutputField(default="", desc="with finish: the short answer alone")
