"""The answers that say that there is none."""

from .normal_form import normal_form

REFUSALS = frozenset({
    "", "unanswerable", "not answerable", "cannot answer", "cannot be answered", "can not be answered",
    "question cannot be answered", "unknown", "not known", "no answer", "noanswer", "none", "na", "i do not know",
    "i dont know", "dont know", "do not know", "not enough information", "insufficient information", "not mentioned",
    "not given", "no information",
})  # fmt: skip
"""Their normal forms."""


def refuses(answer: str) -> bool:
    """True if the whole answer, in its normal form, is empty or one of `REFUSALS`."""
    return normal_form(answer) in REFUSALS


def refusal_score(gold: object, answer: str) -> float | None:
    """1.0 or 0.0 where the question cannot be answered, for a refusal is then the right answer; else None."""
    return None if getattr(gold, "answerable", True) else float(refuses(answer))
