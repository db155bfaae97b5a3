"""A score from 0 to 10, however an LM writes it."""

import re

import dspy

_NUMBER = r"(?<![\w.-])(\d+(?:\.\d+)?)"
_FORMS = (
    re.compile(rf"{_NUMBER}\s*(?:/|out of)\s*10(?![\d.]*\d)", re.IGNORECASE),
    re.compile(rf"\bscore\b\W*(?:is|of)?\W*{_NUMBER}(?!\d|\.\d|\s*%)", re.IGNORECASE),
    re.compile(rf"{_NUMBER}(?!\d|\.\d|\s*%)"),
)


def read_score(verdict: dspy.Prediction) -> float:
    """The prediction's `score` as a number from 0 to 1.

    Raises:
        ValueError: There is no number from 0 to 10 in it.

    Examples:
        >>> import dspy
        >>> from multihop.programs.shared.score import read_score
        >>> [read_score(dspy.Prediction(score=text)) for text in ("8", "8/10", "**Score: 8.5**", "7 out of 10")]
        [0.8, 0.8, 0.85, 0.7]
    """
    text = str(verdict.score)
    for form in _FORMS:
        if numbers := form.findall(text):
            points = float(numbers[-1])
            if points <= 10:
                return points / 10
            break
    raise ValueError(f"no number from 0 to 10 in {text!r}")
