"""The list of programs: those of this library from a file, so that DSPy need not be loaded to read it."""

from importlib.metadata import entry_points
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import ujson

if TYPE_CHECKING:
    from rich.console import Console

    from ...runtime import Program

OURS = Path(__file__).with_name("programs.json")
"""Our programs as `describe_program` gives them, and the settings of all programs; docs/make_programs.py writes it."""
GROUP = "multihop.programs"
"""The entry points of installed packages that offer programs."""


class ListedProgram(TypedDict):
    """A program as the list shows it."""

    name: str
    """Its name."""
    what: str
    """Its answer, in a sentence."""
    paper: str
    """The paper of the method."""
    calls: str
    """LM calls a question, in words."""
    most_calls: int | None
    """LM calls a question at most with the defaults, retries apart; null where nobody knows."""
    retrieves: bool
    """True if it needs a retriever."""
    settings: dict[str, Any]
    """The defaults of what can be set on it alone."""


class ProgramList(NamedTuple):
    """All programs."""

    programs: list[ListedProgram]
    """Each of them."""
    shared: dict[str, Any]
    """The defaults of what can be set on every program."""


def list_programs() -> ProgramList:
    """Installed packages' programs, then those of this library."""
    listed = ProgramList(**ujson.loads(OURS.read_bytes()))
    installed = sorted({point.name for point in entry_points(group=GROUP)})
    if installed:
        from ...programs import PROGRAMS, program_named

        others = [describe_program(name, program_named(name)) for name in installed if name not in PROGRAMS]
        return listed._replace(programs=[*others, *listed.programs])
    return listed


def describe_program(name: str, program: "type[Program]") -> ListedProgram:
    """A program as its class says."""
    from ...runtime import Program, settings_of

    shared, made = settings_of(Program), with_defaults(program)
    return {
        "name": name,
        "what": (program.__doc__ or "").strip().splitlines()[0],
        "paper": program.paper,
        "calls": program.calls,
        "most_calls": made.most_calls() if made else None,
        "retrieves": program.retrieves,
        "settings": {own: setting.default for own, setting in settings_of(program).items() if own not in shared},
    }


def with_defaults(program: "type[Program]") -> "Program | None":
    """The program as it is without any settings, over no passages; None where a setting has no default."""
    from ...programs import create
    from ...runtime import settings_of

    if any(setting.default is Parameter.empty for setting in settings_of(program).values()):
        return None
    return create(program, lambda query, k: [])


def show_programs(listed: ProgramList, console: "Console") -> None:
    """Print the list."""
    from rich.padding import Padding
    from rich.text import Text

    for row in listed.programs:
        console.print(Text.assemble((row["name"], "bold"), "  ", (row["paper"], "dim")))
        console.print(Padding(Text(row["what"]), (0, 0, 0, 2)))
        console.print(Padding(Text(f"LM calls: {calls_in_words(row)}", style="dim"), (0, 0, 0, 2)))
        if row["settings"]:
            console.print(Padding(Text(_as_arguments(row["settings"]), style="cyan"), (0, 0, 0, 2)))
    console.print(Text.assemble("\nevery program  ", (_as_arguments(listed.shared), "cyan")))
    console.print("multihop programs NAME explains a program and its settings", style="dim")


def calls_in_words(program: ListedProgram) -> str:
    """LM calls a question, and how many they are at most."""
    calls, most = program["calls"], program["most_calls"]
    return calls if most is None or calls.isdigit() else f"{calls}; at most {most}"


def _as_arguments(settings: dict[str, Any]) -> str:
    return " ".join(f"{name}={as_setting(value)}" for name, value in settings.items())


def as_setting(value: Any) -> str:
    """A setting's value as `--set` takes it."""
    if isinstance(value, list | tuple):
        return ",".join(map(as_setting, value)) or "[]"
    return value if isinstance(value, str) else ujson.dumps(value)
