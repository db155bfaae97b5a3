import io
import logging
import sys
import types

import dspy
import pytest
from rich.console import Console
from toys import echo, words
from written_runs import plain_row

from multihop import scripted
from multihop.evaluation import evaluate
from multihop.evaluation.progress import Progress
from multihop.programs import Direct


def row(identifier, status="ok", unparsed=0, matched_by="id", **metrics):
    made = plain_row(identifier, status, calls=1, matched_by=matched_by, metrics=metrics)
    return {**made, "cost": {**made["cost"], "parse_failures": unparsed}}


def screen(**options):
    return Console(file=io.StringIO(), force_jupyter=False, **{"width": 160, "force_terminal": False, **options})


def shown(*rows, **options):
    console = screen()
    with Progress("tor", 4, console, **options) as progress:
        for one in rows:
            progress.watch(one)
    return console.file.getvalue().splitlines()


def figures(line):
    """A line's figures by their names, without those of time."""
    found = dict(each.replace("cut short", "cut-short").split(" ", 1) for each in line.split("  "))
    return {name: value for name, value in found.items() if name not in ("left", "questions/min")}


def test_a_line_says_how_the_run_stands():
    last = shown(row("q1", em=1.0, f1=1.0, **{"recall@5": 0.5}), row("q2", "error"))[-1]
    assert figures(last) == {
        "tor": "2/4", "em": "100.0 (n=1)", "f1": "100.0 (n=1)", "recall@5": "50.0 (n=1)",
        "errors": "1", "calls": "2", "tokens": "22",
    }  # fmt: skip
    assert [last.split("  ")[place].partition(" ")[0] for place in (1, -1)] == ["left", "questions/min"]
    assert shown(row("q1"), lines=False) == []


def test_from_five_questions_on_the_line_shows_the_interval_of_the_report():
    lines = shown(*(row(f"q{n}", em=float(n < 2)) for n in range(5)))
    assert figures(lines[-1])["em"] == "40.0±32.6"


def test_a_recall_of_nothing_recognised_is_not_shown_as_0_and_what_is_unparseable_is():
    missed = row("q1", matched_by="nothing recognised", unparsed=3, **{"recall@5": 0.0})
    assert figures(shown(missed)[-1]) == {
        "tor": "1/4", "em": "–", "f1": "–", "recall@5": "–", "unparseable": "3", "calls": "1", "tokens": "11"
    }  # fmt: skip
    found = row("q2", matched_by="title", **{"recall@5": 0.5})
    assert figures(shown(missed, found)[-1])["recall@5"] == "25.0"


def test_what_is_measured_again_counts_once():
    failed = {**row("q1", em=1.0, f1=None), "unmeasured": {"f1": {"type": "TimeoutError", "message": ""}}}
    lines = shown(failed, row("q2", "over_budget", em=1.0, f1=0.0), row("q1", em=1.0, f1=1.0))
    first = {"tor": "1/4", "em": "100.0", "f1": "–", "recall@5": "–", "unmeasured": "1"}
    assert figures(lines[0]) == {**first, "calls": "1", "tokens": "11"}
    last = {"tor": "2/4", "em": "100.0", "f1": "50.0", "recall@5": "–", "cut-short": "1"}
    assert figures(lines[-1]) == {**last, "calls": "2", "tokens": "22"}


def test_answers_that_are_cut_off_are_counted_and_not_written(caplog):
    console, logger = screen(), logging.getLogger("dspy.clients.lm")
    with Progress("tor", 4, console) as progress:
        logger.warning("LM response was truncated; increase max_tokens or inspect history.")
        logger.warning("another warning")
        progress.watch(row("q1"))
    assert "cut off 1  calls 1  tokens 11  questions/min" in console.file.getvalue()
    logger.warning("LM response was truncated afterwards")
    told = [record.getMessage() for record in caplog.records]
    assert told == ["another warning", "LM response was truncated afterwards"]


def evaluated(progress):
    with dspy.context(lm=scripted(echo)):
        evaluate(Direct(), words(3), progress=progress)


def test_a_terminal_gets_a_line():
    console = screen(force_terminal=True)
    evaluated(Progress("direct", 3, console))
    assert "questions/min" in console.file.getvalue()
    assert "direct 3/3" in console.file.getvalue()


def set_clock(monkeypatch, now):
    monkeypatch.setattr("multihop.evaluation.progress.time", types.SimpleNamespace(monotonic=now))


@pytest.mark.parametrize("width", [20, 80])
def test_the_line_of_a_terminal_is_never_wider_than_it(width, monkeypatch):
    console = screen(width=width, force_terminal=True, color_system=None)
    progress = Progress("a program of one's own, 漢字", 123_456, console)
    for place in range(30):
        one = row(f"q{place}", "ok" if place % 7 else "error", unparsed=1, em=float(place % 2), f1=0.5)
        progress.watch({**one, "cost": {**one["cost"], "tokens": {"m": {"in": 54_321, "out": 99}}}})
    set_clock(monkeypatch, lambda: progress.started + 100.0)
    line = progress._moving()
    assert line.cell_len <= width
    console.print(line)
    assert console.file.getvalue().count("\n") == 1


def test_plain_lines_become_rarer(monkeypatch):
    clock, console = iter(range(100_000)), screen()
    set_clock(monkeypatch, lambda: float(next(clock)))
    with Progress("tor", 5000, console) as progress:
        for place in range(2000):
            progress.watch(row(f"q{place}"))
    assert 20 < len(console.file.getvalue().splitlines()) < 60


@pytest.fixture
def pages(monkeypatch):
    """What a kernel, as IPython shows it to the code that runs in it, shows in a cell, one after the other."""
    pages = []
    ipython, display = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    ipython.get_ipython = lambda: types.SimpleNamespace()
    cell = types.SimpleNamespace(update=lambda page, raw: pages.append(page))
    display.display = lambda page, raw, display_id: cell
    for module in (types.ModuleType("ipykernel"), ipython, display):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return pages


def test_a_notebook_gets_a_cell_that_is_written_anew(pages, capsys):
    evaluated(True)
    assert pages[-1]["text/plain"].startswith("direct 3/3  left 0:00  em 100.0")
    pages.clear()
    evaluated(False)
    assert pages == []
    assert capsys.readouterr() == ("", "")
