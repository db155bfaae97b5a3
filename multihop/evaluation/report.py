"""A run's summary on disk: summary.json for programs, summary.md for people, and its rankings for TREC's tools."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..base import InputError, write_record, writing
from ..base.texts import as_json, clock, in_line, per_minute, say_count
from ..data.trec_run import trec_id
from ..runtime import show_usd, token_count, total_paid
from .header import Header, prices_of, selection_of
from .intervals import kind_of
from .journal import read_header, read_rows
from .metrics.named import BY_GROUP, goes_by_place
from .summary import Interval, Measured, Summary, Timing, summarize, total

FEW = 100
"""Below so many questions, a table says that its intervals are wide."""


def write_summary(folder: str | os.PathLike[str]) -> Summary:
    """Sum the run up, write summary.json and summary.md into its folder, and return the summary.

    Raises:
        InputError: The folder holds no run, or a damaged one.
    """
    header = read_header(folder)
    summary = summarize(read_rows(folder), header, total_paid(folder, prices_of(header)))
    write_record(Path(folder) / "summary.json", summary)
    with writing(Path(folder) / "summary.md") as file:
        file.write(as_markdown(summary, header))
    return summary


def as_markdown(summary: Summary, header: Header) -> str:
    """The summary as a page."""
    identity, n = header["identity"], summary["n"]
    asked_for = [name for name in identity.get("metrics", {}) if name != "K"]
    time = _time_lines(summary)
    settings = as_json(identity["program"].get("settings", {}), ascii_only=True).replace("`", "\\u0060")
    errors = [(kind, f"{count:,}") for kind, count in summary["errors"].items()]
    return join_paragraphs(
        *(f"**{in_line(note)}**" for note in run_warnings(summary)),
        f"# {in_line(f'{program_name(header)} on {lm_names(header)}')}",
        f"{say_count(n, 'question')}: {summary['n_ok']:,} answered, {summary['n_over_budget']:,} answered "
        f"when the budget ran out, {say_count(summary['n_error'], 'error')} (left out of the means below).",
        asked_line(header),
        f"Only {say_count(n, 'question')}: mind the intervals." if n < FEW else "",
        _metric_table(summary, asked_for),
        *(f"{in_line(note)}." for note in missing_notes(summary, asked_for)),
        as_sentence(summary["recall"]["note"]),
        *_breakdowns(summary),
        "## Cost",
        as_table(("a question", "mean", "total"), cost_rows(summary, by_step=True)),
        paid_line(summary),
        *(["## Time", time] if time else []),
        *(["## Errors", as_table(("error", "questions"), errors)] if errors else []),
        f"Settings: `{settings}`",
    )


def join_paragraphs(*paragraphs: str) -> str:
    """A page of these paragraphs, without the empty ones."""
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def as_sentence(note: str) -> str:
    """A note as a sentence; empty for an empty one."""
    return f"{note[0].upper()}{note[1:]}." if note else ""


def _metric_table(summary: Summary, asked_for: Iterable[str]) -> str:
    """A row for each metric, also for one that was asked for and that no question has."""
    over_all = ("errors as 0",) if summary["n_error"] else ()
    metrics = [
        (
            name,
            show_number(name, metric["mean"]),
            interval(name, metric),
            f"{metric['n']:,}",
            *(show_number(name, metric["mean_over_all"]) for _ in over_all),
        )
        for name, metric in summary["metrics"].items()
    ]
    unknown = [(name, "–", "–", "0", *("–" for _ in over_all)) for name in asked_for if name not in summary["metrics"]]
    return as_table(("metric", "mean", "95 % interval", "questions", *over_all), [*metrics, *unknown])


def _breakdowns(summary: Summary) -> Iterator[str]:
    """A table of the main metrics for each label, such as the type of question."""
    columns = [name for name in BY_GROUP if name in summary["metrics"]]
    for by, groups in summary["breakdown"].items():
        rows = [
            (value or "–", f"{group['n']:,}", *_means(group["metrics"], columns, group["n"]))
            for value, group in groups.items()
        ]
        yield f"## By {by}"
        yield as_table((by, "questions", *columns), rows)


def paid_line(*summaries: Summary) -> str:
    """The bill of the runs, beside the cost of their programs, in a sentence or two."""
    costs = [summary["cost"] for summary in summaries]
    bills = [bill for summary in summaries if (bill := summary["paid"]) is not None]
    cached, estimated = sum(cost["cached"] for cost in costs), sum(cost["estimated"] for cost in costs)
    made = sum(cost["calls"]["total"] for cost in costs)
    line = f"{cached:,} of {say_count(made, 'LM call')} came from the cache"
    if len(bills) == len(summaries):
        usd, judging = (
            total(bill.get("usd", 0.0) for bill in bills),
            [bill["judging"] for bill in bills if "judging" in bill],
        )
        line += f"; paid: {_calls_and_tokens(bills)}"
        line += "" if usd == 0 else f", {show_usd(usd)}"
        line += f", of which {_calls_and_tokens(judging)} to judge answers" if judging else ""
    if not estimated:
        return f"{line}."
    return f"{line}. The tokens of {say_count(estimated, 'call')} are estimated: the LM did not tell."


def _calls_and_tokens(bills: Sequence[Any]) -> str:
    calls, tokens = sum(bill["calls"] for bill in bills), sum(token_count(bill["tokens"]) for bill in bills)
    return f"{say_count(calls, 'call')}, {say_count(tokens, 'token')}"


def interval(name: str, metric: Interval) -> str:
    """The 95 % interval, in the unit in which the mean is shown."""
    low, high = metric["low"], metric["high"]
    return "–" if low is None or high is None else f"{show_number(name, low)} – {show_number(name, high)}"


def asked_line(header: Header) -> str:
    """The questions of their source that were asked, in a sentence; empty where all were, or the first ones."""
    selection = selection_of(header["identity"].get("data", {}))
    return f"Asked: {selection}." if selection else ""


def program_name(header: Header) -> str:
    """The name of the program that made the run."""
    return header["identity"]["program"]["name"]


def lm_names(header: Header) -> str:
    """The names of the LMs that answered, each once."""
    return ", ".join(sorted({str(lm.get("model")) for lm in header["identity"].get("lm", {}).values()})) or "no LM"


def unit_of(name: str) -> tuple[int, int]:
    """The factor and the number of digits with which a metric is shown; shares as percentages, K as it is."""
    return (1, 2) if kind_of(name) == "count" else (100, 1)


def show_number(name: str, value: float) -> str:
    """A metric's value in its unit."""
    scale, digits = unit_of(name)
    return f"{scale * value:.{digits}f}"


def show_n(n: int, asked: int) -> str:
    """The number of questions that went into a mean, where they are fewer than were asked; else empty."""
    return "" if n >= asked else f" (n={n:,})"


def _means(metrics: dict[str, Measured], names: Iterable[str], asked: int) -> list[str]:
    """Each mean with its interval: groups are small, and their means look surer than they are."""
    return [
        f"{show_number(name, found['mean'])} ({interval(name, found)}){show_n(found['n'], asked)}"
        if (found := metrics.get(name))
        else "–"
        for name in names
    ]


def cost_rows(summary: Summary, *, by_step: bool = False) -> Iterator[tuple[str, str, str]]:
    """A name, the cost of a question, and that of all; with `by_step` the calls of each step and the own counters."""
    cost, n = summary["cost"], max(1, summary["n"])
    yield "LM calls", f"{cost['calls']['mean']:.2f}", f"{cost['calls']['total']:,.0f}"
    for role, calls in cost["calls_by_role"].items() if by_step else ():
        yield f"– {role}", f"{calls / n:.2f}", f"{calls:,}"
    for name, mean in summary["counts"].items() if by_step else ():
        yield name, f"{mean:.2f}", ""
    yield "longest chain of calls", f"{cost['chain']['mean']:.2f}", ""
    yield "retrievals", f"{cost['retrievals']['mean']:.2f}", f"{cost['retrievals']['total']:,.0f}"
    for model, tokens in cost["tokens"].items():
        for way, count in (("in", tokens["in"]), ("out", tokens["out"])):
            yield f"tokens {way}, {model}", f"{count / n:,.0f}", f"{count:,}"
    if usd := cost["usd"]:
        yield "dollars", show_usd(usd / n), show_usd(usd)
    elif usd is None:
        yield "dollars", show_usd(None), ""
    yield "unparseable completions", f"{cost['parse_failures'] / n:.2f}", f"{cost['parse_failures']:,}"


def _time_lines(summary: Summary) -> str:
    """The time of a question, and the time of the run; empty where it is not known."""
    seconds, run_time = summary["timing"]["seconds"], run_time_note(summary["timing"])
    taken = (
        f"A question takes {seconds['mean']:.2f} s beside others: "
        f"half of them {seconds['p50']:.2f} s at most, 19 of 20 {seconds['p95']:.2f} s."
        if seconds
        else ""
    )
    return " ".join(filter(None, (taken, as_sentence(run_time))))


def as_table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1) -> str:
    """A table in Markdown, whose first columns are texts and the others numbers."""
    lines = [heads, [*["---"] * texts, *["---:"] * (len(heads) - texts)], *rows]
    return "\n".join(f"| {' | '.join(map(in_line, line))} |" for line in lines)


def write_trec(folder: str | os.PathLike[str], to: str | os.PathLike[str] | None = None) -> tuple[Path, Path]:
    """Write run.trec (`question Q0 passage rank score name`) and qrels.trec (`question 0 passage 1`) into a folder.

    TREC's tools order by score, so the score written is the reciprocal rank. Spaces in ids are written as %20, and a
    "%" as %25, so that no two ids become one. The files are in the run's own folder by default.

    Raises:
        InputError: The folder holds no run, or a damaged one; or `to` is a file.
    """
    name = trec_id(program_name(read_header(folder)))
    target = Path(folder if to is None else to).expanduser()
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; give --to a folder.")
    run, qrels = target / "run.trec", target / "qrels.trec"
    last: dict[str, tuple[list[str], list[str]]] = {}  # of a question asked again, the last row counts
    for row in read_rows(folder):
        last[row["id"]] = [passage for passage, _ in row.get("passages", ())], row.get("supporting", [])
    with writing(run) as ranked, writing(qrels) as gold:
        for identifier, (passages, supporting) in last.items():
            question = trec_id(identifier)
            for rank, passage in enumerate(dict.fromkeys(passages), 1):
                ranked.write(f"{question} Q0 {trec_id(passage)} {rank} {1 / rank:.6g} {name}\n")
            for passage in dict.fromkeys(supporting):
                gold.write(f"{question} 0 {trec_id(passage)} 1\n")
    return run, qrels


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
    """The metrics that failed, with the number of answers, a sentence each."""
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


def taught_note(taught: int, asked: int, means: Mapping[str, str]) -> str:
    """The questions that the networks had learned from, and the means without them; empty where there are none."""
    if not taught:
        return ""
    others = ", ".join(f"{name} {mean}" for name, mean in means.items()) or "nothing is left"
    return f"{taught:,} of {say_count(asked, 'question')} taught the built-in networks; without them: {others}"


def run_warnings(summary: Summary, command: str = "the same command") -> list[str]:
    """The warnings that belong before any mean: what metrics failed on, was cut short, and had been learned from."""
    answers = summary["n"] - summary["n_error"]
    gaps = gap_notes(summary["unmeasured"], answers, command, causes=summary.get("causes", {}))
    return [note for note in (*gaps, budget_note(summary["n_over_budget"], summary["n"]), taught_in(summary)) if note]


def taught_in(summary: Summary) -> str:
    """The note on what the networks had learned from, with each mean that a report shows by its side."""
    if "taught" not in summary:
        return ""
    taught, answered = summary["taught"], summary["n"] - summary["n_error"]
    means = zip(BY_GROUP, _means(taught["metrics"], BY_GROUP, answered - taught["n"]), strict=True)
    return taught_note(taught["n"], answered, {name: mean for name, mean in means if mean != "–"})


def by_note(notes: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Each note once, with the names of the runs that have it; without names where all have."""
    found = []
    for note in dict.fromkeys(note for each in notes.values() for note in each):
        of = [name for name, each in notes.items() if note in each]
        found.append((note, "" if len(of) == len(notes) else f"{' and '.join(of)}: "))
    return found


def missing_notes(summary: Counted, asked_for: Iterable[str]) -> list[str]:
    """The reasons why metrics that were asked for have no mean; recall has its own note, a failure its `gap_notes`."""
    notes = []
    for name in dict.fromkeys(asked_for):
        if name in summary["metrics"] or name in summary.get("unmeasured", {}):
            continue
        if summary["n_error"] == summary["n"]:
            notes.append(f"{name}: no question was answered")
        elif name in ANSWER_METRICS:
            notes.append(f"{name}: no question has an accepted answer, or none was read")
        elif not goes_by_place(name):
            notes.append(f"{name}: it applies to no question")
    return notes


def time_note(timing: Timing) -> str:
    """The time of a question, and that of the run with its questions a minute; empty where unknown."""
    each = f"a question takes {timing['seconds']['mean']:.2f} s beside others" if timing["seconds"] else ""
    return "; ".join(part for part in (each, run_time_note(timing)) if part)


def run_time_note(timing: Timing) -> str:
    """The time of the run, and its questions a minute; empty where it is not known."""
    rate = timing["per_minute"]
    if rate is None:
        return ""
    return f"run time {show_time(timing['run_seconds'])}, {per_minute(rate / 60)} questions a minute"


def show_time(seconds: float) -> str:
    """A time of any length."""
    return f"{seconds:.1f} s" if seconds < 59.95 else clock(seconds)
