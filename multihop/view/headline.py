"""The headline of a page: one sentence that names what was run, on what, what it came to, and what it cost."""

import re
from collections.abc import Iterator, Sequence

from ..base.texts import say_count
from ..data import known_sets
from ..data.little import TITLE, is_little
from ..evaluation.header import selection_of
from ..evaluation.report import show_n, show_number, unit_of
from ..evaluation.summary import Interval
from .comparison import ComparedPair
from .figures import shared_quality
from .run_page import RunPage

SPLITS = ("train", "dev", "validation", "test")
NARROW = 0.04
"""An interval that is narrower is told with a digit behind the point."""


def say_run(run: RunPage) -> str:
    """A run in a sentence."""
    told = [_quality(run), f"{_calls(run)} calls a question", *_caveats(run)]
    return f"{run['name']}{_on([run])}, {_questions(run)}: {', '.join(told)}"


def say_runs(runs: Sequence[RunPage], pairs: Sequence[ComparedPair]) -> str:
    """Runs in a sentence, with the comparison of each with the first: two with the difference, more with the range."""
    if len(runs) == 1:
        return say_run(runs[0])
    if len(runs) == 2:
        first, second = runs
        asked = f"{say_count(pairs[0]['n'], 'question')} that both answered"
        cost = f"{_calls(second)} calls a question against {_calls(first)}"
        return f"{second['name']} against {first['name']}{_on(runs)}, {asked}: {_difference(pairs[0])}{cost}"
    fewest, *_, most = sorted(runs, key=lambda run: run["summary"]["cost"]["calls"]["mean"])
    return f"{len(runs)} runs{_on(runs)}: {_range(runs)}{_calls(fewest)} to {_calls(most)} calls a question"


def name_source(source: str) -> str:
    """A question set as a reader names it, by what its questions were read from."""
    if is_little(source):
        part = source.partition(":")[2]
        return TITLE + (f" ({part})" if part else "")
    parts = re.split(r"[/:.]", source.lower())
    split = next((part for part in parts if part in SPLITS), "")
    if title := next((known_sets()[part].title for part in parts if part in known_sets()), ""):
        return f"{title} {split}".strip()
    if source.startswith("hub:"):
        return source.removeprefix("hub:").replace(":", " ")
    return source.rpartition("/")[2]


def _on(runs: Sequence[RunPage]) -> str:
    """The question set, where the records name one and the same for all."""
    sources = {run["header"].get("source", "") for run in runs}
    (source,) = sources if len(sources) == 1 else [""]
    return f" on {name_source(source)}" if source else ""


def _questions(run: RunPage) -> str:
    there = run["header"]["identity"].get("data", {}).get("questions", run["summary"]["n"])
    n = run["summary"]["n"]
    return say_count(n, "question") if n >= there else f"{n:,} of {say_count(there, 'question')}"


def _quality(run: RunPage) -> str:
    metrics = run["summary"]["metrics"]
    name = next((each for each in ("f1", "em", *metrics) if each in metrics and unit_of(each)[0] == 100), None)
    if name is None:
        return "nothing could be measured"
    found = metrics[name]
    n = show_n(found["n"], run["summary"]["n"] - run["summary"]["n_error"])
    return f"{_named(name)} {show_number(name, found['mean'])}{_interval(found)}{n}"


def _interval(found: Interval) -> str:
    low, high = found["low"], found["high"]
    if low is None or high is None:
        return ""
    digits = 1 if high - low < NARROW else 0
    return f", {100 * low:.{digits}f} to {100 * high:.{digits}f}"


def _named(metric: str) -> str:
    return metric.upper() if metric in ("f1", "em") else metric


def _calls(run: RunPage) -> str:
    return f"{run['summary']['cost']['calls']['mean']:,.1f}"


def _caveats(run: RunPage) -> Iterator[str]:
    """Reasons to be careful: failures, what was cut short, a run that is not whole."""
    summary, chosen = run["summary"], selection_of(run["header"]["identity"].get("data", {}))
    if summary["n_error"]:
        yield f"{summary['n_error']:,} failed"
    if summary["n_over_budget"]:
        yield f"{summary['n_over_budget']:,} cut short by the budget"
    if chosen.sample is not None:
        yield "drawn at random"
    if (status := run["header"].get("status", "finished")) != "finished":
        yield "not whole: interrupted" if status == "interrupted" else "not whole: it goes on, or was killed"


def _difference(pair: ComparedPair) -> str:
    """The metric, the difference and its interval: of F1 before all others."""
    lines = {line["name"].partition(" ")[0]: line for line in pair["lines"] if "place" in line}
    name = next((each for each in ("f1", "em", *lines) if each in lines), None)
    return "" if name is None else f"{_named(name)} {lines[name]['change']}, {lines[name]['interval']}, "


def _range(runs: Sequence[RunPage]) -> str:
    """The lowest and the highest of the runs."""
    name = shared_quality([run["summary"]["metrics"] for run in runs])
    if name is None:
        return ""
    means = sorted((run["summary"]["metrics"][name]["mean"], run["name"]) for run in runs)
    low, high = [f"{show_number(name, mean)} of {run}" for mean, run in (means[0], means[-1])]
    return f"{_named(name)} from {low} to {high}, "
