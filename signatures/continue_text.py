"""Agents that write one text and search in the middle of it: its continuation, and the reading of what was found."""

from typing import ClassVar

import dspy

from .step_signature import StepSignature


class ContinueText(StepSignature):
    """Write on. A model on a server of your own sees the question once, and goes on with its own text after it."""

    ends: ClassVar[tuple[str, ...]] = ()
    """The marks at which it is to stop."""

    question: str = dspy.InputField()
    transcript: str = dspy.InputField(desc="what you have written so far, with what was found; empty at first")
    continuation: str = dspy.OutputField(desc="what comes next in it, up to the end of the next search or the answer")


class ContinueWithTags(ContinueText):
    """Answer the question. Each time you learn something, think about it first, inside <think> and </think>.

    If you then lack a fact, search for it: write <search> query </search>, and what was found best follows between
    <information> and </information>. Search as many times as you need to. As soon as nothing is missing, give the
    short answer alone inside <answer> and </answer>, for example <answer> Beijing </answer>.
    """

    ends = ("</search>", "</answer>")


class ReasonWithSearches(ContinueText):
    r"""Answer the question by reasoning step by step.

    Search whenever a fact is missing or uncertain: write <|begin_search_query|> query <|end_search_query|> with a few
    words, and stop there, for example <|begin_search_query|>author of Emma<|end_search_query|>. What the passages say
    on it follows between <|begin_search_result|> and <|end_search_result|>; never write those two yourself. Then reason
    on, and search again as often as is needed. When nothing is missing, give the answer in the shortest phrase as
    \boxed{answer}.
    """

    ends = ("<|end_search_query|>",)


class ReasonInDocuments(StepSignature):
    """Take from the passages what answers the query and helps the reasoning so far to go on.

    Write it in a few sentences that can follow the reasoning, with full names, and add nothing that the passages do
    not say. If they hold nothing that helps, write "No helpful information was found."
    """

    passages: list[str] = dspy.InputField(desc="passages that the query found, best first, each as 'title | text'")
    transcript: str = dspy.InputField(desc="the reasoning so far, which ends with the query")
    query: str = dspy.InputField()
    question: str = dspy.InputField()
    analysis: str = dspy.OutputField(desc="a few sentences")
