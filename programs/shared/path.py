"""A searched path: what it is made of, and how prompts and records show it."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar

from ...retrieval import Passage
from ...runtime import PathStepRecord
from .evidence import wording

Item = TypeVar("Item")


class Hop(NamedTuple):
    """One sub-question with what came of it."""

    sub_question: str
    """What was asked."""
    sentence: str = ""
    """The sentence that answers it, where passages were read."""
    result: str = ""
    """Its answer; empty where none was found."""
    passages: tuple[Passage, ...] = ()
    """What was retrieved for it."""
    confidence: float = 1.0
    """The share of its answers that say the same, where several were drawn."""

    @property
    def act(self) -> str:
        """What was done: the sub-question itself."""
        return self.sub_question

    @property
    def record(self) -> PathStepRecord:
        """The hop as plain values, its passages by id."""
        passages = [passage.id for passage in self.passages]
        return {
            "sub_question": self.sub_question,
            "sentence": self.sentence,
            "result": self.result,
            "passages": passages,
        }

    def __str__(self) -> str:
        """The hop as a prompt shows it."""
        return f"{self.sub_question} -> {self.result or 'not found'}"


class PathItem(Protocol):
    """What a path is made of: hops here, turns of an agent elsewhere. As text, it is what a prompt shows."""

    @property
    def act(self) -> object:
        """What was done; as text, it tells one act from another."""

    @property
    def result(self) -> str:
        """What came of it."""

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What was retrieved for it."""

    @property
    def record(self) -> PathStepRecord:
        """The same as plain values."""


ItemPath = tuple[PathItem, ...]


def path_texts(path: Iterable[object]) -> tuple[str, ...]:
    """The path as a prompt shows it; two paths that read alike are one state."""
    return tuple(map(str, path))


def distinct(items: Iterable[Item]) -> list[Item]:
    """The items of which no earlier one reads the same, whatever its spacing and case."""
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(wording(str(item)), item)
    return list(first.values())
