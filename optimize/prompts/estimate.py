"""Estimates the LM calls of a compile: a few training questions are asked, and the rest is arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import ujson
from dspy.utils.exceptions import AdapterParseError

from ...base import read_small, writing
from ...data import Question
from ...runtime import Cost, CostRecord, Program
from .choosing import ExamplePool
from .compiling import ENOUGH, small
from .variants import Variant

PILOT = 2
"""Training questions that are asked."""
_FILE = "pilot.json"


@dataclass(frozen=True, slots=True)
class Pilot:
    """LM calls that one question takes."""

    whole: float
    """By the program as it is."""
    cheap: float
    """By the small configuration that optimizers run; the same where there is no search."""

    def to_compile(
        self, variant: Variant, train: Sequence[Question], made: Mapping[str, ExamplePool], *, steps: bool
    ) -> int:
        """An estimate of the calls that compiling by the variant takes."""
        if steps:
            return sum(variant.runs(min(ENOUGH, pool.questions)) for pool in made.values())
        return round(variant.runs(len(train)) * self.cheap)


def known_pilot(work: Path) -> Pilot | None:
    """The pilot that an earlier invocation made."""
    try:
        return Pilot(**ujson.loads(read_small(work / _FILE)))
    except (OSError, ValueError, TypeError):
        return None


def ask_pilot(program: Program, train: Sequence[Question], work: Path) -> Pilot:
    """Ask the first training questions, and note what they took."""
    asked = train[:PILOT]
    whole = _calls(program, asked)
    pilot = Pilot(whole, _calls(small(program), asked) if program.small else whole)
    with writing(work / _FILE) as file:
        file.write(ujson.dumps(asdict(pilot)) + "\n")
    return pilot


def _calls(program: Program, questions: Sequence[Question]) -> float:
    total = 0
    for question in questions:
        cost: CostRecord
        try:
            cost = program(question=question.question).cost
        except AdapterParseError as error:  # it has cost what it has cost
            cost = getattr(error, "cost", Cost().to_dict())
        total += cost["calls"]
    return total / max(1, len(questions))
