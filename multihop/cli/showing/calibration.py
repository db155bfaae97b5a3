"""The worth of a calibrated confidence in a terminal, and the answers that are given at some thresholds."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from ...base.plurals import say_count
from .output import print_line
from .tables import UNKNOWN, print_table

if TYPE_CHECKING:
    from ...evaluation.report.confidence import ConfidenceFigures
    from ...optimize import FittedConfidence
    from ...optimize.calibrating import Abstaining

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
HEADS = {
    "ece": "ece", "brier": "brier", "auroc": "auroc", "f1": "f1", "f1_at_80": "f1 at 80 %", "f1_at_50": "f1 at 50 %"
}  # fmt: skip


def show_calibration(fitted: "FittedConfidence", below: float, artefact: Path, console: Console) -> None:
    """Two tables: the worth before and after, and what would be answered; then where the program is.

    Args:
        fitted: The fitted confidence.
        below: The program's threshold; 0 where it answers always.
        artefact: The program's file.
        console: Where it is printed.
    """
    rows = [["uncalibrated", *_figures(fitted.before)], ["calibrated", *_figures(fitted.after)]]
    print_table(["confidence", *HEADS.values()], rows, console)
    found = [fitted.abstaining(each) for each in sorted({*THRESHOLDS, *([below] if below else [])})]
    print_table(
        ["abstain below", "answered", "right of these"],
        [
            [f"[bold green]{each.below:.2f}[/]" if each.below == below else f"{each.below:.2f}", *_shares(each)]
            for each in found
        ],
        console,
    )
    console.print(
        f"{say_count(fitted.calibration.questions, 'answer')} of {fitted.calibration.lm or 'an unknown LM'}, "
        f"{sum(fitted.right):,} right (an F1 of one half or more); calibrated: on answers that it was not fitted on",
        style="dim",
        highlight=False,
        markup=False,
    )
    withholds = f"withholds answers below {below:.2f}" if below else "withholds no answer (abstain_below is 0)"
    print_line(f"{artefact} {withholds}", console)


def calibration_facts(fitted: "FittedConfidence", below: float) -> dict[str, Any]:
    """The same as plain values."""
    return {
        **fitted.about(),
        "abstain_below": below,
        "thresholds": [fitted.abstaining(each)._asdict() for each in sorted({*THRESHOLDS, below})],
    }


def _figures(figures: "ConfidenceFigures") -> list[str]:
    values = [figures[name] for name in HEADS]  # type: ignore[literal-required]
    shown = [UNKNOWN if value is None else f"{value:.3f}" for value in values[:3]]
    return shown + [f"{100 * value:.1f}" for value in values[3:]]


def _shares(found: "Abstaining") -> list[str]:
    shares = [f"{each:.0%}".replace("%", " %") for each in (found.answered, found.right)]
    return shares if found.answered else [shares[0], UNKNOWN]
