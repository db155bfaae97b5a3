"""The list of programs: those of this library from a file, so that DSPy need not be loaded to read it."""

from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import ujson

if TYPE_CHECKING:
    from ..runtime import Program

OURS = Path(__file__).with_name("programs.json")
"""What `describe_program` says of our programs, and what all programs' settings are; docs/make_programs.py makes it."""
GROUP = "multihop.programs"
"""The entry points of installed packages that offer programs."""


class ListedProgram(TypedDict):
    """A program as the list shows it."""

    name: str
    """Its name."""
    what: str
    """What it gives, in a sentence."""
    paper: str
    """Where the method comes from."""
    calls: str
    """LM calls a question, in words."""
    retrieves: bool
    """Whether it needs a retriever."""
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
        from ..programs import PROGRAMS, program_named

        others = [describe_program(name, program_named(name)) for name in installed if name not in PROGRAMS]
        return listed._replace(programs=[*others, *listed.programs])
    return listed


def describe_program(name: str, program: "type[Program]") -> ListedProgram:
    """A program as its class says."""
    from ..runtime import Program, settings_of

    shared = settings_of(Program)
    return {
        "name": name,
        "what": (program.__doc__ or "").strip().splitlines()[0],
        "paper": program.paper,
        "calls": program.calls,
        "retrieves": program.retrieves,
        "settings": {own: setting.default for own, setting in settings_of(program).items() if own not in shared},
    }
