"""Rules that end a search before its limits do: what repeats, and what brings nothing new."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from ...retrieval import Passage
from ...runtime import Program, StopOutputs, StopStep
from ..search import Moves
from .evidence import wording
from .path import StepPath

Stop = Literal["repeats", "nothing-new"]


class StopsEarly(Program):
    """A method that searches round after round, and may know before its limits that a search is over."""

    stops: tuple[Stop, ...] = ("repeats", "nothing-new")
    """The rules that end a search, or one branch of it, early: at a query or sub-question that was asked before
    ("repeats"), and after a round that brings nothing that was not known ("nothing-new")."""

    def stop(self, rule: Stop, so: bool, why: str) -> bool:
        """True if the rule is one of this program's and it is `so`; then it is put on record with the reason."""
        if not so or rule not in self.stops:
            return False
        self.record(StopStep(step="stop", outputs=StopOutputs(rule=rule, why=why)))
        return True

    def repeats(self, query: str, before: Iterable[str]) -> bool:
        """True if the words of the query were asked before, and that ends the search."""
        return self.stop("repeats", wording(query) in map(wording, before), f"It was asked before: {query}")

    def brings_nothing(self, found: Sequence[Passage], new: Sequence[Passage]) -> bool:
        """True if passages were found and none of them is new, and that ends the search."""
        return self.stop("nothing-new", bool(found) and not new, "All that was found was known.")


def ending_early(moves: Moves[Any, Any], program: StopsEarly, idle: Callable[[StepPath], bool]) -> Moves[Any, Any]:
    """The moves, but that no path goes on by an act that is on it, nor after a step that brought nothing new.

    Args:
        moves: The moves of a method.
        program: The program, whose `stops` say which of both rules is on.
        idle: True of a path whose last step brought nothing new.
    """

    def over(path: StepPath) -> bool:
        return program.stop("nothing-new", idle(path), "All that the step found was known.")

    async def propose(path: StepPath) -> Sequence[Any]:
        if over(path):
            return []
        acts = await moves.propose(path)
        if "repeats" not in program.stops:
            return acts
        taken = {wording(str(step.act)) for step in path}
        return [act for act in acts if wording(str(act)) not in taken]

    async def plan(path: StepPath) -> Any:
        act = None if over(path) else await moves.plan(path)
        return None if act is None or program.repeats(str(act), (str(step.act) for step in path)) else act

    return replace(moves, propose=propose, plan=plan)


def is_idle(path: StepPath) -> bool:
    """True if the last step found no passage and no result that the path did not have."""
    if len(path) < 2:
        return False
    *earlier, last = path
    known = {passage.id for step in earlier for passage in step.passages}
    said = {"", *(wording(step.result) for step in earlier)}
    return bool(last.passages) and all(each.id in known for each in last.passages) and wording(last.result) in said
