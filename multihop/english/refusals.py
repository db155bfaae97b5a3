"""The answers that say that there is none."""

from .normal_form import normal_form

NO_ANSWER = "I do not know"
"""The answer that says so."""
REFUSALS = frozenset({
    "", "unanswerable", "not answerable", "cannot answer", "cannot be answered", "can not be answered",
    "question cannot be answered", "unknown", "not known", "no answer", "noanswer", "none", "na", "i do not know",
    "i dont know", "dont know", "do not know", "not enough information", "insufficient information", "not mentioned",
    "not given", "no information",
})  # fmt: skip
"""Their normal forms."""


def refuses(answer: str) -> bool:
    """True if the whole answer, in its normal form, is empty or one of `REFUSALS`.

    Examples:
        >>> from multihop.english.refusals import refuses
        >>> refuses("I don't know."), refuses("None of the Beatles")
        (True, False)
    """
    return normal_form(answer) in REFUSALS
