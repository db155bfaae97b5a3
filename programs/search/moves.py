"""The moves of a search, given by the method that uses it: actions, where they lead, and their worth."""

from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Act = TypeVar("Act")
Item = TypeVar("Item")
AtOnce = Callable[..., Awaitable[Sequence[Any]]]
"""Runs coroutines concurrently and returns their results in order, as `asyncio.gather` does."""


async def plan_nothing(path: tuple[Any, ...]) -> None:
    """No next action: for searches without simulations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves(Generic[Act, Item]):
    """Actions, transitions and rewards; a path is the tuple of the items that its transitions gave."""

    propose: Callable[[tuple[Item, ...]], Coroutine[Any, Any, Sequence[Act]]]
    """Several actions that could come next, the most promising first."""
    move: Callable[[tuple[Item, ...], Act], Coroutine[Any, Any, Item]]
    """The item that an action leads to."""
    score: Callable[[tuple[Item, ...]], Coroutine[Any, Any, float]]
    """The worth of a path, from 0 to 1."""
    plan: Callable[[tuple[Item, ...]], Coroutine[Any, Any, Act | None]] = plan_nothing
    """The one action of a simulation that comes next; None where there is nothing more to do."""
    ends: Callable[[Item], bool] = lambda item: False
    """True if an item ends its path."""
    depth: int = 4
    """The longest path."""
    breadth: int = 5
    """Actions to take of those proposed."""

    def terminal(self, path: tuple[Item, ...]) -> bool:
        """True if nothing can follow the path."""
        return len(path) >= self.depth or bool(path and self.ends(path[-1]))


@dataclass(frozen=True, slots=True)
class Scored(Generic[Item]):
    """One path of a tree in which every path is scored when it is found."""

    path: tuple[Item, ...] = ()
    """From the root to here; the root's own is empty."""
    score: float | None = None
    """Its worth; None at the root."""
    kept: bool = True
    """True if the search went on from here, or ended here."""
    children: tuple["Scored[Item]", ...] = ()
    """Longer paths, in the order in which they were proposed."""

    def walk(self) -> Iterator["Scored[Item]"]:
        """The node and all below it, a node before its children."""
        yield self
        for child in self.children:
            yield from child.walk()
