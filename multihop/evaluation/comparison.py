"""Runs side by side, question by question."""

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ..base import InputError, MismatchError
from ..base.imports import ShownInNotebooks
from ..base.texts import in_short, say_count
from ..runtime import Paid, token_count, total_paid
from .header import Header, Identity, asks_built_in, prices_of
from .intervals import Kind, kind_of
from .journal import read_header, read_rows
from .metrics.passages import describe_matching
from .report import program_name, unit_of
from .statistics import (
    Mean,
    RunArrays,
    Values,
    arrays_of,
    fill_gaps,
    mean_of,
    paired,
    permutation_p_value,
)
from .summary import Timing, timing_of, token_sums

COSTS = ("calls", "tokens", "seconds", "usd")
EXACT = "em"


Ends = tuple[float | None, float | None]
"""The ends of an interval; None and None where there is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric in two runs, over the questions that both answered."""

    a: float
    """The first run's mean."""
    b: float
    """The second run's mean."""
    change: Mean
    """b - a, with the 95 % interval of the paired difference, and over how many pairs. Where the metric failed on one
    of a pair, the interval counts it against the difference, at either bound."""
    p_value: float | None
    """The p-value: the probability of a difference this large by chance alone. None for what is no measure of quality,
    such as "K", and where the metric failed on an answer."""
    intervals: tuple[Ends, Ends] | None = None
    """The 95 % intervals of the two means, the first run's and the second's."""


@dataclass(frozen=True, slots=True)
class Comparison(ShownInNotebooks):
    """Two runs over the same questions."""

    names: tuple[str, str]
    """The programs' names, with what sets the runs apart: "one-step k=5" and "one-step k=10"."""
    n: int
    """Questions that both runs answered."""
    only: tuple[int, int]
    """Questions that only one of them answered: the first's, the second's."""
    errors: tuple[int, int]
    """Questions on which either run failed."""
    metrics: dict[str, Difference]
    """Metric by metric, over the questions to which it applies in both runs."""
    unlike: tuple[str, ...]
    """Metrics that the runs measured by different rules or versions, and that are therefore left out."""
    gained: tuple[str, ...]
    """Questions that the second run has right (by exact match) and the first wrong."""
    lost: tuple[str, ...]
    """Questions that the first run has right and the second wrong."""
    cost: dict[str, tuple[float | None, float | None]]
    """Mean LM calls, tokens, seconds and dollars ("usd") a question, in either run; seconds are those that a question
    would take alone. Dollars are None where the price of a model is not known."""
    paid: tuple[Paid | None, Paid | None]
    """The bill of either run, where it kept one; `cost` counts answers from the cache like any other."""
    recall: tuple[str, str]
    """The way in which either run's gold was recognised, or the reason why it has no recall."""
    unmeasured: tuple[dict[str, int], dict[str, int]]
    """The questions in common on whose answers a metric failed, in either run, by the metric's name."""
    over_budget: tuple[int, int]
    """The questions in common that were cut short by their budget, in either run."""
    timing: tuple[Timing, Timing]
    """The time that either run took, over all its questions."""
    taught: tuple[int, int] = (0, 0)
    """The questions in common that taught the networks of either run; 0 where it asked no built-in ones."""
    untaught: dict[str, Difference] = field(default_factory=dict)
    """The metrics over the others, where there are such questions."""
    cached: tuple[int, int] = (0, 0)
    """LM calls of either run that were answered from the cache."""

    def __repr__(self) -> str:
        """The runs that are compared, and each metric's difference with its interval."""
        a, b = self.names
        lines = [f"Comparison({b} minus {a}, {self.n:,} questions:"]
        for name, each in self.metrics.items():
            scale, digits = unit_of(name)
            mean, *ends = (f"{scale * value:+.{digits}f}" for value in each.change[:3] if value is not None)
            interval = f" [{', '.join(ends)}]" if ends else ""
            n = "" if each.change.n == self.n else f" (n={each.change.n:,})"
            lines.append(f"    {name} {mean}{interval}{n}")
        return "\n".join([*lines, ")"])


def compare(a: str | os.PathLike[str], b: str | os.PathLike[str], *, different_data: bool = False) -> Comparison:
    """Pair two runs by question.

    Args:
        a: The first run: its folder, or the `Evaluation`.
        b: The second run, in the same way.
        different_data: Compare what they have in common even if they were made on different question sets.

    Raises:
        InputError: A folder holds no run, the question sets differ, or the runs have no question in common.
    """
    return compare_with_first([a, b], different_data=different_data)[0]


def _folder(run: object) -> str:
    if not isinstance(run, str | os.PathLike):
        raise InputError(f"a run is compared by its folder or its Evaluation, not by {type(run).__name__}.")
    return os.fspath(run)


def compare_with_first(
    folders: Sequence[str | os.PathLike[str]], *, different_data: bool = False
) -> tuple[Comparison, ...]:
    """Each of several runs beside the first, over the questions that all of them answered.

    Args:
        folders: Two runs or more, each as in `compare`.
        different_data: See `compare`.

    Raises:
        InputError: As `compare` does.
    """
    folders = [_folder(run) for run in folders]
    headers = [read_header(folder) for folder in folders]
    asked = [header["identity"].get("data", {}).get("fingerprint") for header in headers]
    for folder, questions in zip(folders, asked, strict=True):
        if questions != asked[0] and not different_data:
            raise MismatchError(
                f"{folders[0]} and {folder} were made on different questions, so their numbers cannot be compared."
            )
    runs = [arrays_of(read_rows(folder)) for folder in folders]
    common = sorted(set.intersection(*(set(run.answered()) for run in runs)))
    if not common:
        raise MismatchError(f"{' and '.join(map(str, folders))} have no answered question in common.")
    names = run_names(headers, folders)
    first, *others = sides = [_Side(*each, common) for each in zip(names, folders, headers, runs, strict=True)]
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    unlike = tuple(name for name in shared if any(side.rules.get(name) != first.rules.get(name) for side in others))
    comparable = [name for name in shared if name not in unlike]
    values = {name: paired([side.measured(name) for side in sides]) for name in comparable}
    learned = set[str]().union(*(side.taught for side in sides))
    return tuple(
        Comparison(
            names=(first.name, other.name),
            n=len(common),
            only=(first.only, other.only),
            errors=(first.errors, other.errors),
            metrics=_differences({name: (each[0], each[place]) for name, each in values.items()}),
            taught=(len(first.taught), len(other.taught)),
            untaught=_differences(
                {name: [run.without(learned) for run in (each[0], each[place])] for name, each in values.items()}
                if learned
                else {}
            ),
            unlike=unlike,
            gained=tuple(sorted(other.right() - first.right())) if EXACT in comparable else (),
            lost=tuple(sorted(first.right() - other.right())) if EXACT in comparable else (),
            unmeasured=(first.unmeasured, other.unmeasured),
            over_budget=(first.over_budget, other.over_budget),
            cost={what: (first.mean_cost(what), other.mean_cost(what)) for what in COSTS},
            timing=(timing_of(first.run), timing_of(other.run)),
            paid=(first.paid, other.paid),
            recall=(first.recall, other.recall),
            cached=(first.cached, other.cached),
        )
        for place, other in enumerate(others, 1)
    )


def _differences(values: Mapping[str, Sequence[Values]]) -> dict[str, Difference]:
    found = {name: find_difference(*each, test=kind_of(name) == "share") for name, each in values.items()}
    return {name: difference for name, difference in found.items() if difference is not None}


class _Side:
    """One of several runs; its values and costs are those of the questions that all of them answered."""

    def __init__(
        self, name: str, folder: str | os.PathLike[str], header: Header, run: RunArrays, common: Sequence[str]
    ) -> None:
        self.name, self.run, self._common, self._prices = name, run, common, prices_of(header)
        places, answered = {identifier: place for place, identifier in enumerate(run.ids)}, len(run.answered())
        self._which = [places[identifier] for identifier in common]
        self.only = answered - len(common)
        self.errors = len(run.ids) - answered
        taught = [each for place, each in zip(self._which, common, strict=True) if run.labels[place].taught]
        self.taught = set(taught) if asks_built_in(header) else set[str]()
        self.over_budget = sum(run.labels[place].status == "over_budget" for place in self._which)
        self.rules = header["identity"].get("metrics", {})
        self.paid = total_paid(folder, self._prices)
        self.cached = int(run.cost["cached"].sum())
        self.recall = describe_matching(Counter(each.matched_by for each in run.labels if each.matched_by))
        gaps = {metric: int(each[self._which].sum()) for metric, each in run.gaps.items()}
        self.unmeasured = {metric: count for metric, count in gaps.items() if count}

    def measured(self, metric: str) -> Values:
        """A metric's values, in the order of the common questions."""
        return Values(self._common, self.run.metrics[metric][self._which], self.run.gaps[metric][self._which])

    def right(self) -> set[str]:
        """The questions that are right by exact match."""
        exact = self.run.metrics[EXACT]
        return {self.run.ids[place] for place in self._which if exact[place] == 1.0}

    def mean_cost(self, what: str) -> float | None:
        """A cost a question; tokens come in several kinds, some of which a run may lack."""
        if what not in ("tokens", "usd"):
            mean = float(self.run.cost[what][self._which].mean())
            return None if math.isnan(mean) else mean
        tokens = token_sums(self.run.tokens, self._which)
        total = token_count(tokens) if what == "tokens" else self._prices.usd(tokens)
        return None if total is None else total / len(self._which)


def find_difference(a: Values, b: Values, *, test: bool) -> Difference | None:
    """The difference over the questions that both runs have a number of; None where there are none."""
    known = ~(a.gaps | b.gaps)
    kinds: tuple[Kind, Kind] = ("change", "share") if test else ("count", "count")
    first, second = a.numbers[known], b.numbers[known]
    change = mean_of(kinds[0], second - first)
    if change is None:
        return None
    if not known.all():  # as bad for the second run as it may be at the lower bound, and as good at the upper one
        (a_low, a_high), (b_low, b_high) = fill_gaps(a.numbers, a.gaps), fill_gaps(b.numbers, b.gaps)
        worst, best = mean_of(kinds[0], b_low - a_high), mean_of(kinds[0], b_high - a_low)
        change = change._replace(low=worst and worst.low, high=best and best.high)
    p_value = permutation_p_value(second - first) if test and known.all() else None
    ends = [(mean.low, mean.high) for run in (a, b) if (mean := mean_of(kinds[1], run.numbers, run.gaps))]
    return Difference(float(first.mean()), float(second.mean()), change, p_value, (ends[0], ends[1]))


LONGEST = 24
"""Characters of a setting's value that a head shows."""


def run_names(headers: Sequence[Header], folders: Sequence[str | os.PathLike[str]]) -> tuple[str, ...]:
    """A name for each run that says what differs; with their folders' names where nothing does."""
    names = names_by_differences(headers)
    alike = [names.count(name) > 1 for name in names]
    if not any(alike):
        return tuple(names)
    marked = zip(names, _folder_names(folders), alike, strict=True)
    return tuple(f"{name} ({folder})" if same else name for name, folder, same in marked)


def short_run_names(headers: Sequence[Header], folders: Sequence[str | os.PathLike[str]]) -> list[str]:
    """A name for each run that no other has: of two what differs, of more the program, with its folder where needed."""
    if len(headers) == 2:
        return list(run_names(headers, folders))
    programs = [program_name(header) for header in headers]
    pairs = zip(programs, _folder_names(folders), strict=True)
    return [name if programs.count(name) == 1 else f"{name} ({place})" for name, place in pairs]


def names_by_differences(headers: Sequence[Header]) -> list[str]:
    """A name for each run that says what differs; runs that nothing sets apart have equal names."""
    runs = [header["identity"] for header in headers]
    lms = [run.get("lm", {}) for run in runs]
    same_steps = all(each.keys() == lms[0].keys() for each in lms)
    by_step = same_steps and any(len({lm.get("model") for lm in each.values()}) > 1 for each in lms)
    alike = all(len({repr(lm.get("decoding")) for lm in each.values()}) <= 1 for each in lms)
    same_kind = len({_kind(run) for run in runs}) == 1
    told = [dict(_respects(run, by_step=by_step, alike=alike, same_kind=same_kind)) for run in runs]
    shared = [respect for respect in told[0] if all(respect in each for each in told)]
    differing = [respect for respect in shared if len({each[respect] for each in told}) > 1]
    return [
        " ".join([program_name(header), *(each[respect] for respect in differing)])
        for header, each in zip(headers, told, strict=True)
    ]


def _respects(run: Identity, *, by_step: bool, alike: bool, same_kind: bool) -> Iterator[tuple[str, str]]:
    """All that may set a run apart from others: what it is about, which both must have, and the words for it."""
    program, lms = run.get("program", {}), run.get("lm", {})
    prompts = program.get("prompts", {}).values()
    for name, value in program.get("settings", {}).items():
        yield f"setting {name}", f"{name}={_short(value)}"
    if not by_step:
        yield "lm", f"on {', '.join(sorted({str(lm.get('model')) for lm in lms.values()})) or 'no LM'}"
    for step, lm in lms.items():
        if by_step:
            yield f"lm of {step}", f"{step} on {lm.get('model')}"
        whose = "" if alike else f"{step} "
        for name, value in lm.get("decoding", {}).items():
            yield f"{whose}decoding {name}", f"{whose}{name}={_short(value)}"
    demos = sum(len(prompt.get("demos", ())) for prompt in prompts)
    yield "demos", f"with {say_count(demos, 'demonstration')}" if demos else "without demonstrations"
    words = repr([(prompt.get("instructions"), prompt.get("fields")) for prompt in prompts])
    yield (
        f"instructions of {program.get('name')}",  # those of two programs differ by nature
        f"instructions {blake2b(words.encode(), digest_size=3).hexdigest()}",
    )
    retriever = str(run.get("retriever"))
    yield "retriever", f"over {retriever[: len(_kind(run)) + 7] if same_kind else _kind(run)}"
    yield "adapter", f"with {run.get('adapter')}"


def _kind(run: Identity) -> str:
    """The kind of the run's retriever."""
    return str(run.get("retriever")).partition("-")[0]


def _folder_names(folders: Sequence[str | os.PathLike[str]]) -> list[str]:
    """The folders' own names; the whole paths where some of those are alike."""
    names = [Path(folder).resolve().name for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


def _short(value: Any) -> str:
    if isinstance(value, dict):
        value = [f"{name}:{part}" for name, part in value.items() if part is not None]
    return in_short(",".join(map(str, value)) if isinstance(value, list | tuple) else value, LONGEST)
