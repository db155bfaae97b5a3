"""Questions asked several times, each time with new draws: one run after the other, and their common summary."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

import dspy

from ..base import InputError, MismatchError, write_record, writing
from ..base.imports import ShownInNotebooks
from ..base.texts import in_line, say_count
from ..runtime import RunBudget, show_usd, token_count
from .header import Header
from .intervals import kind_of
from .journal import HEADER, read_header, read_rows
from .progress import Progress
from .report import (
    as_sentence,
    as_table,
    asked_line,
    budget_note,
    gap_notes,
    interval,
    join_paragraphs,
    lm_names,
    missing_notes,
    program_name,
    show_number,
    taught_in,
    time_note,
)
from .runner import Evaluation, QuestionLike, evaluate
from .statistics import RunArrays, arrays_of, as_record, mean_of_repeats
from .summary import Interval, Summary, Timing, total, total_unmeasured


class RepeatedMetric(Interval):
    """One metric over several runs; the interval is over the questions, each with its answers from all runs."""

    lowest: float
    """The lowest mean of one run."""
    highest: float
    """The highest mean of one run."""
    n: int
    """The questions that went in."""
    answers: int
    """The answers that went in, of all runs."""


class RepeatsSummary(TypedDict):
    """The summary of several runs over the same questions."""

    repeats: int
    """The number of runs."""
    seeds: list[int]
    """The seed of each."""
    folders: list[str]
    """The folder of each, from this one."""
    n: list[int]
    """The questions that each has finished."""
    n_error: list[int]
    """The questions of each that failed; they are in no mean."""
    n_over_budget: list[int]
    """The questions of each that were answered when the budget ran out."""
    metrics: dict[str, RepeatedMetric]
    """Each metric by its name."""
    taught: NotRequired[list[str]]
    """What each run says of questions that its networks had learned from."""
    unmeasured: dict[str, int]
    """The answers of all runs on which a metric failed, by its name, where it did."""
    calls: float
    """LM calls a question, paid or from the cache."""
    tokens: float
    """Tokens a question."""
    usd: float | None
    """Dollars a question; None where the price of a model is not known."""
    paid_calls: int | None
    """LM calls that all runs paid; None where one does not say."""
    timing: Timing
    """The time that a question took, in the mean of all runs, and the time that all runs took together."""


@dataclass(frozen=True, slots=True)
class Repeats(ShownInNotebooks):
    """Several finished runs over the same questions."""

    folder: Path
    """The folder that holds the folders of the runs, and their common summary."""
    runs: tuple[Evaluation, ...]
    """The runs, by their seeds."""
    summary: RepeatsSummary
    """The content of summary.json."""
    keep: Any = field(default=None, repr=False)
    """Holds on to a temporary folder while the runs are in use."""

    def __fspath__(self) -> str:
        """The folder, as that of an `Evaluation`."""
        return os.fspath(self.folder)


def evaluate_repeatedly(
    program: dspy.Module,
    questions: Iterable[QuestionLike],
    *,
    repeats: int,
    out: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: bool | Callable[[str], Progress] = True,
    **options: Any,
) -> Repeats:
    """Answer the questions several times, with the seeds `seed`, `seed + 1` and so on, which share no kept answers.

    Each time is a run of its own in `repeat-1`, `repeat-2` and so on. The same call again does only what is missing,
    and with more repeats it goes on from there. At temperature 0, and with a built-in LM, the answers are likely the
    same.

    Args:
        program: The program that answers, as for `evaluate`.
        questions: The questions, as for `evaluate`.
        repeats: The number of runs.
        out: The folder of the runs; a temporary one by default.
        seed: The seed of the first run.
        progress: Show how far each run is; or a function that makes what shows it, from the name of the run's folder.
        **options: The other options of each run, as for `evaluate`.

    Raises:
        InputError: As `evaluate`.
        MismatchError: The folder holds a single run.
        RunFailed: A run was stopped; what is finished is kept.
    """
    if repeats < 1:
        raise InputError(f"repeats is a whole number from 1 on, not {repeats}.")
    temporary = tempfile.TemporaryDirectory(prefix="multihop-repeats-") if out is None else None
    folder = Path(temporary.name if temporary else out)  # type: ignore[arg-type]
    if (folder / HEADER).exists():
        raise MismatchError(f"{folder} holds a single run; choose another folder for repeats.")
    asked = list(questions) if isinstance(questions, Iterator) else questions
    if isinstance(options.get("budget_usd"), int | float):
        options["budget_usd"] = RunBudget(options["budget_usd"])
    runs = []
    for name, draw in repeat_names(repeats, seed):
        shown = progress if isinstance(progress, bool) else progress(name)
        runs.append(evaluate(program, asked, out=folder / name, seed=draw, progress=shown, **options))
    summary = write_repeats(folder, [run.folder for run in runs], [run.summary for run in runs])
    return Repeats(folder, tuple(runs), summary, temporary)


def repeat_names(repeats: int, seed: int) -> Iterator[tuple[str, int]]:
    """The folder's name and the seed of each of the runs."""
    return ((f"repeat-{number + 1}", seed + number) for number in range(repeats))


def write_repeats(folder: str | os.PathLike[str], runs: Sequence[Path], summaries: Sequence[Summary]) -> RepeatsSummary:
    """Sum the runs up, write summary.json and summary.md into the folder above them, and return the summary."""
    folder, headers = Path(folder), [read_header(run) for run in runs]
    asked, bills = max(1, sum(summary["n"] for summary in summaries)), [summary["paid"] for summary in summaries]
    usd = total(summary["cost"]["usd"] for summary in summaries)
    found: RepeatsSummary = {
        "repeats": len(runs),
        "seeds": [header["identity"].get("draw", 0) for header in headers],
        "folders": [run.relative_to(folder).as_posix() for run in runs],
        "n": [summary["n"] for summary in summaries],
        "n_error": [summary["n_error"] for summary in summaries],
        "n_over_budget": [summary["n_over_budget"] for summary in summaries],
        "metrics": _metrics([arrays_of(read_rows(run)) for run in runs]),
        "unmeasured": total_unmeasured(summaries),
        "taught": [f"run {run}: {note}" for run, each in enumerate(summaries, 1) if (note := taught_in(each))],
        "calls": round(sum(summary["cost"]["calls"]["total"] for summary in summaries) / asked, 6),
        "tokens": round(sum(token_count(summary["cost"]["tokens"]) for summary in summaries) / asked, 6),
        "usd": None if usd is None else usd / asked,
        "paid_calls": total(bill and bill["calls"] for bill in bills),
        "timing": _timing(summaries),
    }
    write_record(folder / "summary.json", found)
    with writing(folder / "summary.md") as file:
        file.write(repeats_page(found, headers[0], summaries[0]["recall"]["note"]))
    return found


def repeats_page(summary: RepeatsSummary, header: Header, note: str) -> str:
    """The summary as a page, with the header of the first run and its note on recall."""
    metrics = [
        (name, *(show_number(name, number) for number in _numbers(each)), interval(name, each), f"{each['answers']:,}")
        for name, each in summary["metrics"].items()
    ]
    asked_for = [name for name in header["identity"].get("metrics", {}) if name != "K"]
    metrics += [(name, *4 * ["–"], "0") for name in asked_for if name not in summary["metrics"]]
    runs = zip(summary["folders"], summary["seeds"], summary["n"], summary["n_error"], strict=True)
    rows = [(folder, *(f"{number:,}" for number in numbers)) for folder, *numbers in runs]
    paid = "" if summary["paid_calls"] is None else f" All runs together paid {summary['paid_calls']:,} LM calls."
    dollars = "" if summary["usd"] == 0 else f" ({show_usd(summary['usd'])})"
    time = time_note(summary["timing"])
    in_all = {**summary, "n": sum(summary["n"]), "n_error": sum(summary["n_error"])}
    return join_paragraphs(
        *(f"**{in_line(warning)}**" for warning in repeats_warnings(summary)),
        f"# {in_line(f'{program_name(header)} on {lm_names(header)}')}, {say_count(summary['repeats'], 'time')}",
        f"{say_count(max(summary['n']), 'question')}, {say_count(sum(summary['n_error']), 'error')} in all runs.",
        asked_line(header),
        as_table(("metric", "mean", "lowest run", "highest run", "95 % interval", "answers"), metrics),
        *(f"{in_line(reason)}." for reason in missing_notes(in_all, asked_for)),
        as_sentence(note),
        as_table(("run", "seed", "questions", "errors"), rows),
        f"A question takes {summary['calls']:.2f} LM calls and {summary['tokens']:,.0f} tokens{dollars}.{paid}",
        as_sentence(f"{time}, all runs together" if time else ""),
    )


def repeats_warnings(summary: RepeatsSummary, command: str = "the same command") -> list[str]:
    """The warnings that belong before any mean: what metrics failed on, and what the budget cut short."""
    asked, failed = sum(summary["n"]), sum(summary["n_error"])
    notes = [
        *gap_notes(summary["unmeasured"], asked - failed, command),
        budget_note(sum(summary["n_over_budget"]), asked),
        *summary.get("taught", []),
    ]
    return [f"{note}, in all runs" if note.endswith("budget") else note for note in notes if note]


def _metrics(runs: Sequence[RunArrays]) -> dict[str, RepeatedMetric]:
    found: dict[str, RepeatedMetric] = {}
    for name in dict.fromkeys(name for run in runs for name in run.metrics):
        mean = mean_of_repeats(kind_of(name), [run.values(name) for run in runs if name in run.metrics])
        if mean is not None:
            found[name] = cast(RepeatedMetric, as_record(mean))
    return found


def _timing(summaries: Sequence[Summary]) -> Timing:
    timings = [summary["timing"] for summary in summaries]
    means = [timing["seconds"]["mean"] for timing in timings if timing["seconds"]]
    worked, asked = sum(timing["run_seconds"] for timing in timings), sum(summary["n"] for summary in summaries)
    return {
        "seconds": {"mean": round(sum(means) / len(means), 6)} if means else {},
        "run_seconds": round(worked, 3),
        "per_minute": round(60 * asked / worked, 6) if worked else None,
    }


def _numbers(metric: RepeatedMetric) -> tuple[float, float, float]:
    return metric["mean"], metric["lowest"], metric["highest"]
