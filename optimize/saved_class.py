"""The class of a saved program: found by its name, handed over, or imported from a module that was allowed.

A file that names a class of one's own is data from anywhere: by itself it must never make anything be imported.
"""

import os
from collections.abc import Collection

from ..base import InputError
from ..base.imports import import_reference, is_reference
from ..programs import program_named
from ..programs.registry import KIND, check_name, is_found_by_name, reference_of
from ..runtime import Program
from .saved_program import Block


def class_to_save(program: Program) -> str | None:
    """The program's class as a file names it beside the name: MODULE:CLASS, or None where the name alone finds it.

    Raises:
        InputError: The class is called as a program of this library is.
    """
    kind = type(program)
    check_name(kind)
    return None if is_found_by_name(kind) else reference_of(kind)


def class_of(
    path: str | os.PathLike[str],
    saved: Block,
    given: type[Program] | None,
    allowed: Collection[str],
) -> type[Program]:
    """The class of the program that the file at `path` holds.

    Args:
        path: The file, for messages.
        saved: The class as the file names it: the program's name, and MODULE:CLASS where that is a class of one's own.
        given: The class, where it was handed over.
        allowed: Modules from which a class may be imported, each with what it contains.

    Raises:
        InputError: The class is another one, or one that may not be imported.
    """
    name, own = saved.program, saved.own_class
    if given is not None:
        if not (isinstance(given, type) and issubclass(given, Program)):
            raise InputError(f"program takes the class of a program, such as program=TwoHops, not {given!r:.60}.")
        if given.name != name:
            raise InputError(f"{os.fspath(path)} holds the program '{name}', not '{given.name}'.")
        return given
    if own is None:
        if is_reference(name):
            raise InputError(f"{os.fspath(path)} names its program '{name}', which is no name of one.")
        return program_named(name)
    return _import_class(path, name, own, allowed)


def _import_class(path: str | os.PathLike[str], name: str, own: str, allowed: Collection[str]) -> type[Program]:
    """The class of one's own that the file names as MODULE:CLASS, if it may be imported and is still that program."""
    module, _, kind = own.partition(":")
    importable = is_reference(own) and module != "__main__"
    if not (importable and any(module == each or module.startswith(f"{each}.") for each in allowed)):
        or_allowed = f', or allow=["{module}"] (on the command line, --allow {module})' if importable else ""
        raise InputError(
            f"{os.fspath(path)} holds {own}, a class of one's own, which is never imported unasked: "
            f"give load program={kind.rpartition('.')[2]}{or_allowed}."
        )
    program = import_reference(KIND, own)
    if not (isinstance(program, type) and issubclass(program, Program)) or program.name != name:
        raise InputError(f"{os.fspath(path)} holds the program '{name}', and {own} is not that any more.")
    return program
