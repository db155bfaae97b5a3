"""The failure that a row records."""

from typing import TypedDict

from ...base.secrets import hide_secrets

LONGEST = 300
"""Characters of a message that are told in one line."""


class Failure(TypedDict):
    """The failure by which a question has no answer, or an answer no number."""

    type: str
    """The error's name, such as "TimeoutError"."""
    message: str
    """The error's message; the first 2,000 characters."""


def failure_of(error: Exception) -> Failure:
    """The error as a row has it.

    Examples:
        >>> from multihop.evaluation.journal.failure import failure_of
        >>> failure_of(ValueError("no number"))
        {'type': 'ValueError', 'message': 'no number'}
    """
    return {"type": type(error).__name__, "message": hide_secrets(str(error))[:2000]}


def cause_of(failure: Failure) -> str:
    r"""The failure in one line.

    Examples:
        >>> from multihop.evaluation.journal.failure import cause_of
        >>> cause_of({"type": "LMError", "message": "The key is refused.\nSee the log."})
        'LMError: The key is refused.'
    """
    lines = failure["message"].strip().splitlines()
    if not lines:
        return failure["type"]
    line = lines[0].strip()
    line = line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
    return line if failure["type"] == "Unmeasured" else f"{failure['type']}: {line}"  # its message says it all
