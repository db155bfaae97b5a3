"""The state of a run in words: the same in a terminal and on a page."""

from collections.abc import Iterator, Mapping

from ...base.plurals import say_count
from ...base.progress_line import clock, per_minute
from ..runs.run_card import Fact
from .live_state import LiveState

STATUSES = {
    "running": "running",
    "finished": "finished",
    "interrupted": "interrupted; the same command goes on with it",
    "abandoned": "nobody works on it now; the same command goes on with it",
}
"""Each status in words."""


def facts_of(state: LiveState) -> list[Fact]:
    """The facts about the run besides its metrics; facts that do not apply are left out.

    Examples:
        >>> from multihop.view.live.live_words import facts_of
        >>> state = {"status": "running", "done": 4, "per_minute": 12.0, "seconds_left": 75.0, "idle_seconds": 3.2,
        ...          "calls": 10, "tokens": 4800, "parse_failures": 0, "over_budget": 1, "errors": {"TimeoutError": 1},
        ...          "unmeasured": {}}
        >>> for name, text in facts_of(state):
        ...     print(f"{name}: {text}")
        speed: 12 questions a minute
        time to go: 1:15
        last finished: 3 s ago
        LM calls: 10, 2.50 a question
        tokens: 4,800, 1,200 a question
        cut short by the budget: 1 question
        errors: TimeoutError 1
    """
    return list(_facts(state))


def _facts(state: LiveState) -> Iterator[Fact]:
    asked = max(1, state["done"])
    if state["per_minute"] is not None:
        yield "speed", f"{per_minute(state['per_minute'] / 60)} questions a minute"
    if state["status"] == "running":
        if state["seconds_left"] is not None:
            yield "time to go", clock(state["seconds_left"])
        if state["idle_seconds"] is not None:
            yield "last finished", f"{_ago(state['idle_seconds'])} ago"
    yield "LM calls", f"{state['calls']:,}, {state['calls'] / asked:,.2f} a question"
    yield "tokens", f"{state['tokens']:,}, {state['tokens'] / asked:,.0f} a question"
    if state["parse_failures"]:
        yield "unparseable completions", f"{state['parse_failures']:,}"
    if state["over_budget"]:
        yield "cut short by the budget", say_count(state["over_budget"], "question")
    if state["errors"]:
        yield "errors", _counted(state["errors"])
    if state["unmeasured"]:
        yield "not measured", f"{_counted(state['unmeasured'])}; counted against the intervals"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())


def _ago(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 60 else clock(seconds)
