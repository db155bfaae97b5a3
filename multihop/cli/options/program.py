"""The options that say how a program is set."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from ...base import InputError

if TYPE_CHECKING:
    from ...optimize.artefact import SavedProgram
    from ...runtime import Program
    from ..opening.inputs import Inputs


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """The settings of a program, where its class may come from, and which file it must be."""

    preset: str | None = None
    """A paper's values, as PAPER/TABLE (`multihop programs NAME` lists those that fit): the program's settings, under
    those of --set, and the decoding of LMs that are not built in, under that of --temperature and --lm-set."""
    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None
    """A setting of the program as name=value (`multihop programs NAME` explains them all); may be given more than
    once."""
    allow: Annotated[list[str] | None, Parameter(negative=())] = None
    """A module of your own from which a saved program's class may be imported; may be given more than once."""
    sha256: Annotated[list[str] | None, Parameter(negative=())] = None
    """The digest that a saved program's file must have, as sha256sum prints it; given more than once, one of them."""

    def read(self, program: str) -> "SavedProgram | None":
        """The content of the saved program's file; None for a program's name.

        Raises:
            InputError: The file cannot be used, or is not the one that was pinned.
        """
        from ..opening.sources import is_artefact

        if is_artefact(program):
            from ...optimize.artefact import SavedProgram

            return SavedProgram.read(program, sha256=self.sha256)
        if self.sha256:
            raise InputError(f"--sha256 pins the files of saved programs, and '{program}' is none.")
        return None

    def decoding(self) -> dict[str, Any]:
        """The decoding of the preset, as parameters of LMs.

        Raises:
            InputError: There is no such preset.
        """
        if self.preset is None:
            return {}
        from ...programs.presets import open_preset

        return open_preset(self.preset).lm_options()

    def open(
        self, program: str, saved: "SavedProgram | None", corpus: str, inputs: "Inputs | None", **limits: Any
    ) -> "Program":
        """The program by name, or the saved one that was read; `open_program` says what the limits are."""
        from ..opening.sources import open_program

        return open_program(
            program, corpus, self.set_, inputs, saved=saved, preset=self.preset, allow=self.allow, **limits
        )


@dataclass(frozen=True, kw_only=True)
class ShownProgramOptions(ProgramOptions):
    """The same, and demonstrations to be shown."""

    demos: Path | None = None
    """A JSON file of demonstrations of your own, as {"STEP": [{"FIELD": VALUE}]}, shown as they are."""
