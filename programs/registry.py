"""Every program by name, also installed ones and your own, and the one way to make one from its name and settings."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base import InputError
from ..base.imports import Kind, Lazy, find_by_name, installed_points, is_reference, load_entry_point
from ..retrieval import RetrieverLike
from ..runtime import Program
from .presets import preset_for


def listed_programs() -> dict[str, str]:
    """The programs' classes, as MODULE:CLASS below this package, by the names behind their lines in `__init__.pyi`."""
    lines = Path(__file__).with_name("__init__.pyi").read_text(encoding="utf-8").splitlines()
    imports = [line.split() for line in lines if "  # " in line]  # from .HOME import CLASS as CLASS  # NAME
    return {words[7]: f"{words[1].removeprefix('.')}:{words[3]}" for words in imports}


PROGRAMS: Mapping[str, type[Program]] = Lazy(__package__, listed_programs())
"""All programs by the name that the command line and artefacts use."""

KIND = Kind("program", "multihop.programs", "MODULE:CLASS")
"""The names of programs: those above, those of installed packages, and your own."""


def program_named(name: str) -> type[Program]:
    """The program's class: of this library, of an installed package, or your own as MODULE:CLASS."""
    program = find_by_name(KIND, name, PROGRAMS)
    if not (isinstance(program, type) and issubclass(program, Program)):
        raise InputError(f"'{name}' is not a program: it is no class made from multihop.Program.")
    if not is_reference(name) and program.name != name:
        raise InputError(f"the installed program '{name}' calls itself '{program.name}'; the two names must be one.")
    check_name(program)
    return program


def check_name(program: type[Program]) -> None:
    """Refuse a class with the name of a program of this library: what is saved of it would be taken for that one."""
    if PROGRAMS.get(program.name, program) is not program:
        raise InputError(
            f"{reference_of(program)} calls itself '{program.name}', as a program of multihop is called; "
            "give the class another `name`."
        )


def reference_of(program: type[Program]) -> str:
    """The program's class as MODULE:CLASS."""
    return f"{program.__module__}:{program.__qualname__}"


def is_found_by_name(program: type[Program]) -> bool:
    """True if the program's name alone finds it, since it is of this library or of an installed package."""
    if program.name in PROGRAMS:
        return PROGRAMS[program.name] is program
    points = installed_points(KIND)
    return program.name in points and load_entry_point(KIND, points[program.name]) is program


def create(
    name: str | type[Program], retriever: RetrieverLike | None = None, *, preset: str | None = None, **settings: Any
) -> Program:
    """A program by name or class, ready to call.

    Args:
        name: The program.
        retriever: The retriever, if the program takes one.
        preset: A paper's values, as PAPER/TABLE; the LM's are in `open_preset(preset).lm_options()`.
        **settings: Settings, which count before those of the preset.

    Examples:
        >>> from multihop.programs import create
        >>> create("direct", retries=1).settings["retries"]
        1
        >>> tree = create("tor", lambda query, k: [], preset="tor/table-1", depth=2)
        >>> tree.settings["order"], tree.settings["depth"]
        ('depth-first', 2)
    """
    program = program_named(name) if isinstance(name, str) else name
    if preset is not None:
        settings = {**preset_for(preset, program.name).values(), **settings}
    return program(retriever, **settings) if program.retrieves else program(**settings)


def create_again(program: Program, **settings: Any) -> Program:
    """A program made anew, with other settings where they are given."""
    all_settings = {**program.settings, **({"lms": program.step_lms} if program.step_lms else {}), **settings}
    return create(type(program), program.retriever, **all_settings)
