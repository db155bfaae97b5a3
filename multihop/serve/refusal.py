"""The refusal of a request, and the refusal that a failed question is answered with."""

from dspy.utils.exceptions import DSPyError, LMRateLimitError, LMTimeoutError, LMTransportError

from ..base import InputError, RunFailed
from ..base.errors import hide_secrets, without_remedies

_MAY_PASS = (LMTransportError, LMTimeoutError, LMRateLimitError)
"""Failures of the LM that may be over when the same is asked again."""
_LONGEST = 300


class Refusal(Exception):
    """Ends a request with a status and one sentence that gives the reason."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        """Headers are written with "_" for "-"."""
        sentence = hide_secrets(sentence)
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def as_refusal(error: Exception) -> Refusal:
    """The refusal that a failure is answered with; what nobody foresaw is a 500 that says no more than that."""
    sentence = " ".join(hide_secrets(without_remedies(error)).split())[:_LONGEST]
    if isinstance(error, Refusal):
        return error
    if isinstance(error, InputError):
        return Refusal(422, sentence)
    if isinstance(error, DSPyError):
        return Refusal(503 if isinstance(error, _MAY_PASS) else 502, f"the LM failed: {sentence}")
    if isinstance(error, RunFailed):
        return Refusal(502, sentence)
    return Refusal(500, "the program failed; the server's log says where.")


def place_of(error: BaseException) -> str:
    """The place at which an error was raised, without any text that it was about."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
    return f"{type(error).__name__}{where}"
