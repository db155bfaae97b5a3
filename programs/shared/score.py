"""A score as a share, and a verdict as yes or no: the LM's own, or the expected one where it was weighed."""

import dspy

from ...signatures.output_types import HIGHEST


def read_score(verdict: dspy.Prediction) -> float:
    """The prediction's `score`, from 0 to 10, as a number from 0 to 1; the expected one where it was weighed.

    Examples:
        >>> import dspy
        >>> from multihop.programs.shared.score import read_score
        >>> read_score(dspy.Prediction(score=8)), read_score(dspy.Prediction(score=8, expected={"score": 6.5}))
        (0.8, 0.65)
    """
    expected = verdict.get("expected")
    return float(verdict.score if expected is None else expected["score"]) / HIGHEST


def is_so(verdict: dspy.Prediction, name: str, at: float) -> bool:
    """The prediction's verdict of that name; where it was weighed, true from a probability of `at` on.

    Examples:
        >>> import dspy
        >>> from multihop.programs.shared.score import is_so
        >>> verdict = dspy.Prediction(enough=False)
        >>> is_so(verdict, "enough", at=0.3), is_so(verdict.copy(expected={"enough": 0.4}), "enough", at=0.3)
        (False, True)
    """
    expected = verdict.get("expected")
    return bool(verdict[name] if expected is None else expected[name] >= at)
