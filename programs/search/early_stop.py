"""When a Monte-Carlo tree search may stop: when no remaining iteration can change the path it would choose."""

from typing import Any, Protocol, Self

from .moves import Moves


class Growing(Protocol):
    """A node as a search sees it."""

    @property
    def path(self) -> tuple[Any, ...]:
        """From the root to here."""
        ...

    @property
    def value(self) -> float:
        """The sum of the rewards that came through here."""
        ...

    @property
    def children(self) -> list[Self] | None:
        """Longer paths; None until expanded, empty where nothing can follow."""
        ...


def settled(root: Growing, moves: Moves[Any, Any], remaining: int) -> bool:
    """Whether `remaining` more iterations, whatever they earn, leave the chosen path as it is.

    The chosen path must be closed: nothing can follow it. Its values only grow, so its own total can be taken as it is
    now. Every other path leaves it at some node; what such a path can come to, at most, is its values now and all that
    the remaining iterations could add to each of its nodes, and to those it does not have yet. That has to stay below
    what the chosen path has from that node on; above it, both have the same.
    """
    below = _chosen(root)
    if not below or (below[-1].children is None and not moves.terminal(below[-1].path)):
        return False
    total = 0.0
    for place in range(len(below) - 1, -1, -1):
        total += below[place].value
        parent = below[place - 1] if place else root
        rivals = [child for child in parent.children or () if child is not below[place]]
        if any(_most(rival, moves, remaining) >= total for rival in rivals):
            return False
    return True


def _chosen(root: Growing) -> list[Growing]:
    """The nodes below the root on the path with the largest total value; the first of equals."""
    best: tuple[float, list[Growing]] = (0.0, [])
    for place, child in enumerate(root.children or ()):
        rest = _chosen(child)
        total = child.value + sum(node.value for node in rest)
        if not place or total > best[0]:
            best = total, [child, *rest]
    return best[1]


def _most(node: Growing, moves: Moves[Any, Any], remaining: int) -> float:
    """The most that any path through this node can come to, from this node on."""
    height = moves.depth - len(node.path)
    own = node.value + _gain(height, moves.breadth, remaining)
    if node.children:
        return own + max(_most(child, moves, remaining) for child in node.children)
    if node.children is not None or moves.terminal(node.path):
        return own
    # Nodes yet to be made: one reward when made, by one of the iterations, and what the others can add.
    return own + sum(1 + _gain(lower, moves.breadth, remaining - 1) for lower in range(height))


def _gain(height: int, breadth: int, iterations: int) -> float:
    """The most that so many iterations can add to a node so far above the full depth.

    An iteration that expands a path below the node adds a reward for each child, any other adds one. There are only so
    many paths to expand: one at height 1, and one and its children at height 2.
    """
    expandable = sum(breadth**level for level in range(height))
    expanding = min(iterations, expandable)
    return float(breadth * expanding + (iterations - expanding))
