"""The program of a command at any point of a sweep."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...optimize.saved_program import SavedProgram
    from ...runtime import Program
    from ..opening.inputs import Inputs
    from .program import ShownProgramOptions


class PointMaker:
    """Makes the program with other settings than the command gives it, each time over the same corpus.

    The first time it is made as by default; from then on the terminal is told nothing more.
    """

    def __init__(
        self,
        program: str,
        options: "ShownProgramOptions",
        saved: "SavedProgram | None",
        corpus: str,
        inputs: "Inputs | None",
        **limits: Any,
    ) -> None:
        """Nothing is opened yet; `open_program` says what the arguments are."""
        self._named = (program, saved, corpus, inputs)
        self._options, self._limits = options, limits
        self._usual: dict[str, Any] | None = None

    def __call__(self, **changed: Any) -> "Program":
        """The program at a point."""
        known = self._usual
        options = self._options if known is None else replace(self._options, set_=None, preset=None)
        made = options.open(*self._named, **{**self._limits, **(known or {}), **changed})
        if known is None:
            self._usual = {name: value for name, value in made.settings.items() if name != "lms"}
        return made
