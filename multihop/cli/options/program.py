"""The options that say how a program is set."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from ...runtime import Program
    from ..opening.inputs import Inputs


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """The settings of a program, and where its class may come from."""

    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None
    """A setting of the program as name=value (`multihop programs NAME` explains them all); may be given more than
    once."""
    allow: Annotated[list[str] | None, Parameter(negative=())] = None
    """A module of your own from which a saved program's class may be imported; may be given more than once."""

    def open(self, program: str, corpus: str, inputs: "Inputs | None", **limits: Any) -> "Program":
        """The program by name, or from a saved program's file; `open_program` says what the limits are."""
        from ..opening.sources import open_program

        return open_program(program, corpus, self.set_, inputs, allow=self.allow, **limits)


@dataclass(frozen=True, kw_only=True)
class ShownProgramOptions(ProgramOptions):
    """The same, and demonstrations to be shown."""

    demos: Path | None = None
    """A JSON file of demonstrations of your own, as {"STEP": [{"FIELD": VALUE}]}, shown as they are."""
