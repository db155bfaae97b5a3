"""Seeded random numbers, the same in every process and every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Dice(Random):
    """A `random.Random` whose extra draws are made from `random()` alone.

    Python promises the same sequence for the same seed across versions for `random()` only; how `choice`, `shuffle`
    and `sample` use it may change. A seed is a string, since strings are seeded through SHA-512 rather than `hash()`.

    Examples:
        >>> from multihop.data.world.dice import Dice
        >>> Dice("lantern").between(1, 6) == Dice("lantern").between(1, 6)
        True
    """

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely."""
        return items[int(self.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self.random() * (high - low + 1))

    def mix(self, items: Sequence[Item]) -> list[Item]:
        """The items in a new order."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = int(self.random() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order

    def some(self, items: Sequence[Item], most: int) -> list[Item]:
        """At most `most` different items, in no particular order."""
        return list(items) if len(items) <= most else self.mix(items)[:most]
