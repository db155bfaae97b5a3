"""Sentences that a reader needs beside a run's means: what they leave out, what was cut short, and how long it took."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ...base.progress_line import clock, per_minute
from ...base.texts import say_count
from .summary import Summary, Timing

Counted = Mapping[str, Any]
"""The summary of a run, or of several, as far as its `n`, `n_error`, `metrics` and `unmeasured`."""
ANSWER_METRICS = ("em", "f1", "acc", "judged")
"""The metrics that need an accepted answer and nothing else."""


def gap_notes(
    unmeasured: Mapping[str, int],
    answers: int,
    command: str = "the same command",
    *,
    causes: Mapping[str, str] = MappingProxyType({}),
) -> list[str]:
    """The metrics that failed, with the number of answers, a sentence each.

    Args:
        unmeasured: The answers on which a metric failed, by its name.
        answers: The number of answers.
        command: The command that measures them again.
        causes: The most frequent cause, by the metric's name, as far as it is told.
    """
    notes = []
    for name, count in unmeasured.items():
        who, missing, again = ("metric", "number", "measures") if name != "judged" else ("judge", "verdict", "asks for")
        one = count == 1
        if count == answers:
            found = f"the {who} failed on {'the one answer' if one else f'all {answers:,} answers'}"
        else:
            found = (
                f"{count:,} of {say_count(answers, 'answer')} {'has' if one else 'have'} no {missing}; the interval "
            )
            found += f"counts {'that one' if one else 'them'} against it"
        why = f" ({causes[name].rstrip('.')})" if name in causes else ""
        notes.append(f"{name}: {found}{why}; {command} {again} {'that one' if one else 'those'} alone")
    return notes


def budget_note(cut_short: int, asked: int) -> str:
    """The number of questions that ran out of their budget, in a sentence; empty where none did."""
    was = "was" if cut_short == 1 else "were"
    return f"{cut_short:,} of {say_count(asked, 'question')} {was} cut short by the budget" if cut_short else ""


def run_warnings(summary: Summary, command: str = "the same command") -> list[str]:
    """The warnings that belong before any mean: what metrics failed on, and what the budget cut short."""
    gaps = gap_notes(
        summary.get("unmeasured", {}), summary["n"] - summary["n_error"], command, causes=summary.get("causes", {})
    )
    return [note for note in (*gaps, budget_note(summary["n_over_budget"], summary["n"])) if note]


def missing_notes(summary: Counted, asked_for: Iterable[str]) -> list[str]:
    """The reasons why metrics that were asked for have no mean, a sentence each; not for a recall, which says so
    itself, and not for what failed (see `gap_notes`).
    """
    notes = []
    for name in dict.fromkeys(asked_for):
        if name in summary["metrics"] or name in summary.get("unmeasured", {}):
            continue
        if summary["n_error"] == summary["n"]:
            notes.append(f"{name}: no question was answered")
        elif name in ANSWER_METRICS:
            notes.append(f"{name}: no question has an accepted answer, or none was read")
        elif "recall@" not in name:
            notes.append(f"{name}: it applies to no question")
    return notes


def time_note(timing: Timing) -> str:
    """The time of a question, and that of the run with its questions a minute; empty where unknown."""
    each = f"a question takes {timing['seconds']['mean']:.2f} s beside others" if timing["seconds"] else ""
    return "; ".join(part for part in (each, run_time_note(timing)) if part)


def run_time_note(timing: Timing) -> str:
    """The time of the run, and its questions a minute; empty where nobody knows."""
    rate = timing["per_minute"]
    if rate is None:
        return ""
    return f"run time {show_time(timing['run_seconds'])}, {per_minute(rate / 60)} questions a minute"


def show_time(seconds: float) -> str:
    """A time of any length."""
    return f"{seconds:.1f} s" if seconds < 59.95 else clock(seconds)
