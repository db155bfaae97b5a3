"""Finished runs in a terminal: one with the search for an answer, several, repeats, the variants of a compile."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from .. import optimize
from ..base.texts import cut, say_count
from ..evaluation import Evaluation, Repeats, open_run
from ..evaluation.journal import read_header, read_question
from ..evaluation.metrics.named import DEFAULT, MAIN
from ..evaluation.report import (
    by_note,
    lm_names,
    missing_notes,
    paid_line,
    program_name,
    run_warnings,
    show_n,
    show_number,
    time_note,
    unit_of,
)
from ..evaluation.row import Row
from ..evaluation.statistics import excludes_zero
from ..evaluation.summary import Interval, Summary, usd_a_question
from ..optimize.outcomes import Gain
from ..runtime import cost_line, searches, show_usd, token_count
from ..view.search_lines import ANSWER, REJECTED
from .output import print_line, print_note, print_table
from .show_answer import answer_line, show_steps

N_NOTE = "n: the questions that went into a mean, where they are not all"
IDS = 8
"""Questions named of each kind at most."""
PASSAGES = 10
"""Passages of a question that are named."""


def show_results(
    runs: Mapping[str, Evaluation], console: Console, *, further: Iterable[str] = (), warned: bool = False
) -> None:
    """A table with a row for each run, `further` metrics too, and where its files are; without caveats if `warned`."""
    summaries = {name: run.summary for name, run in runs.items()}
    measured = {name for run in runs.values() for name in read_header(run.folder)["identity"].get("metrics", {})}
    metrics = [name for name in MAIN if name in measured or name.startswith("recall")]
    metrics = list(dict.fromkeys((*metrics, *further)))
    if not warned:
        show_warnings(summaries, console)
    show_table(summaries, metrics, console)
    _explain_results(runs, metrics, console)


def show_warnings(summaries: Mapping[str, Summary], console: Console, *, command: str = "the same command") -> None:
    """Caveats to be read before any mean, a line each; `command` is the one that measures again what failed."""
    for note, whose in by_note({name: run_warnings(each, command) for name, each in summaries.items()}):
        print_note(f"{whose}{note}", console, style="yellow")


def show_table(summaries: Mapping[str, Summary], metrics: Sequence[str], console: Console) -> None:
    """A row for each run; what could not be parsed has a column where there is any."""
    priced = any(summary["cost"]["usd"] != 0 for summary in summaries.values())
    unparseable = _any_unparseable(summaries.values())
    dollars, failures = ["usd"] if priced else [], ["unparseable"] if unparseable else []
    rows = []
    for name, summary in summaries.items():
        cost = summary["cost"]
        about = "~" if cost["estimated"] else ""
        rows.append(
            [
                f"[bold]{escape(name)}[/]",
                *(_metric(metric, summary) for metric in metrics),
                f"{cost['calls']['mean']:.2f}",
                f"{about}{token_count(cost['tokens']) / max(1, summary['n']):,.0f}",
                *([short_usd(usd_a_question(summary))] if priced else []),
                *([show_failures(cost["parse_failures"])] if unparseable else []),
                show_failures(summary["n_error"]),
            ]
        )
    print_table(["program", *map(escape, metrics), "calls", "tokens", *dollars, *failures, "errors"], rows, console)


def _explain_results(runs: Mapping[str, Evaluation], metrics: Sequence[str], console: Console) -> None:
    """The meaning of the table's figures, the time and dollars of all runs, and the file with the whole report."""
    first, summaries = next(iter(runs.values())), {name: run.summary for name, run in runs.items()}
    means = [(each["metrics"].get(name), each["n"]) for each in summaries.values() for name in metrics]
    n_note = f"; {N_NOTE}" if any(mean and mean["n"] < asked for mean, asked in means) else ""
    head = f"{say_count(first.summary['n'], 'question')}; ± is half the 95 % interval; calls and tokens a question"
    print_note(f"{head}{n_note}", console)
    if _any_unparseable(summaries.values()):
        print_note("unparseable: completions that could not be parsed, in all", console)
    notes = {name: [each["recall"]["note"], *missing_notes(each, metrics)] for name, each in summaries.items()}
    for note, whose in by_note({name: [*filter(None, each)] for name, each in notes.items()}):
        print_note(f"{whose}{note}", console)
    for name, summary in summaries.items():
        whose = f"{name}: " if len(summaries) > 1 else ""
        if time := time_note(summary["timing"]):
            print_line(f"{whose}{time}", console, style="dim")
    print_note(paid_line(*summaries.values()), console)
    if first.keep is None:
        print_line(f"{first.folder}/summary.md has the whole report", console, style="dim")


def _any_unparseable(summaries: Iterable[Summary]) -> bool:
    return any(summary["cost"]["parse_failures"] for summary in summaries)


def short_usd(usd: float | None) -> str:
    """Dollars for a cell of a table."""
    return "unknown" if usd is None else show_usd(usd)


def show_failures(count: int) -> str:
    """A number of failures, in red where there are any."""
    return f"[red]{count:,}[/]" if count else "0"


def _metric(name: str, summary: Summary) -> str:
    """The mean, its interval, and its n where it is not over all questions."""
    found = summary["metrics"].get(name)
    if found is None:
        return "–"
    lopsided = name in summary["unmeasured"]  # its ends are not equally far from the mean
    return f"{show_interval(name, found, lopsided=lopsided)}[dim]{show_n(found['n'], summary['n'])}[/]"


def show_interval(name: str, metric: Interval, *, lopsided: bool = False) -> str:
    """A mean with half of its 95 % interval, as markup; with both ends of it where one is farther away."""
    scale, digits = unit_of(name)
    mean, low, high = f"{scale * metric['mean']:.{digits}f}", metric["low"], metric["high"]
    if low is None or high is None:
        return mean
    if lopsided:
        return f"{mean} [dim]\\[{scale * low:.{digits}f}, {scale * high:.{digits}f}][/]"
    return f"{mean}[dim]±{scale * (high - low) / 2:.{digits}f}[/]"


def show_repeats(found: Mapping[str, Repeats], console: Console) -> None:
    """The page of each program's runs: the mean of each metric over them, the lowest and the highest."""
    for repeats in found.values():
        console.print(Markdown((repeats.folder / "summary.md").read_text(encoding="utf-8")))


def show_study(study: "optimize.Study", questions: int, console: Console) -> None:
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
    print_table(["variant", "f1", "em", "calls", "tokens", *dollars, "calls to compile"], rows, console)
    n_note = f"; {N_NOTE}" if any(outcome.n < questions for outcome in study.outcomes) else ""
    asked = say_count(questions, "dev question")
    print_note(f"{asked}; ± is half the 95 % interval; calls and tokens a question{n_note}", console)
    if study.stopped:
        told = f"stopped at {say_count(study.calls_in_all, 'LM call')} in all; not finished: {', '.join(study.skipped)}"
        print_note(told, console, style="yellow")
    for name, why in study.failed.items():
        print_note(f"{name} is left out: {why}", console, style="yellow")
    if not any(outcome.f1["mean"] for outcome in study.outcomes):
        told = f"no answer of any variant is right: multihop view {study.artefact} shows them"
        print_line(told, console, style="yellow")
    print_line(f"{study.best} is saved in {study.artefact}", console)
    print_note(_why_it_is_saved(study, questions), console)
    if study.gain is not None:
        print_note(_gain(study.highest, study.gain), console)


def _why_it_is_saved(study: "optimize.Study", questions: int) -> str:
    """The place of what is saved among all variants: its own figure is that of the one that was chosen."""
    scored = len(study.outcomes)
    if scored == 1:
        return "no other variant was scored"
    if study.best == study.highest:
        return f"the highest F1 of {scored} variants, which these very questions chose: on others it may be lower"
    asked = say_count(questions, "dev question")
    return f"the fewest tokens of those that {asked} cannot tell from {study.highest}, the highest F1 of {scored}"


def _gain(variant: str, gain: Gain) -> str:
    mean, *ends = (f"{100 * each:+.1f}" for each in gain.f1[:3] if each is not None)
    interval = f" [{', '.join(ends)}]" if ends else ""
    unseen = (
        "" if excludes_zero(gain.f1) else f": {say_count(gain.f1.n, 'question')} do not show that it beats zero-shot"
    )
    return f"{variant} against zero-shot: F1 {mean}{interval}, {gain.tokens:.1f} x the tokens{unseen}"


def show_run(folder: Path, console: Console) -> None:
    """Print the run's result, and how its questions went."""
    header, run = read_header(folder), open_run(folder)
    name = program_name(header)
    show_warnings({name: run.summary}, console, command="the run's command")
    about = f"  on {lm_names(header)}, over {header['identity'].get('retriever') or 'nothing'}"
    console.print(Text.assemble((name, "bold"), (about, "dim")))
    further = [metric for metric in header["identity"].get("metrics", {}) if metric not in DEFAULT]
    show_results({name: run}, console, further=further, warned=True)
    kinds: dict[str, list[str]] = {}
    for row in run.rows():
        kinds.setdefault(outcome_of(row), []).append(row["id"])
    label = max(map(len, kinds), default=0)
    most = max((len(f"{len(ids):,}") for ids in kinds.values()), default=0)
    for kind in OUTCOMES:
        if ids := kinds.get(kind):
            head = f"{kind:<{label}}  {len(ids):>{most},}  "
            named = list_ids(ids, console.width - cell_len(head))
            console.print(Text.assemble(head, (named, "dim")), soft_wrap=True)
    told = (
        f"multihop show {folder} QUESTION draws the search for an answer, multihop view {folder} writes a page of all"
    )
    print_line(told, console, style="dim")


def list_ids(ids: Sequence[str], width: int) -> str:
    """The first ids, as many as fit into the width."""
    return cut(", ".join(ids[:IDS]) + (" …" if len(ids) > IDS else ""), width)


OUTCOMES = ("right", "wrong, all gold found", "wrong, gold missing", "wrong", "not judged", "failed")
"""The ways in which a question may have gone."""


def outcome_of(row: Row) -> str:
    """One of `OUTCOMES`, by exact match; "wrong" alone where it is unknown what was found."""
    if row["status"] == "error":
        return "failed"
    right, found = row["metrics"].get("em"), row["metrics"].get("recall@K")
    if right is None:
        return "not judged"
    if right == 1:
        return "right"
    return "wrong" if found is None else "wrong, all gold found" if found == 1 else "wrong, gold missing"


def show_question(folder: Path, question: str, console: Console) -> None:
    """A finished question: its answer beside the gold, its passages, and the steps taken."""
    header = read_header(folder)
    row = read_question(folder, question)
    console.print(Text(row["question"], style="bold"))
    right = outcome_of(row) == "right"
    colour = ANSWER if right else REJECTED
    if failure := row.get("error"):
        console.print(Text.assemble("→ ", (f"{failure['type']}: {failure['message']}", f"bold {colour}")))
    else:
        console.print(answer_line(str(row["answer"] or ""), colour))
    if row["answers"]:
        console.print(Text.assemble(("gold: ", "dim"), " / ".join(row["answers"])))
    elif not row.get("answerable", True):
        print_note("gold: it cannot be answered", console)
    numbers = [f"{name} {show_number(name, value)}" for name, value in row["metrics"].items() if value is not None]
    print_note(", ".join([row["id"], *numbers]), console)
    for name, why in row.get("unmeasured", {}).items():
        console.print(Text(f"{name} failed: {why['type']}: {why['message']}", style="yellow"))
    if row["status"] == "over_budget":
        print_note("the budget ran out; the answer rests on what was found until then", console, style="yellow")
    if row["passages"] or row["supporting"]:
        console.print("\npassages", style="dim")
        for line in _passage_lines(row):
            console.print(Padding(line, (0, 0, 0, 2)))
    show_steps(program_name(header), lm_names(header), row["trajectory"], console)
    console.print(f"\n{cost_line(row['cost'])}", style="dim", highlight=False)


def _passage_lines(row: Row) -> Iterator[Text]:
    """The passages returned, gold ones marked, and the gold that is missing."""
    titles = {hit["id"]: hit["title"] for step in searches(row["trajectory"]) for hit in step.get("hits", ())}
    gold = set(row["supporting"])
    returned = [identifier for identifier, _ in row["passages"]]
    for number, identifier in enumerate(returned[:PASSAGES], 1):
        mark = ("● ", "green") if identifier in gold else ("  ", "")
        yield Text.assemble(
            f"{number:>2}. ", mark, (titles.get(identifier) or identifier, "cyan"), (f"  {identifier}", "dim")
        )
    if len(returned) > PASSAGES:
        yield Text(f"… and {len(returned) - PASSAGES} more", style="dim")
    if missing := [identifier for identifier in row["supporting"] if identifier not in returned]:
        named = ", ".join(titles.get(identifier) or identifier for identifier in missing)
        yield Text.assemble(("gold that is not among them: ", "red"), named)
