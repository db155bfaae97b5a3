"""Rules that end a search before its limits do: what repeats, and what brings nothing new.

A program that has them has the setting `stops`.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from ...retrieval import Passage
from ...runtime import Program
from .evidence import wording

Stop = Literal["repeats", "nothing-new"]
STOPS: tuple[Stop, ...] = ("repeats", "nothing-new")


def stop(program: Program, rule: Stop, so: bool, why: str) -> bool:
    """True if the rule is one of the program's and it is `so`; then it is put on record with the reason."""
    if not so or rule not in program.stops:
        return False
    program.record({"step": "stop", "outputs": {"rule": rule, "why": why}})
    return True


def repeats(program: Program, query: str, before: Iterable[str]) -> bool:
    """True if the words of the query were asked before, and that ends the search."""
    return stop(program, "repeats", wording(query) in map(wording, before), f"It was asked before: {query}")


def brings_nothing(program: Program, found: Sequence[Passage], new: Sequence[Passage]) -> bool:
    """True if passages were found and none of them is new, and that ends the search."""
    return stop(program, "nothing-new", bool(found) and not new, "All that was found was known.")
