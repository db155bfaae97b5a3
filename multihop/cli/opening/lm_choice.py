"""The LM that a command uses: the one given, the one a saved program was compiled for, or `local`."""

import sys
from typing import TYPE_CHECKING

from ...base import InputError, reword
from .sources import is_artefact

if TYPE_CHECKING:
    import dspy

    from .lms import LMs

DEFAULT = "local"


def open_lm_for(program: str, lm: str | None, lms: "LMs") -> "dspy.LM":
    """The LM, opened; a line on the terminal says so where a saved program was compiled for another one.

    Args:
        program: A program's name, or a saved program's file.
        lm: The LM by name, if one was given.
        lms: Opens an LM by its name, with whatever else was given for it.

    Raises:
        InputError: None was given, and the one that the program was compiled for cannot be opened like this.
    """
    if not is_artefact(program):
        return lms.open(lm or DEFAULT)
    from ...optimize.artefact import about_artefact
    from ...optimize.compiled_for import compiled_for, note_on_other_lm, on_own_server

    facts = about_artefact(program)
    meant = compiled_for(facts)
    if lm is not None or meant is None:
        model = lms.open(lm or DEFAULT)
    elif on_own_server(facts) and lms.api_base is None:
        raise InputError(
            f"{program} was compiled for '{meant}' on a server whose address is not stored: "
            "give it with --api-base, or another LM with --lm."
        )
    else:
        try:
            model = lms.open(meant)
        except InputError as error:
            message = f"{program} was compiled for '{meant}' (--lm names another one): {error}"
            raise reword(error, message) from None
    if note := note_on_other_lm(program, facts, model):
        sys.stderr.write(f"multihop: {note}\n")
    return model
