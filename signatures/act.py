"""Acting in a tree search: several actions to try, one action, what an end is worth, and what it teaches."""

import dspy

from .output_types import Action, Score, Texts
from .step_signature import StepSignature

HISTORY = "actions so far, each with what it found, and the passages found"
LESSONS = "what went wrong in earlier attempts"


class ProposeActions(StepSignature):
    """Name different actions that could come next on the way to the answer of the question.

    An action is either a search, with a query of a few words, or, once the answer is known, to finish with it. Learn
    from what went wrong in earlier attempts, and do not repeat a search from the history.
    """

    history: list[str] = dspy.InputField(desc=HISTORY)
    reflections: list[str] = dspy.InputField(desc=LESSONS)
    number: int = dspy.InputField(desc="how many to name")
    question: str = dspy.InputField()
    actions: Texts = dspy.OutputField(desc="each 'search: QUERY' or 'finish: ANSWER'")


class ThinkAndActAgain(StepSignature):
    """Think about what was found so far and what is missing, then act: search on, or finish with the answer.

    Learn from what went wrong in earlier attempts, and do not repeat a search from the history.
    """

    history: list[str] = dspy.InputField(desc=HISTORY)
    reflections: list[str] = dspy.InputField(desc=LESSONS)
    question: str = dspy.InputField()
    thought: str = dspy.OutputField(default="", desc="one or two sentences")
    action: Action = dspy.OutputField(desc="search or finish")
    query: str = dspy.OutputField(default="", desc="with search: what to look for, in a few words")
    answer: str = dspy.OutputField(default="", desc="with finish: the short answer alone")


class EvaluateActions(StepSignature):
    """Say how likely it is that these actions lead, or have led, to the right answer of the question, from 0 to 10.

    Give 10 only if they end with an answer that the passages found prove, and 0 if they are of no use.
    """

    history: list[str] = dspy.InputField(desc=HISTORY)
    question: str = dspy.InputField()
    score: Score = dspy.OutputField(desc="a number from 0 to 10")


class EvaluateActionsAgain(StepSignature):
    """Say how likely it is that these actions lead, or have led, to the right answer of the question, from 0 to 10.

    Give 10 only if they end with an answer that the passages found prove, and 0 if they are of no use. Learn from
    earlier attempts that failed: what went wrong there is no better here.
    """

    history: list[str] = dspy.InputField(desc=HISTORY)
    reflections: list[str] = dspy.InputField(desc=LESSONS)
    question: str = dspy.InputField()
    score: Score = dspy.OutputField(desc="a number from 0 to 10")


class ReflectOnActions(StepSignature):
    """These actions did not lead to a proven answer. Say in a sentence or two why, and what to do otherwise."""

    history: list[str] = dspy.InputField(desc=HISTORY)
    question: str = dspy.InputField()
    reflection: str = dspy.OutputField()
