"""A score as a share."""

import dspy

from ...signatures.output_types import HIGHEST


def read_score(verdict: dspy.Prediction) -> float:
    """The prediction's `score`, from 0 to 10, as a number from 0 to 1."""
    return float(verdict.score) / HIGHEST
