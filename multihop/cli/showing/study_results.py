"""The variants of a compiled program in a terminal."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from ...base.texts import say_count
from ...evaluation.report import show_n
from .output import print_line
from .results import N_NOTE, short_usd, show_interval
from .tables import print_table

if TYPE_CHECKING:
    from ...optimize import Study
    from ...optimize.outcomes import Gain


def show_study(study: "Study", questions: int, console: Console) -> None:
    """A table with a row for each variant, and where the best is."""
    priced = any(outcome.usd != 0 for outcome in study.outcomes)
    dollars = ["usd"] if priced else []
    rows = []
    for outcome in study.outcomes:
        best, n = outcome.variant == study.best, show_n(outcome.n, questions)
        rows.append(
            [
                f"[bold green]{escape(outcome.variant)}[/]" if best else escape(outcome.variant),
                *(f"{show_interval(name, each)}[dim]{n}[/]" for name, each in (("f1", outcome.f1), ("em", outcome.em))),
                f"{outcome.calls:.2f}",
                f"{outcome.tokens:,.0f}",
                *([short_usd(outcome.usd)] if priced else []),
                f"{outcome.compile_calls:,}",
            ]
        )
    print_table(["variant", "f1", "em", "calls", "tokens", *dollars, "to compile"], rows, console)
    n_note = f"; {N_NOTE}" if any(outcome.n < questions for outcome in study.outcomes) else ""
    console.print(
        f"{say_count(questions, 'dev question')}; ± is half the 95 % interval; calls and tokens a question; "
        f"the best has the highest F1, then the fewest calls{n_note}",
        style="dim",
        highlight=False,
    )
    if study.stopped:
        console.print(
            f"stopped at {say_count(study.calls_in_all, 'LM call')} in all; not finished: {', '.join(study.skipped)}",
            style="yellow",
        )
    print_line(f"{study.best} is saved in {study.artefact}", console)
    if study.gain is not None:
        console.print(_gain(study.gain), style="dim", highlight=False, markup=False)
    if voters := next((outcome.voters for outcome in study.outcomes if outcome.voters), ()):
        print_line(
            f"the ensemble is a vote of {len(voters)} programs, which no one file holds: load them from "
            f"{study.artefact}.work/variants and give them to dspy.Ensemble(reduce_fn=dspy.majority)",
            console,
        )


def _gain(gain: "Gain") -> str:
    mean, low, high = (100 * each for each in gain.f1[:3])
    unseen = "" if gain.is_seen else f"; {say_count(gain.f1.n, 'question')} cannot tell the two apart"
    return f"against zero-shot: F1 {mean:+.1f} [{low:+.1f}, {high:+.1f}], {gain.tokens:.1f} x the tokens{unseen}"
