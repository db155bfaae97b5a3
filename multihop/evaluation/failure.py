"""The failure that a row records."""

from typing import TypedDict


class Failure(TypedDict):
    """The failure by which a question has no answer, or an answer no number."""

    type: str
    """The error's name, such as "TimeoutError"."""
    message: str
    """The error's message; the first 2,000 characters."""


def failure_of(error: Exception) -> Failure:
    """The error as a row has it.

    Examples:
        >>> from multihop.evaluation.failure import failure_of
        >>> failure_of(ValueError("no number"))
        {'type': 'ValueError', 'message': 'no number'}
    """
    return {"type": type(error).__name__, "message": str(error)[:2000]}
