"""Refuses what is no question, before anything is asked."""

from ...base import InputError

LONGEST_QUESTION = 10_000
"""Characters; more than that is a document, not a question."""


def check_question(question: str) -> None:
    """Refuse what is not a question, in one sentence.

    Raises:
        InputError: It is empty, far too long, or holds characters that no LM can be sent.
    """
    if not isinstance(question, str):
        raise InputError(f"a question is a string, not {type(question).__name__}.")
    if not question.strip():
        raise InputError("the question is empty.")
    if len(question) > LONGEST_QUESTION:
        raise InputError(f"the question has {len(question):,} characters; the most is {LONGEST_QUESTION:,}.")
    if "\0" in question:
        raise InputError("the question holds a NUL character.")
    if any("\ud800" <= character <= "\udfff" for character in question):
        raise InputError("the question holds broken UTF-8 (a lone surrogate).")
