"""The options that say how a program is set and what a question may take, and the opening of programs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import ujson
from cyclopts import Parameter

from .. import programs, runtime
from .process import importable_from_here, tell_user
from .shared_options import BudgetCalls, BudgetDollars, Several

if TYPE_CHECKING:
    from ..optimize.artefact import SavedProgram
    from ..retrieval import Retriever
    from ..runtime import Budget, Program


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProgramOptions:
    """The settings of a program, and where its class may come from."""

    preset: str | None = None
    """A paper's values, as PAPER/TABLE (`multihop programs NAME` lists those that fit): the program's settings, under
    those of --set, and the decoding of LMs that are not built in, under that of --lm-set."""
    set_: Annotated[Several, Parameter(name="--set")] = None
    """A setting of the program as name=value (`multihop programs NAME` explains them all); may be given more than
    once."""
    allow: Several = None
    """A module of your own from which a saved program's class may be imported; may be given more than once."""

    def read(self, program: str) -> "SavedProgram | None":
        """The content of the saved program's file; None for a program's name."""
        if not is_artefact(program):
            return None
        from ..optimize.artefact import SavedProgram

        return SavedProgram.read(program)

    def decoding(self) -> dict[str, Any]:
        """The decoding of the preset, as parameters of LMs."""
        if self.preset is None:
            return {}
        from ..programs.presets import open_preset

        return open_preset(self.preset).lm_options()

    def open(
        self, name: str, saved: "SavedProgram | None", search: "Callable[[], Retriever] | None", **limits: Any
    ) -> "Program":
        """The program by name, or the saved one that was read, with its settings.

        Those of a preset are below those of --set, and these below `limits`. `search` opens what is searched, after the
        settings are checked; with None, a saved program opens the corpus that it names.
        """
        if saved is not None:
            from ..optimize.loading import class_of

            importable_from_here(*(f"{module}:allowed" for module in self.allow or ()))
            kind = class_of(name, saved.block, None, self.allow or ())
        else:
            importable_from_here(name)
            kind = programs.program_named(name)
        given = {limit: value for limit, value in limits.items() if value != runtime.Budget()}
        values = {**self._of_preset(kind.name), **runtime.parse_settings(self.set_ or []), **given}
        if saved is not None:
            from ..optimize.loading import load

            retriever = None if search is None else search()
            for note in saved.notes(values):
                tell_user(note)
            if saved.served and "lms" not in values:  # nothing is asked, or each command would have said so
                tell_user(saved.note_on_server())
                values["lms"] = saved.step_lms
            return load(saved, retriever, settings=values, allow=self.allow or ())
        for setting, value in values.items():  # before the corpus is opened, which may take long
            runtime.check_setting(name, setting, value, runtime.settings_of(kind))
        return programs.create(name, search() if search and kind.retrieves else None, **values)

    def _of_preset(self, program: str) -> dict[str, Any]:
        """The preset's settings of the program; a line on the terminal says what else its paper has."""
        if self.preset is None:
            return {}
        from ..programs.presets import open_preset, preset_for

        preset, part = open_preset(self.preset), preset_for(self.preset, program)
        shows = f"{part.shots.value} demonstrations a step" if part.shots.value else "no demonstrations"
        others = ", ".join(text for each in (preset.lm, preset.retriever, preset.corpus) if (text := each.value))
        tell_user(f"{self.preset}: settings and decoding are the paper's; besides, it shows {shows}, and has {others}.")
        return part.values()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class BudgetOptions:
    """The most that a question may take."""

    budget_calls: BudgetCalls = None
    budget_usd: BudgetDollars = None
    """Dollars a question at most, by the prices of --lms or those that come with DSPy."""

    def budget(self) -> "Budget":
        """The budget of a question."""
        return runtime.Budget(calls=self.budget_calls, usd=self.budget_usd)


def is_artefact(program: str) -> bool:
    """True if this is a saved program's file rather than a program's name; one on a hub is refused when it is read."""
    return program.endswith(".json") or program.startswith("hf://") or Path(program).is_file()


def as_setting(value: Any) -> str:
    """A setting's value as `--set` takes it."""
    if isinstance(value, list | tuple):
        return ",".join(map(as_setting, value)) or "[]"
    return value if isinstance(value, str) else ujson.dumps(value)
