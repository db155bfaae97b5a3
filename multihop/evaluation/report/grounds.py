"""The summary of what answers stand on: their confidence, and the questions that were refused."""

from collections.abc import Sequence
from typing import TypedDict

from ..journal.header import Header
from .columns import ABSTAINED, ANSWERABLE, CALIBRATED, CONFIDENCE, GUESS_F1, WITHHELD, Columns
from .confidence import RIGHT, ConfidenceFigures, confidence_figures, share_below
from .repeated_values import Numbered, mean_of_repeats

REFUSED = -1.0
"""The place of what a program refuses itself, below all confidences."""
FEWEST = 30
"""Answers of which the worth of a confidence is told in words, at least."""


class RunConfidence(ConfidenceFigures):
    """The worth of the confidence of a run's answers; one is right from an F1 of 0.5."""

    calibrated: bool
    """True if the confidence was fitted on dev questions (`multihop calibrate`); otherwise it ranks answers and is no
    probability."""


class RefusedShare(TypedDict):
    """The share of some questions that was refused."""

    mean: float
    """The share."""
    low: float
    """2.5 % of the resamples have a lower share."""
    high: float
    """2.5 % of the resamples have a higher share."""
    n: int
    """The questions that went in, each as often as it was asked."""


class Refusals(TypedDict):
    """The questions that were refused: the program said that there is no answer, or withheld its own."""

    unanswerable: RefusedShare | None
    """Of the questions that cannot be answered, where a refusal is right; None where there are none."""
    answerable: RefusedShare | None
    """Of those that can be answered, where it is wrong; None where there are none."""
    at_5: float | None
    """The share of the questions that cannot be answered that would be refused with the `abstain_below` at which 5 %
    of the others are; None where there are none of either kind, or answers have no confidence."""


def rules_of(header: Header) -> str:
    """The set by whose rules the run's answers were scored."""
    measured = header.get("identity", {}).get("metrics", {}).get("f1")
    return str(measured.get("rules", "hotpotqa")) if isinstance(measured, dict) else "hotpotqa"


def run_confidence(*runs: Columns, which: Sequence[int] | None = None) -> RunConfidence | None:
    """The worth of the confidence of all answers; None where none has one.

    Args:
        runs: A run, or its repeats.
        which: The places of the questions that count; all by default.
    """
    import numpy as np

    runs, chosen = tuple(run for run in runs if CONFIDENCE in run), slice(None) if which is None else which
    if not runs:
        return None
    columns = (CONFIDENCE, CALIBRATED, GUESS_F1)
    told, calibrated, f1 = (np.concatenate([run[key][chosen] for run in runs]) for key in columns)
    there = ~np.isnan(told)
    if not there.any():
        return None
    told, calibrated, f1 = told[there], calibrated[there], f1[there]
    return {**confidence_figures(told, f1 >= RIGHT, f1), "calibrated": bool(calibrated.all())}


def refusals(runs: Sequence[Columns]) -> Refusals | None:
    """The questions that were refused, over one run or its repeats.

    None where all questions can be answered and none was refused.
    """
    runs = [run for run in runs if ABSTAINED in run]
    found: Refusals = {
        "unanswerable": _refused(runs, 0.0),
        "answerable": _refused(runs, 1.0),
        "at_5": _refused_at(runs, 0.05),
    }
    if found["unanswerable"] is None and (found["answerable"] is None or not found["answerable"]["mean"]):
        return None
    return found


def _refused(runs: Sequence[Columns], answerable: float) -> RefusedShare | None:
    import numpy as np

    shares = [Numbered(run.ids, np.where(run[ANSWERABLE] == answerable, run[ABSTAINED], np.nan)) for run in runs]
    mean = mean_of_repeats(shares) if shares else None
    if mean is None:
        return None
    low, middle, high = (round(value, 6) for value in (mean.low, mean.mean, mean.high))
    return {"mean": middle, "low": low, "high": high, "n": mean.answers}


def _refused_at(runs: Sequence[Columns], share: float) -> float | None:
    """The share of questions without answer that is refused with what refuses this share of the others."""
    import numpy as np

    runs = [run for run in runs if CONFIDENCE in run]
    if not runs:
        return None
    columns = (CONFIDENCE, ABSTAINED, WITHHELD, ANSWERABLE)
    told, abstained, withheld, answerable = (np.concatenate([run[key] for run in runs]) for key in columns)
    told = np.where((abstained == 1) & (withheld == 0), REFUSED, told)  # what the program refuses itself comes first
    without, others = (told[(answerable == which) & ~np.isnan(told)] for which in (0.0, 1.0))
    return round(share_below(without, others, share), 6) if len(without) and len(others) else None


def confidence_line(found: RunConfidence | None) -> str:
    """The worth of a confidence in a line; empty where there is none, or of fewer answers than tell anything.

    Examples:
        >>> from multihop.evaluation.report.confidence import confidence_figures
        >>> from multihop.evaluation.report.grounds import confidence_line
        >>> right = [True, True, False, False] * 10
        >>> figures = confidence_figures([0.9, 0.8, 0.6, 0.3] * 10, right, [1.0, 0.8, 0.4, 0.0] * 10)
        >>> confidence_line({**figures, "calibrated": False})
        'confidence (not calibrated): ECE 0.300, AUROC 1.000, F1 at 80 % 68.8, at 50 % 90.0, of all 55.0'
    """
    if found is None or found["n"] < FEWEST:
        return ""
    auroc = "–" if found["auroc"] is None else f"{found['auroc']:.3f}"
    f1 = [f"{100 * share:.1f}" for share in (found["f1_at_80"], found["f1_at_50"], found["f1"])]
    return (
        f"confidence{'' if found['calibrated'] else ' (not calibrated)'}: ECE {found['ece']:.3f}, AUROC {auroc}, "
        f"F1 at 80 % {f1[0]}, at 50 % {f1[1]}, of all {f1[2]}"
    )


def refusals_line(found: Refusals | None) -> str:
    """The questions that were refused, in a line; empty where there is nothing to say.

    Examples:
        >>> from multihop.evaluation.report.grounds import refusals_line
        >>> share = {"mean": 0.05, "low": 0.02, "high": 0.08, "n": 800}
        >>> refusals_line({"unanswerable": None, "answerable": share, "at_5": None})
        'refused: 5.0 % (2.0 – 8.0) of the 800 questions that can be answered'
    """
    if found is None:
        return ""
    kinds = {"answerable": "can be answered", "unanswerable": "cannot be answered"}
    parts = [
        f"{100 * share['mean']:.1f} % ({100 * share['low']:.1f} – {100 * share['high']:.1f}) of the "
        f"{share['n']:,} questions that {kind}"
        for share, kind in ((found["answerable"], kinds["answerable"]), (found["unanswerable"], kinds["unanswerable"]))
        if share is not None
    ]
    at_5 = (
        ""
        if found["at_5"] is None
        else f"; by confidence {100 * found['at_5']:.1f} % of the latter at 5 % of the former"
    )
    return f"refused: {', '.join(parts)}{at_5}"
