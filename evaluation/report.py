"""A run's summary on disk: summary.json for programs, summary.md for people."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import ujson

from ..base import DamagedFileError, writing
from ..runtime import Paid, show_usd, token_count, total_paid
from .header import Header, prices_of, selection_of
from .journal import read_header, read_rows
from .summary import Interval, Measured, Summary, summarize
from .totals import total

FEW = 100
"""Below so many questions, a table says that its intervals are wide."""
SIMULATED = "SIMULATED: the LM knew the gold answers. These numbers say nothing about quality."


def write_summary(folder: str | os.PathLike[str]) -> Summary:
    """Sum the run up, write summary.json and summary.md into its folder, and return the summary.

    Raises:
        InputError: The folder holds no run, or a damaged one.
    """
    header = read_header(folder)
    summary = summarize(read_rows(folder), header, total_paid(folder, prices_of(header)))
    with writing(Path(folder) / "summary.json") as file:
        ujson.dump(summary, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)
    with writing(Path(folder) / "summary.md") as file:
        file.write(as_markdown(summary, header))
    return summary


def as_markdown(summary: Summary, header: Header) -> str:
    """The summary as a page."""
    name, identity = program_name(header), header["identity"]
    models = ", ".join(sorted({str(lm.get("model")) for lm in identity.get("lm", {}).values()})) or "no LM"
    parts = [f"# {name} on {models}", ""]
    if summary["simulated"]:
        parts += [f"**{SIMULATED}**", ""]
    parts += [
        f"{summary['n']:,} questions: {summary['n_ok']:,} answered, {summary['n_over_budget']:,} answered when the "
        f"budget ran out, {summary['n_error']:,} errors (left out of the means below).",
        "",
    ]
    if asked := asked_line(header):
        parts += [asked, ""]
    if summary["n"] < FEW:
        parts += [f"Only {summary['n']} questions: mind the intervals.", ""]
    parts += [_metric_table(summary, identity.get("metrics", {})), ""]
    if note := recall_note(summary):
        parts += [f"{note[0].upper()}{note[1:]}.", ""]
    parts += _breakdowns(summary)
    parts += ["## Cost", "", as_table(("a question", "mean", "total"), _cost_rows(summary)), "", paid_line(summary), ""]
    if summary["errors"]:
        errors = [(kind, f"{count:,}") for kind, count in summary["errors"].items()]
        parts += ["## Errors", "", as_table(("error", "questions"), errors), ""]
    parts += [f"Settings: `{ujson.dumps(identity['program'].get('settings', {}), escape_forward_slashes=False)}`", ""]
    return "\n".join(parts)


def _metric_table(summary: Summary, asked_for: Iterable[str]) -> str:
    """A row for each metric, also for a recall or the GPUs' use that was asked for and that no question has."""
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
    unknown = [
        (name, "–", "–", "0", *("–" for _ in over_all))
        for name in asked_for
        if ("recall@" in name or name == "gpu") and name not in summary["metrics"]
    ]
    return as_table(("metric", "mean", "95 % interval", "questions", *over_all), [*metrics, *unknown])


def _breakdowns(summary: Summary) -> list[str]:
    """A table of the main metrics for each label, such as the type of question."""
    parts: list[str] = []
    columns = [name for name in ("em", "f1", "recall@5", "all-recall@5") if name in summary["metrics"]]
    for by, groups in summary["breakdown"].items():
        rows = [
            (value or "–", f"{group['n']:,}", *_means(group["metrics"], columns)) for value, group in groups.items()
        ]
        parts += [f"## By {by}", "", as_table((by, "questions", *columns), rows), ""]
    return parts


def paid_line(*summaries: Summary) -> str:
    """What the runs paid, beside what their programs cost, in a sentence or two.

    Examples:
        >>> from multihop.evaluation.report import paid_line
        >>> paid = {"calls": 3, "estimated": 0, "tokens": {"m": {"in": 50, "out": 9}}}
        >>> paid_line({"cost": {"calls": {"total": 4}, "cached": 1, "estimated": 0}, "paid": paid})
        '1 of 4 LM calls came from the cache; paid: 3 calls, 59 tokens.'
    """
    costs = [summary["cost"] for summary in summaries]
    bills = [bill for summary in summaries if (bill := summary.get("paid")) is not None]
    cached, estimated = sum(cost.get("cached", 0) for cost in costs), sum(cost.get("estimated", 0) for cost in costs)
    line = f"{cached:,} of {sum(cost['calls']['total'] for cost in costs):,} LM calls came from the cache"
    if len(bills) == len(summaries):
        calls, tokens = sum(bill["calls"] for bill in bills), sum(token_count(bill["tokens"]) for bill in bills)
        line += f"; paid: {calls:,} calls, {tokens:,} tokens{_dollars(bills)}{_judging(bills)}"
    return f"{line}." + (f" The tokens of {estimated:,} calls are estimated: the LM did not tell." if estimated else "")


def _dollars(bills: Sequence[Paid]) -> str:
    """What the bills come to in dollars, where an LM is asked that is paid."""
    usd = total(bill.get("usd", 0.0) for bill in bills)
    return "" if usd == 0 else f", {show_usd(usd)}"


def _judging(bills: Sequence[Paid]) -> str:
    """What of the bills was for judging answers."""
    parts = [bill["judging"] for bill in bills if "judging" in bill]
    calls, tokens = sum(part["calls"] for part in parts), sum(token_count(part["tokens"]) for part in parts)
    return f", of which {calls:,} calls, {tokens:,} tokens to judge answers" if parts else ""


def recall_note(summary: Summary) -> str:
    """How recall came about, in a sentence, where a reader has to know it; else empty."""
    return summary["recall"]["note"] if "recall" in summary else ""


def interval(name: str, metric: Interval) -> str:
    """The 95 % interval, in the unit in which the mean is shown."""
    return f"{show_number(name, metric['low'])} – {show_number(name, metric['high'])}"


def asked_line(header: Header) -> str:
    """Which questions of their source were asked, in a sentence; empty where all were, or the first ones."""
    selection = selection_of(header["identity"].get("data", {}))
    return f"Asked: {selection}." if selection else ""


def program_name(header: Header) -> str:
    """The name of the program that made the run.

    Raises:
        InputError: The header does not say.
    """
    try:
        return str(header["identity"]["program"]["name"])
    except (KeyError, TypeError):
        raise DamagedFileError("the run's header is damaged: its identity names no program.") from None


def unit_of(name: str) -> tuple[int, int]:
    """What a metric is shown as: times how much, with how many digits; shares as percentages, K as it is.

    Examples:
        >>> from multihop.evaluation.report import unit_of
        >>> unit_of("em"), unit_of("K")
        ((100, 1), (1, 2))
    """
    return (1, 2) if name == "K" else (100, 1)


def show_number(name: str, value: float) -> str:
    """A metric's value in its unit."""
    scale, digits = unit_of(name)
    return f"{scale * value:.{digits}f}"


def _means(metrics: dict[str, Measured], names: Iterable[str]) -> list[str]:
    """Each mean with its interval: groups are small, and their means look surer than they are."""
    return [
        f"{show_number(name, metrics[name]['mean'])} ({interval(name, metrics[name])})" if name in metrics else "–"
        for name in names
    ]


def _cost_rows(summary: Summary) -> Iterable[tuple[str, ...]]:
    cost, n = summary["cost"], max(1, summary["n"])
    yield "LM calls", f"{cost['calls']['mean']:.2f}", f"{cost['calls']['total']:,.0f}"
    for role, calls in cost["calls_by_role"].items():
        yield f"– {role}", f"{calls / n:.2f}", f"{calls:,}"
    for name, mean in summary.get("counts", {}).items():
        yield name, f"{mean:.2f}", ""
    yield "longest chain of calls", f"{cost['chain']['mean']:.2f}", ""
    yield "retrievals", f"{cost['retrievals']['mean']:.2f}", f"{cost['retrievals']['total']:,.0f}"
    for model, tokens in cost["tokens"].items():
        for way, count in (("in", tokens["in"]), ("out", tokens["out"])):
            yield f"tokens {way}, {model}", f"{count / n:,.0f}", f"{count:,}"
    if usd := cost.get("usd", 0.0):
        yield "dollars", show_usd(usd / n), show_usd(usd)
    elif usd is None:
        yield "dollars", show_usd(None), ""
    yield "unparseable completions", f"{cost['parse_failures'] / n:.2f}", f"{cost['parse_failures']:,}"
    if seconds := summary["timing"]["seconds"]:
        yield "seconds, p50 / p95", f"{seconds['p50']:.2f} / {seconds['p95']:.2f}", f"{seconds['total']:,.1f}"


def as_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
