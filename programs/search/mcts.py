"""Monte-Carlo tree search: select by UCT, expand, simulate from every child, backpropagate.

Iterations are made in rounds of `parallel`; with one a round this is the sequential algorithm. What a round does is
decided before it begins and booked in a fixed order when all of it is done, so that the tree depends on the moves and
the settings alone, never on which call is faster.
"""

import math
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, Sequence
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
    same: Callable[[Act], Hashable] = lambda act: act
    """The part of an act by which sampled acts count as the same."""
    depth: int = 4
    """The longest path."""
    breadth: int = 5
    """Actions to take of those proposed."""

    def terminal(self, path: tuple[Item, ...]) -> bool:
        """True if nothing can follow the path."""
        return len(path) >= self.depth or bool(path and self.ends(path[-1]))


@dataclass(frozen=True, slots=True)
class Visited(Generic[Item]):
    """One path of the finished tree, and what the search learned about it."""

    path: tuple[Item, ...]
    """From the root to here; the root's own is empty."""
    visits: int = 0
    """N: how many rewards came through it; in a search by trials, its own first value counts as one of them."""
    value: float = 0.0
    """Q: their sum."""
    reward: float | None = None
    """The reward of its own simulation, or its own score in a search by trials; None at the root."""
    rollout: tuple[Item, ...] = ()
    """The simulated items that earned it, after the path; they are no nodes."""
    iteration: int = 0
    """The iteration or trial that made it, from 1 on; 0 at the root."""
    children: tuple["Visited[Item]", ...] = ()
    """Longer paths, in the order in which they were proposed."""

    def walk(self) -> Iterator["Visited[Item]"]:
        """The node and all below it, a node before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(slots=True, eq=False)
class OpenNode(Generic[Item]):
    """A node while the search goes on."""

    path: tuple[Item, ...] = ()
    parent: "OpenNode[Item] | None" = None
    iteration: int = 0
    visits: int = 0
    value: float = 0.0
    pending: int = 0
    """Selections of this round through the node; each counts as a visit that earned nothing."""
    reward: float | None = None
    rollout: tuple[Item, ...] = ()
    children: list["OpenNode[Item]"] | None = None
    """None until expanded; empty where nothing was proposed."""

    @property
    def line(self) -> Iterator["OpenNode[Item]"]:
        """The node and those above it, up to the root."""
        node: OpenNode[Item] | None = self
        while node is not None:
            yield node
            node = node.parent

    def backpropagate(self, reward: float) -> None:
        """Book a reward here and on every node above."""
        for node in self.line:
            node.visits += 1
            node.value += reward

    def freeze(self) -> Visited[Item]:
        """The finished node."""
        children = tuple(child.freeze() for child in self.children or ())
        return Visited(self.path, self.visits, self.value, self.reward, self.rollout, self.iteration, children)


def uct(value: float, visits: int, parent_visits: int, exploration: float) -> float:
    """The upper confidence bound of a child: its mean value, and the more the less it was visited."""
    return value / visits + exploration * math.sqrt(math.log(parent_visits) / visits)


async def search(
    moves: Moves[Act, Item],
    at_once: AtOnce,
    *,
    iterations: int = 20,
    exploration: float = 1.0,
    parallel: int = 1,
    over: Callable[[], bool] = lambda: False,
) -> Visited[Item]:
    """The tree after so many iterations.

    Args:
        moves: The actions, transitions and rewards.
        at_once: Runs coroutines concurrently and returns their results in order.
        iterations: The number of them in all.
        exploration: The weight of the second term of UCT.
        parallel: Iterations a round at most, kept apart by virtual loss; fewer where they would meet.
        over: Asked before each round; the search ends when it says so.

    Examples:
        >>> import asyncio
        >>> from multihop.programs.search import Moves, best_path, search
        >>> async def digits(path):
        ...     return [1, 2, 3]
        >>> async def add(path, digit):
        ...     return digit
        >>> async def two(path):
        ...     return 2
        >>> async def near_seven(path):
        ...     return 1 - abs(7 - sum(path)) / 10
        >>> async def gather(*work):
        ...     return await asyncio.gather(*work)
        >>> moves = Moves(propose=digits, move=add, plan=two, score=near_seven, depth=3)
        >>> best_path(asyncio.run(search(moves, gather, iterations=30)))
        (3, 2, 2)
    """
    root: OpenNode[Item] = OpenNode()
    done = 0
    while done < iterations and not over():
        leaves = select_leaves(root, exploration, min(parallel, iterations - done))
        outcomes = await at_once(*(explore_leaf(leaf, moves, at_once) for leaf in leaves))
        for leaf, outcome in zip(leaves, outcomes, strict=True):
            done += 1
            leaf.children = outcome if isinstance(outcome, list) else []
            for child in leaf.children:
                child.iteration = done
                child.backpropagate(child.reward or 0.0)
            if not leaf.children:
                leaf.backpropagate(outcome)
    return root.freeze()


def select_leaves(root: OpenNode[Item], exploration: float, most: int) -> list[OpenNode[Item]]:
    """The leaves of one round, selected one after the other, each visit pending for those after it."""
    leaves: list[OpenNode[Item]] = []
    while len(leaves) < most:
        node = root
        while node.children:
            total = node.visits + node.pending
            node = max(
                node.children, key=lambda child: uct(child.value, child.visits + child.pending, total, exploration)
            )
        if node in leaves:
            break
        leaves.append(node)
        for above in node.line:
            above.pending += 1
    for leaf in leaves:
        for above in leaf.line:
            above.pending -= 1
    return leaves


async def explore_leaf(leaf: OpenNode[Item], moves: Moves[Act, Item], at_once: AtOnce) -> list[OpenNode[Item]] | float:
    """The children that an iteration makes, each with its reward; without any, what the leaf earns again."""

    async def simulate(act: Act) -> OpenNode[Item]:
        child = path = (*leaf.path, await moves.move(leaf.path, act))
        while not moves.terminal(path) and (next_act := await moves.plan(path)) is not None:
            path = (*path, await moves.move(path, next_act))
        return OpenNode(child, leaf, reward=await moves.score(path), rollout=path[len(child) :])

    if leaf.children is None and not moves.terminal(leaf.path):
        acts = list(await moves.propose(leaf.path))[: moves.breadth]
        if acts:
            return list(await at_once(*map(simulate, acts)))
    return await moves.score(leaf.path)


def best_leaf(root: Visited[Item]) -> Visited[Item]:
    """The end of the path in the tree with the largest total value; the first of equals."""
    return _best(root)[1]


def best_path(root: Visited[Item]) -> tuple[Item, ...]:
    """The path with the largest total value, and what was simulated after it."""
    leaf = best_leaf(root)
    return (*leaf.path, *leaf.rollout)


def _best(node: Visited[Item]) -> tuple[float, Visited[Item]]:
    """The largest sum of values from below this node to a leaf, and that leaf."""
    below = [(child.value + total, leaf) for child in node.children for total, leaf in [_best(child)]]
    return max(below, key=lambda each: each[0], default=(0.0, node))
