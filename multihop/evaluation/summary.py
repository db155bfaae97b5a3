"""The summary of a run's rows: quality with intervals, errors apart, cost, and time."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ..runtime import Paid, PriceList, TokenCounts
from .header import Header, asks_built_in, prices_of
from .intervals import kind_of
from .metrics.passages import describe_matching
from .row import Row
from .statistics import RunArrays, arrays_of, as_record, mean_of

Number = TypeVar("Number", int, float)


class Interval(TypedDict):
    """A mean and how sure it is."""

    mean: float
    """The mean over the questions that were answered, to which the metric applies, and on which it did not fail."""
    low: float | None
    """The lower end of the 95 % interval, with what the metric failed on as 0; None below five questions."""
    high: float | None
    """The upper end of the interval, with what the metric failed on as 1."""


class Measured(Interval):
    """One metric over a run."""

    n: int
    """The questions that went into the mean."""
    mean_over_all: float
    """The mean if every error, and all that the metric failed on, were a 0."""


class Taught(TypedDict):
    """What a run's means are without the questions that its networks had learned from."""

    n: int
    """The answered questions that taught the built-in networks."""
    metrics: dict[str, Measured]
    """Each metric over the others."""


class RecallNote(TypedDict):
    """The ways in which gold was recognised."""

    matched_by: dict[str, int]
    """Questions by how their gold passages were recognised; see `matched_by` of a row."""
    note: str
    """A sentence on it where a reader has to know it; else empty."""


class Group(TypedDict):
    """The questions that share a type, or a number of hops."""

    n: int
    """The number of them that were answered."""
    metrics: dict[str, Measured]
    """The metrics of these questions, by name."""


class Spread(TypedDict):
    """A count over all questions."""

    mean: float
    """A question."""
    total: int
    """In all."""
    max: int
    """The most for one question."""


class TotalCost(TypedDict):
    """The cost of all questions together, failed ones included; `CostRecord` says what each figure counts."""

    calls: Spread
    """LM calls, paid or from the cache."""
    retrievals: Spread
    """Queries sent to the retriever."""
    chain: Spread
    """LM calls on the longest chain in which each waited for the one before."""
    parse_failures: int
    """Completions that could not be parsed."""
    cached: int
    """Calls that were answered from the cache."""
    estimated: int
    """Calls whose tokens the LM did not tell, so that they were counted here."""
    calls_by_role: dict[str, int]
    """The calls by the predictor's name."""
    tokens: dict[str, TokenCounts]
    """Tokens by model."""
    tokens_by_role: dict[str, TokenCounts]
    """Tokens by the predictor's name."""
    usd: float | None
    """Dollars for all tokens, paid or from the cache; None where the price of a model is not known."""


class Percentiles(TypedDict, total=False):
    """Seconds of a question, from its beginning to its answer; empty where there is none."""

    mean: float
    """The mean."""
    p50: float
    """Half of the questions took no longer."""
    p95: float
    """19 of 20 questions took no longer."""
    total: float
    """All questions one after the other."""


class Timing(TypedDict):
    """The time of a question, and that of the run."""

    seconds: Percentiles
    """The time of a question, beside all others that were asked at once."""
    run_seconds: float
    """The run's own time, all calls of the command together."""
    per_minute: float | None
    """The questions that it finished in a minute of that time; None where it took none."""


class Summary(TypedDict):
    """The summary of a run: summary.json."""

    n: int
    """Questions that are finished."""
    n_ok: int
    """The number of them that were answered."""
    n_over_budget: int
    """The number of them that were answered when the budget ran out."""
    n_error: int
    """The number of them that failed; they are in no mean."""
    errors: dict[str, int]
    """The failed questions by the error's name."""
    metrics: dict[str, Measured]
    """Each metric by its name; one that has no number of any question is missing."""
    unmeasured: dict[str, int]
    """The answers on which a metric failed, by its name, where it did; they are in no mean of that metric."""
    causes: NotRequired[dict[str, str]]
    """The most frequent cause for which a metric failed, by its name, where it did."""
    taught: NotRequired[Taught]
    """The questions that taught the built-in networks; missing where these took no part."""
    recall: RecallNote
    """The ways in which gold was recognised."""
    counts: dict[str, float]
    """The means of the method's own counters, such as "rounds"."""
    breakdown: dict[str, dict[str, Group]]
    """The metrics by "type" and by "hops", group by group; one of the two is missing where all questions share it."""
    cost: TotalCost
    """The cost of all questions, answers from the cache included."""
    paid: Paid | None
    """The bill, by calls.jsonl; None for a run that has no such file."""
    timing: Timing
    """The time of a question, and that of the run."""


def summarize(rows: Iterable[Row], header: Header, paid: Paid | None = None) -> Summary:
    """The run in numbers: means over the questions that were answered, and the cost of all questions."""
    run = arrays_of(rows)
    labels = run.labels
    answered = np.array([label.status != "error" for label in labels], dtype=bool)
    statuses = Counter(label.status for label in labels)
    matched_by = dict(sorted(Counter(label.matched_by for label in labels if label.matched_by).items()))
    failed = {name: count for name, gaps in run.gaps.items() if (count := int(gaps.sum()))}
    summary: Summary = {
        "n": len(labels),
        "n_ok": statuses["ok"],
        "n_over_budget": statuses["over_budget"],
        "n_error": statuses["error"],
        "errors": dict(sorted(Counter(label.error for label in labels if label.status == "error").items())),
        "metrics": _metrics(run, answered, errors=statuses["error"]),
        "unmeasured": failed,
        "causes": {name: run.causes[name] for name in failed},
        "recall": {"matched_by": matched_by, "note": describe_matching(matched_by)},
        "counts": {name: round(float(np.nanmean(values)), 6) for name, values in sorted(run.counts.items())},
        "breakdown": _breakdown(run, answered, "type") | _breakdown(run, answered, "hops"),
        "cost": _total_cost(run, prices_of(header)),
        "paid": paid,
        "timing": timing_of(run),
    }
    if asks_built_in(header):
        taught = answered & np.array([label.taught for label in labels], dtype=bool)
        summary["taught"] = {"n": int(taught.sum()), "metrics": _metrics(run, answered & ~taught)}
    return summary


def usd_a_question(summary: Summary) -> float | None:
    """Dollars a question; None where the price of an LM is not known."""
    usd = summary["cost"]["usd"]
    return None if usd is None else usd / max(1, summary["n"])


def _metrics(run: RunArrays, which: NDArray[np.bool_], *, errors: int = 0) -> dict[str, Measured]:
    found: dict[str, Measured] = {}
    for name, numbers in run.metrics.items():
        gaps = run.gaps[name][which]
        mean = mean_of(kind_of(name), numbers[which], gaps)
        if mean is not None:
            over_all = mean.mean * mean.n / (mean.n + errors + int(gaps.sum()))
            found[name] = cast(Measured, as_record(mean) | {"mean_over_all": round(over_all, 6)})
    return found


def _breakdown(run: RunArrays, answered: NDArray[np.bool_], by: str) -> dict[str, dict[str, Group]]:
    """The metrics by a label's values, under the label's name; nothing where all questions share one value."""
    values = np.array([str(getattr(labels, by) or "") for labels in run.labels], dtype=object)
    groups = {value: answered & (values == value) for value in sorted(set(values[answered]))}
    table: dict[str, Group] = {
        value: {"n": int(which.sum()), "metrics": _metrics(run, which)} for value, which in groups.items()
    }
    return {by: table} if len(groups) > 1 else {}


def _total_cost(run: RunArrays, prices: PriceList) -> TotalCost:
    tokens = token_sums(run.tokens)
    return {
        "calls": _spread(run.cost["calls"]),
        "retrievals": _spread(run.cost["retrievals"]),
        "chain": _spread(run.cost["chain"]),
        "parse_failures": int(run.cost["parse_failures"].sum()),
        "cached": int(run.cost["cached"].sum()),
        "estimated": int(run.cost["estimated"].sum()),
        "calls_by_role": {role: int(np.nansum(calls)) for role, calls in sorted(run.calls_by_role.items())},
        "tokens": tokens,
        "tokens_by_role": token_sums(run.tokens_by_role),
        "usd": prices.usd(tokens),
    }


def _spread(numbers: NDArray[np.float64]) -> Spread:
    total = int(numbers.sum())
    return {"mean": round(total / max(1, len(numbers)), 6), "total": total, "max": int(numbers.max(initial=0))}


def token_sums(columns: Mapping[tuple[str, str], NDArray[np.float64]], which: Any = ...) -> dict[str, TokenCounts]:
    """All tokens of each model, or of each step, over the run, or over those of its questions."""
    found: dict[str, dict[str, int]] = {name: {"in": 0, "out": 0} for name in sorted({name for name, _ in columns})}
    for (name, way), tokens in columns.items():
        found[name][way] = int(np.nansum(tokens[which]))
    return cast(dict[str, TokenCounts], found)


def timing_of(run: RunArrays) -> Timing:
    """The time of a question, and that of the run."""
    worked = float(run.cost["run_seconds"].max(initial=0.0))
    rate = round(60 * len(run.ids) / worked, 6) if worked else None
    return {"seconds": _percentiles(run.cost["seconds"]), "run_seconds": worked, "per_minute": rate}


def _percentiles(seconds: NDArray[np.float64]) -> Percentiles:
    if not len(seconds):
        return {}
    p50, p95 = np.percentile(seconds, [50, 95], method="higher")
    return {"mean": float(seconds.mean()), "p50": float(p50), "p95": float(p95), "total": float(seconds.sum())}


def total(numbers: Iterable[Number | None]) -> Number | None:
    """The sum; None where one of them is not known."""
    listed = list(numbers)
    known = [number for number in listed if number is not None]
    return sum(known) if len(known) == len(listed) else None


def total_unmeasured(summaries: Iterable[Summary]) -> dict[str, int]:
    """The answers of all runs on which a metric failed, by its name."""
    return dict(sum((Counter(summary["unmeasured"]) for summary in summaries), Counter[str]()))
