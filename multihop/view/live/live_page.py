"""A run that goes on as a page, which asks its own server every second how far it is."""

import os
from typing import NotRequired, TypedDict

from ...evaluation.report.report import SIMULATED, show_number
from ..packing import as_page_json
from ..page import page_parts
from ..runs.figures import Bar, make_bar
from ..runs.run_card import Fact
from .live_runs import LiveRunsState
from .live_state import LastQuestion, LiveMetric, LiveState
from .live_words import STATUSES, facts_of

LIVE_SCRIPTS = ("elements", "live")
STATE = "state.json"
"""The address from which the page reads the run's state."""
MARKS = {True: "right", False: "wrong", None: "unknown"}


class ShownQuestion(TypedDict):
    """A question that was finished lately."""

    id: str
    """Its id."""
    question: str
    """The question."""
    answer: str
    """The answer; in an error the error's name."""
    mark: str
    """"right", "wrong", "error" or "unknown"."""
    note: NotRequired[str]
    """A further remark on it."""


class LivePage(TypedDict):
    """The values that the page draws."""

    title: str
    """The program."""
    under: str
    """The LM and the folder."""
    warning: str
    """The warning before all figures; may be empty."""
    running: bool
    """True while somebody is at work on it."""
    status: str
    """The same in words."""
    done: str
    """The number of questions that are finished, of how many."""
    share: float
    """The same in percent."""
    bars: list[Bar]
    """The metrics."""
    facts: list[Fact]
    """Speed, time to go, cost, errors."""
    questions: list[ShownQuestion]
    """The last few questions, the newest first."""
    earlier: list[Fact]
    """Repeats that have ended, each with how far it came."""


def live_page(state: LiveRunsState) -> str:
    """The page as it is now; it keeps itself up to date."""
    values = describe_live(state)
    data = as_page_json(values)
    parts = page_parts("live.html", scripts=LIVE_SCRIPTS, asks=True, title=values["title"], data=data)
    return "".join(parts)


def describe_live(state: LiveRunsState) -> LivePage:
    """The state of the runs, ready to be drawn."""
    *earlier, run = state["runs"]
    status = run["status"] if state["status"] != "running" else "running"
    return {
        "title": run["program"],
        "under": f"{run['lm']} · {run['folder']}",
        "warning": SIMULATED if run["simulated"] else "",
        "running": state["status"] == "running",
        "status": STATUSES[status],
        "done": f"{run['done']:,} of {run['total']:,} questions",
        "share": round(100 * run["done"] / max(1, run["total"]), 2),
        "bars": [_bar(name, found) for name, found in run["metrics"].items()],
        "facts": facts_of(run),
        "questions": [_shown(each) for each in run["last"]],
        "earlier": [(os.path.basename(each["folder"]), _in_short(each)) for each in earlier],
    }


def _bar(name: str, found: LiveMetric) -> Bar:
    if "low" not in found or "high" not in found:
        return {"name": name, "text": show_number(name, found["mean"]), "interval": "–", "n": found["n"]}
    return make_bar(name, {"mean": found["mean"], "low": found["low"], "high": found["high"]}, found["n"])


def _shown(question: LastQuestion) -> ShownQuestion:
    shown: ShownQuestion = {
        "id": question["id"],
        "question": question["question"],
        "answer": question["answer"] or "–",
        "mark": "error" if question["status"] == "error" else MARKS[question["right"]],
    }
    if question["status"] == "over_budget":
        shown["note"] = "cut short by the budget"
    return shown


def _in_short(run: LiveState) -> str:
    exact = run["metrics"].get("em")
    figure = "" if exact is None else f", em {show_number('em', exact['mean'])} (n={exact['n']:,})"
    return f"{run['done']:,} of {run['total']:,} questions, {STATUSES[run['status']]}{figure}"
