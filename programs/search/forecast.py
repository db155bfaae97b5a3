"""A forecast of a search: the search is continued on a copy of its tree, in several futures with guessed rewards.

Where a future comes to a simulation that is not finished, it takes a reward for it: the leaf's own in the first future,
one of those that were earned elsewhere in each of the others. What most futures come to is likely.
"""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from .mcts import Earned, OpenNode, best_end_of, book_rewards, select_leaves
from .moves import Item, Moves

AnyPath = tuple[Any, ...]
Known = Mapping[AnyPath, Sequence[Earned[Any] | None]]
"""By leaf, what its exploration has come to so far; None for a child whose path is not known yet."""


class Unknown:
    """An item of a path that is not known yet."""


@dataclass(frozen=True, slots=True)
class ForecastLeaf(Generic[Item]):
    """A leaf that the search will probably explore."""

    path: tuple[Item, ...]
    """Its path."""
    share: float
    """The share of the futures in which it is explored."""
    round: float
    """The mean round in which it is explored; the coming one is 0."""


@dataclass(frozen=True, slots=True)
class Forecast(Generic[Item]):
    """The leaves and ends that the futures have in common."""

    leaves: tuple[ForecastLeaf[Item], ...]
    """The leaves that are explored and not known in full yet, the likeliest first."""
    ends: tuple[tuple[tuple[Item, ...], float], ...]
    """The paths that the search chooses in the end, each with its share of the futures; the likeliest first."""


def forecast_search(
    root: OpenNode[Item],
    known: Known,
    moves: Moves[Any, Item],
    *,
    left: int,
    exploration: float,
    parallel: int = 1,
    futures: int = 4,
) -> Forecast[Item]:
    """Forecast the leaves that will be explored in the iterations left, and the path that will be chosen.

    Args:
        root: The tree as it is; it stays as it is.
        known: What is known of explorations that are not in the tree yet.
        moves: Where paths end, and how many actions are taken of those proposed; nothing is asked of them.
        left: Iterations to come, those under way among them.
        exploration: The weight of the second term of UCT.
        parallel: Iterations a round at most.
        futures: How many ways to go on are tried.
    """
    seen = [node.reward for node in open_nodes(root) if node.reward is not None]
    seen += [each.reward for found in known.values() for each in found if each and not math.isnan(each.reward)]
    reached: dict[AnyPath, list[int]] = {}
    ends: Counter[AnyPath] = Counter()
    tried = 0
    while tried < futures:
        future = _Future(root, known, moves, seen, tried)
        tried += 1
        for number, leaf in future.go_on(left, exploration, parallel):
            reached.setdefault(leaf.path, []).append(number)
        end = best_end_of(future.root)
        ends[(*end.path, *end.rollout)] += 1
        if future.certain:
            break
    leaves = (ForecastLeaf(path, len(rounds) / tried, sum(rounds) / len(rounds)) for path, rounds in reached.items())
    return Forecast(
        tuple(sorted(leaves, key=lambda leaf: (-leaf.share, leaf.round))),
        tuple((path, count / tried) for path, count in ends.most_common() if not is_unknown(path)),
    )


class _Future(Generic[Item]):
    """One way in which the search may go on."""

    def __init__(
        self, root: OpenNode[Item], known: Known, moves: Moves[Any, Item], seen: Sequence[float], number: int
    ) -> None:
        self.root = copy_tree(root)
        self.known, self.moves, self.seen, self.number = known, moves, seen, number
        self.dice = random.Random(number)
        self.certain = True
        """True if nothing had to be guessed."""

    def go_on(self, left: int, exploration: float, parallel: int) -> list[tuple[int, OpenNode[Item]]]:
        """The leaves it explores that are not known in full, each with its round."""
        unfinished: list[tuple[int, OpenNode[Item]]] = []
        done = number = 0
        while done < left:
            leaves = select_leaves(self.root, exploration, min(parallel, left - done))
            earned = [self.earn(leaf) for leaf in leaves]
            for leaf, (entries, finished) in zip(leaves, earned, strict=True):
                if not finished and not is_unknown(leaf.path):
                    unfinished.append((number, leaf))
                book_rewards(leaf, entries, done)
            done += len(leaves)
            number += 1
        return unfinished

    def earn(self, leaf: OpenNode[Item]) -> tuple[list[Earned[Any]], bool]:
        """The rewards of exploring the leaf in this future, and whether all of them are known."""
        found = self.known.get(leaf.path)
        if leaf.reward is not None and (leaf.children is not None or self.ends(leaf.path)) and not leaf.rollout:
            return [Earned(leaf.path, (), leaf.reward)], True
        if found and all(each and not math.isnan(each.reward) for each in found):
            return [each for each in found if each], True
        self.certain = False
        if found is None and (self.ends(leaf.path) or leaf.children is not None):
            return [Earned(leaf.path, (), self.guess(leaf))], False
        entries = found or [None] * self.moves.breadth
        return [self.complete(leaf, place, each) for place, each in enumerate(entries)], False

    def complete(self, leaf: OpenNode[Item], place: int, found: Earned[Any] | None) -> Earned[Any]:
        """The entry with what is unknown of it made up."""
        if found is None:
            return Earned((*leaf.path, Unknown()), (), self.guess(leaf))
        return found._replace(reward=self.guess(leaf)) if math.isnan(found.reward) else found

    def guess(self, leaf: OpenNode[Item]) -> float:
        """A reward for what is simulated below the leaf."""
        if self.seen and self.number and self.dice.random() < 0.5:
            return self.dice.choice(self.seen)
        if leaf.reward is not None:
            return leaf.reward
        return (0.5, 0.0, 1.0)[self.number] if self.number < 3 else self.dice.random()

    def ends(self, path: AnyPath) -> bool:
        """True if nothing can follow the path, as far as it is known."""
        return len(path) >= self.moves.depth if is_unknown(path) else self.moves.terminal(path)


def is_unknown(path: AnyPath) -> bool:
    """True if an item of the path is not known yet."""
    return any(isinstance(item, Unknown) for item in path)


def open_nodes(node: OpenNode[Item]) -> list[OpenNode[Item]]:
    """The node and all below it."""
    return [node, *(each for child in node.children or () for each in open_nodes(child))]


def copy_tree(node: OpenNode[Item], parent: OpenNode[Item] | None = None) -> OpenNode[Item]:
    """The same tree again, to be changed."""
    twin = OpenNode(node.path, parent, node.iteration, node.visits, node.value, 0, node.reward, node.rollout)
    if node.children is not None:
        twin.children = [copy_tree(child, twin) for child in node.children]
    return twin
