"""Experiments, their prices and their tables in a terminal."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding

from ..base.texts import say_count
from ..evaluation.summary import total
from ..experiments.experiment import MEAN, OWN, Experiment
from ..experiments.figures import head
from ..experiments.plan import READS, Price, plan_runs, price
from ..experiments.rendered_table import NONE, TEST_NOTE, render
from ..experiments.study_table import StudyTable
from ..runtime import show_usd
from .output import facts_table, print_line, print_note, print_table, show_count
from .program_options import as_setting
from .shared_options import pick
from .show_results import N_NOTE

COUNTS = ("questions", "most_calls", "compile_calls", "judge_calls")
"""The numbers of a price that are added up."""


def show_experiments(experiments: Sequence[Experiment], console: Console) -> None:
    """A line for each: what it is, and what all of it takes."""
    found = experiments_in_short(experiments)
    for title, ours in (("paper and table", False), ("multihop's own (--data)", True)):
        rows = [
            [
                each["name"],
                escape(each["place"] if ours else f"{each['paper'].partition(' (')[0]}, {each['place']}"),
                str(each["rows"]),
                show_count(each["questions"]),
                _brief(each["most_calls"]),
            ]
            for each in found
            if (each["paper"] == "multihop") is ours
        ]
        print_table(["experiment", title, "rows", "questions", "LM calls"], rows, console, left=2)
    print_line("questions of all rows on all sets; LM calls at most, searches take far fewer", console, style="dim")
    told = "multihop experiments NAME shows one, multihop reproduce NAME --dry-run prices it"
    print_line(told, console, style="dim")


def experiments_in_short(experiments: Sequence[Experiment]) -> list[dict[str, Any]]:
    """Each experiment as names, texts, numbers and None."""
    found = []
    for each in experiments:
        prices = [price(run, counts=False) for run in plan_runs(each, each.sets)]
        sums = {what: total(getattr(one, what) for one in prices) for what in COUNTS}
        found.append({**pick(each, "name", "title", "paper", "place"), "rows": len(each.rows), **sums})
    return found


def show_experiment(experiment: Experiment, console: Console) -> None:
    """One experiment: where it comes from, its rows, its published figures, and how it differs here."""
    console.print(f"[bold]{escape(experiment.title)}[/]\n{escape(f'{experiment.paper}, {experiment.place}')}")
    facts = {
        "published LM": experiment.lm,
        "published retriever": experiment.retriever,
        "published corpus": experiment.corpus,
        "published questions": experiment.questions,
        "published decoding": ", ".join(f"{name}={value}" for name, value in experiment.decoding.items()),
        "published demonstrations": str(experiment.shots or ""),
        "published runs": f"the mean of {experiment.runs}" if experiment.runs > 1 else "",
        "published judge": experiment.judge,
        "preset": experiment.preset,
    }
    console.print(facts_table(facts))
    _show_rows(experiment, console)
    _show_published(experiment, console)
    for text in experiment.differs:
        console.print(Padding(f"- {escape(text)}", (0, 0, 0, 2)), highlight=False)


def _show_rows(experiment: Experiment, console: Console) -> None:
    """Each row as a program with its settings."""
    runs = {run.row.name: run for run in reversed(plan_runs(experiment, experiment.sets))}
    console.print("\n[bold]rows[/], as programs with their settings, and LM calls a question at most")
    for row in experiment.rows:
        if not row.program:
            line = f"{row.name}: published alone; {row.note}"
            console.print(Padding(escape(line), (0, 0, 0, 2)), highlight=False)
            continue
        settings = [_as_given(row.settings)] if row.settings else []
        settings += [f"{_as_given(values)} on {name}" for name, values in row.settings_on.items()]
        settings += [f"{step} by {lm}" for step, lm in row.step_lms.items()]
        settings += [f"weights of {'its own set' if row.weights == OWN else row.weights}"] if row.weights else []
        settings += ["without reading"] if runs[row.name].settings.get(READS) is False else []
        settings += [say_count(row.shots, "demonstration")] if row.shots not in (None, experiment.shots) else []
        settings += [say_count(row.repeats, "time")] if row.repeats is not None else []
        line = f"{row.name}: {' '.join([row.program, *settings])}; {show_count(runs[row.name].most_calls)}"
        line += f"; {row.note}" if row.note else ""
        console.print(Padding(escape(line), (0, 0, 0, 2)), highlight=False)


def _show_published(experiment: Experiment, console: Console) -> None:
    """The published figures, a table for each question set."""
    titles = {name: each.title for name, each in experiment.sets.items()}
    titles |= {MEAN: "the mean"} if any(column.set == MEAN for column in experiment.columns) else {}
    for name, title in titles.items():
        if all(row.published[place] is None for row in experiment.rows for place in range(len(experiment.columns))):
            return  # the notes of the rows say what is published
        columns = [place for place, column in enumerate(experiment.columns) if column.set == name]
        several = len({experiment.columns[place].lm for place in columns}) > 1
        heads = []
        for place in columns:
            column = experiment.columns[place]
            measure = experiment.measure(experiment.rows[0], column)._replace(metric=column.metric)
            heads.append((column.title or head(measure)) + (f"\n{column.lm}" if several else ""))
        rows = [
            [
                escape(row.name),
                *(NONE if row.published[place] is None else f"{row.published[place]:g}" for place in columns),
            ]
            for row in experiment.rows
        ]
        print_table([f"published, {escape(title)}", *map(escape, heads)], rows, console)


def prices_in_short(prices: Sequence[Price]) -> list[dict[str, Any]]:
    """Prices as rows of names, numbers and None."""
    return [
        {
            "row": each.run.row.name,
            "lm": each.run.lm,
            "set": each.run.asked.name,
            **pick(each, "questions", "finished", *COUNTS[1:]),
        }
        for each in prices
    ]


def show_prices(prices: Sequence[Price], console: Console) -> None:
    """Print what would be asked, run by run."""
    rows = []
    for each in prices:
        name, title = escape(each.run.label(one.run for one in prices)), escape(each.run.asked.title)
        rows.append([name, title, show_count(each.questions), f"{each.finished:,}", show_count(each.most_calls)])
    print_table(["row", "questions of", "asked", "finished", "LM calls at most"], rows, console, left=2)
    calls, questions = total(one.most_calls for one in prices), total(one.questions for one in prices)
    learned, judged = total(one.compile_calls for one in prices), total(one.judge_calls for one in prices)
    compiling = f", about {show_count(learned)} calls to compile rows" if learned != 0 else ""
    judging = f", and {show_count(judged)} of the judge (--judge-lm)" if judged != 0 else ""
    console.print(
        f"nothing is asked: {say_count(len(prices), 'run')}, {show_count(questions)} questions, at most "
        f"{show_count(calls)} LM calls{compiling}{judging} for what is missing",
        highlight=False,
    )


def show_reproduction(table: StudyTable, folder: str, console: Console) -> None:
    """Print what sets it apart, then the published figures beside ours."""
    shown = render(table)
    console.print(f"[bold yellow]{escape(shown.warning)}[/]", highlight=False)
    console.print(f"\n{escape(shown.title)}\n{escape(shown.place)}", style="bold")
    heads = ["row", "figure", "published", "ours", "differs", "calls", "tokens"]
    for each in shown.sets:
        console.print(f"\n[bold]{escape(each.name)}[/]")
        lines = []
        for line in each.lines:
            ours = f"{line.ours}[dim]{line.half}{line.n}[/]"
            for more in filter(None, (line.lacks, line.spread)):  # below, or the table grows too wide
                ours += f"\n[dim]{escape(more)}[/]"
            label, figure = escape(line.row), escape(line.figure)
            lines.append([label, figure, line.published, ours, line.difference, line.calls, line.tokens])
        print_table(heads, lines, console, left=2)
    begun = {row["folder"]: row for row in table["rows"] if row["n"]}.values()  # several sets may share a run
    paid, usd = total(row["paid_calls"] for row in begun), total(row.get("paid_usd") for row in begun)
    dollars = "" if usd == 0 else f", {show_usd(usd)}"
    n_note = f"; {N_NOTE}" if shown.has_n else ""
    paid_in_all = f"{show_count(paid)} LM call{'' if paid == 1 else 's'}{dollars}"
    print_note(f"± is half the 95 % interval; calls and tokens a question{n_note}; paid in all: {paid_in_all}", console)
    for name, tests in shown.tests.items():
        console.print(f"\n[bold]{escape(name)}, row against row[/]")
        rows = [[*map(escape, (*test[:3], *test[5:]))] for test in tests]
        print_table(["row", "against", "figure", "difference", "95 % interval", "p", "n"], rows, console, left=2)
    if shown.tests:
        print_note(TEST_NOTE, console)
    if shown.has_repeats:
        print_note("ours of several runs: mean [lowest run, highest run]", console)
    for text in shown.differs:
        console.print(Padding(f"- {escape(text)}", (0, 0, 0, 2)), style="dim", highlight=False)
    if table["stopped"]:
        print_note("the LM calls are used up; the same command with more goes on from here", console, style="yellow")
    print_line(f"{folder}/table.md and {folder}/table.json hold the table", console, style="dim")


def _brief(number: int | None) -> str:
    """Millions as such, so that the column is never cut."""
    return show_count(number) if number is None or number < 1_000_000 else f"{number / 1e6:.1f} M"


def _as_given(settings: dict[str, object]) -> str:
    return " ".join(f"{name}={as_setting(value)}" for name, value in settings.items())
