"""`multihop watch`: a run's figures on the screen for as long as somebody works on it."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...base.progress_line import plain_pause
from ..showing.output import print_line

if TYPE_CHECKING:
    from rich.console import Console

    from ...view.live.live_runs import LiveRuns

LOOK_SECONDS = 0.5
"""Between two looks at the run's files."""
PLAIN_SECONDS = 5.0
"""Between two lines at first, where there is no terminal."""


def watch_runs(runs: "LiveRuns", console: "Console", *, wait: Callable[[float], None] = time.sleep) -> None:
    """Show how far the runs are until nobody works on them any more; the runs are left alone.

    Args:
        runs: What is watched.
        console: Where it is shown: anew at each look in a terminal, a line now and then elsewhere.
        wait: Lets so many seconds pass.

    Raises:
        InputError: The folder holds no run, or a damaged one.
    """
    state = runs.read()
    if not console.is_terminal:
        _write_lines(runs, console, wait)
        return
    from rich.live import Live

    from .watching_table import draw_runs

    with Live(draw_runs(state, console.height - 1), console=console, auto_refresh=False) as live:
        while state["status"] == "running":
            wait(LOOK_SECONDS)
            state = runs.read()
            live.update(draw_runs(state, console.height - 1), refresh=True)


def _write_lines(runs: "LiveRuns", console: "Console", wait: Callable[[float], None]) -> None:
    from .watching_table import live_line

    worked, printed = 0.0, None
    while True:
        state = runs.read()
        line, ended = live_line(state["runs"][-1]), state["status"] != "running"
        if printed is None or ended or worked - printed >= plain_pause(worked, PLAIN_SECONDS):
            print_line(line, console)
            printed = worked
        if ended:
            return
        wait(LOOK_SECONDS)
        worked += LOOK_SECONDS
