"""`multihop watch`: how far a run is, in another terminal or on a page."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.single import AsJSON


def watch_command(
    run: Path,
    /,
    *,
    page: Annotated[bool, Parameter(negative=())] = False,
    port: Annotated[int | None, Parameter(validator=Number(gte=0, lte=65535))] = None,
    json: AsJSON = False,
) -> None:
    """Show how far a run is while it goes on.

    Shown are metrics, cost, errors, the time to go and the last few questions.

    It reads the run's files alone, so it can be begun and stopped (Ctrl-C) at any moment. It ends when the run has
    ended. In a pipe it says a line now and then.

    For example:

        multihop watch runs/first
        multihop watch runs/first --page
        multihop watch runs/first --json

    Parameters
    ----------
    run
        The run's folder, or that of its repeats.
    page
        Show it as a page that keeps itself up to date, for the browsers of this machine, until Ctrl-C.
    port
        For --page: the port; any free one by default.
    json
        Print how far it is now as one JSON object, and end.
    """
    from ...base import InputError
    from ...base.terminal import Terminal
    from ...view.live.live_runs import LiveRuns
    from ..showing.output import print_json
    from ..watching.watching import watch_runs

    if port is not None and not page:
        raise InputError("--port is where the page is served; give --page as well.")
    if page and json:
        raise InputError("--page and --json are two ways to show a run; give one of them.")
    runs = LiveRuns(run)
    try:
        if json:
            print_json(runs.read())
        elif page:
            from ..watching.watching_page import serve_live_page

            serve_live_page(runs, port or 0)
        else:
            watch_runs(runs, Terminal())
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped watching {run}; the run itself is left alone.") from None
