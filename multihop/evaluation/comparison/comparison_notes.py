"""Sentences that a reader needs beside a comparison: what metrics failed on, and what the budget cut short."""

from ..report.run_notes import budget_note, gap_notes
from .comparison import Comparison


def comparison_notes(name: str, comparison: Comparison, which: int) -> list[str]:
    """The warnings about one of the two runs that belong before any mean, each with the run's name before it."""
    gaps = gap_notes(comparison.unmeasured[which], comparison.n, "the run's command")
    notes = [*gaps, budget_note(comparison.over_budget[which], comparison.n)]
    return [f"{name}: {note}" for note in notes if note]
