"""The programs that `multihop serve` and `multihop mcp` answer with, each under a name of its own."""

import os
import re
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ..opening.inputs import Inputs, tell_user
from ..opening.lm_choice import open_lm_for
from ..opening.lms import LMs
from ..opening.sources import corpus_to_search, is_artefact, open_step_lms
from .program import ProgramOptions

if TYPE_CHECKING:
    from ...serve.catalogue import Catalogue, Served

_NAMED = re.compile(r"([\w.-]+)=(.+)")


@dataclass(frozen=True)
class Opening:
    """Opens programs, each time one of them is needed."""

    inputs: Inputs
    """The corpus and retriever, where they are not those that the saved program names."""
    lms: LMs
    """Opens LMs by name."""
    settings: ProgramOptions
    """Settings, and where the class of a saved program may come from."""
    _: KW_ONLY
    lm: str | None = None
    """The LM given."""
    step_lms: list[str] | None = None
    """LMs of single steps, as step=LM."""
    limits: dict[str, Any] = field(default_factory=dict)
    """Settings that have options of their own: the budget, the concurrency."""

    def open(self, name: str, program: str) -> "Served":
        """The program, ready to answer under the name.

        Raises:
            InputError: It cannot be used, or does not fit its corpus or the LM; the sentence is that of `load`.
        """
        import dspy

        from ...runtime import check_budget
        from ...serve.catalogue import Served

        lm = open_lm_for(program, self.lm, self.lms)
        step_lms = open_step_lms(self.step_lms, self.lms.open)
        corpus = corpus_to_search(program, self.inputs)
        opened = self.settings.open(program, corpus, self.inputs, **self.limits, **step_lms)
        with dspy.context(lm=lm):
            check_budget(opened)
        return Served(name=name, program=opened, lm=lm)

    def catalogue(self, programs: Sequence[str]) -> "Catalogue":
        """All the programs, each written as PROGRAM or NAME=PROGRAM, opened.

        Raises:
            InputError: One cannot be used, or an option is of no use to any.
        """
        from ...serve.catalogue import Catalogue

        result = Catalogue([self._source(each) for each in programs])
        self.lms.check_used()
        if self.inputs.corpus is None and not self.inputs.needs_no_corpus:
            plain = [each for each in map(_split, programs) if not is_artefact(each[1])]
            if any(result.get(name).program.retrieves for name, _ in plain):
                tell_user("no --corpus, so the fictional world is searched; give --corpus to search your own passages.")
        return result

    def _source(self, written: str) -> Any:
        from ...serve.catalogue import ProgramSource

        name, program = _split(written)
        return ProgramSource(name, lambda: self.open(name, program), Path(program) if is_artefact(program) else None)


def read_keys(variable: str | None) -> list[str]:
    """The keys that an environment variable holds, one or several with commas between; none without a variable.

    Raises:
        InputError: It is not set, or empty.
    """
    if variable is None:
        return []
    keys = [key.strip() for key in os.environ.get(variable, "").split(",") if key.strip()]
    if not keys:
        raise InputError(f"--token-env names {variable}, which is not set in the environment; put the key there.")
    return keys


def _split(written: str) -> tuple[str, str]:
    """The name under which a program is served, and the program.

    Examples:
        >>> from multihop.cli.options.serving import _split
        >>> _split("runs/tor.json"), _split("fast=one-step")
        (('tor', 'runs/tor.json'), ('fast', 'one-step'))
    """
    if (named := _NAMED.fullmatch(written)) and not Path(written).is_file():
        return named[1], named[2]
    return (Path(written).stem if is_artefact(written) else written), written
