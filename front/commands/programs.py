"""`multihop programs`: every program with its paper, what it costs and what can be set."""

from typing import Annotated, Any

import ujson
from cyclopts import Parameter


def programs_command(*, json: Annotated[bool, Parameter(negative=())] = False) -> None:
    """List the programs, also those of installed packages: papers, LM calls a question, and settings.

    For example:

        multihop programs
        multihop programs --json

    Parameters
    ----------
    json
        Print one JSON array instead.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.padding import Padding

    from ..terminal.as_json import print_json
    from ..terminal.program_list import list_programs

    listed = list_programs()
    if json:
        print_json(listed.programs)
        return
    console = Console()
    for row in listed.programs:
        console.print(f"[bold]{row['name']}[/]  [dim]{escape(row['paper'])}; LM calls: {escape(row['calls'])}[/]")
        console.print(Padding(escape(row["what"]), (0, 0, 0, 2)))
        if row["settings"]:
            console.print(Padding(escape(_as_arguments(row["settings"])), (0, 0, 0, 2)), style="cyan", highlight=False)
    console.print(f"\nevery program  [cyan]{_as_arguments(listed.shared)}[/]", highlight=False)


def _as_arguments(settings: dict[str, Any]) -> str:
    """Settings as `--set` takes them."""
    return " ".join(f"{name}={_value(value)}" for name, value in settings.items())


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_value, value))
    return value if isinstance(value, str) else ujson.dumps(value)
