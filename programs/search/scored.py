"""Breadth-first and depth-first search over moves: every path is scored when it is found, and the best are grown on."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic

from .mcts import Act, AtOnce, Item, Moves


@dataclass(slots=True, eq=False)
class Scored(Generic[Item]):
    """One path of a tree in which every path is scored when it is found."""

    path: tuple[Item, ...] = ()
    """From the root to here; the root's own is empty."""
    score: float | None = None
    """The worth of the path; None at the root."""
    kept: bool = True
    """True if the search went on from here, or ended here."""
    children: list["Scored[Item]"] = field(default_factory=list)
    """Longer paths, in the order in which they were proposed."""

    def walk(self) -> Iterator["Scored[Item]"]:
        """The node and all below it, a node before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


async def grow(node: Scored[Item], moves: Moves[Act, Item], at_once: AtOnce) -> list[Scored[Item]]:
    """The node's children: what is proposed after it, each done and scored, all at once."""

    async def child(act: Act) -> Scored[Item]:
        path = (*node.path, await moves.move(node.path, act))
        return Scored(path, await moves.score(path), kept=False)

    acts = list(await moves.propose(node.path))[: moves.breadth]
    node.children = list(await at_once(*map(child, acts))) if acts else []
    return node.children


async def search_beam(moves: Moves[Act, Item], at_once: AtOnce, *, width: int = 1) -> Scored[Item]:
    """The tree of all paths that were scored; from the `width` best of each level it was grown on.

    A path that ends early stays among those kept while it is good enough.
    """
    root: Scored[Item] = Scored()
    beam = [root]
    while open_paths := [node for node in beam if not moves.terminal(node.path)]:
        expansions = await at_once(*(grow(node, moves, at_once) for node in open_paths))
        new = [child for children in expansions for child in children]
        if not new:
            break
        ended = [node for node in beam if node.path and moves.terminal(node.path)]
        beam = sorted([*ended, *new], key=lambda node: -(node.score or 0.0))[:width]
        for node in beam:
            node.kept = True
    return root


async def search_depth_first(
    moves: Moves[Act, Item],
    at_once: AtOnce,
    *,
    threshold: float = 0.5,
    limit: int | None = None,
) -> Scored[Item]:
    """The tree of all paths that were scored on the way to the first full path that scores well enough.

    Only that path is kept. If there is none after `limit` expansions, or at all, the best of the longest is.
    """
    root: Scored[Item] = Scored(kept=False)
    nodes: list[Scored[Item]] = []
    expanded = 0

    async def descend(node: Scored[Item]) -> Scored[Item] | None:
        nonlocal expanded
        if moves.terminal(node.path):
            return node
        if limit is not None and expanded >= limit:
            return None
        expanded += 1
        children: list[Scored[Item]]
        (children,) = await at_once(grow(node, moves, at_once))
        nodes.extend(children)
        for child in sorted(children, key=lambda child: -(child.score or 0.0)):
            if (child.score or 0.0) < threshold:
                break
            if (end := await descend(child)) is not None:
                return end
        return None

    best = await descend(root)
    if best is None and nodes:
        best = max(nodes, key=lambda node: (len(node.path), node.score or 0.0))
    if best is not None:
        for node in (root, *nodes):
            node.kept = best.path[: len(node.path)] == node.path
    return root


def best_scored(root: Scored[Item]) -> tuple[Item, ...]:
    """The path that a search chose: of the kept paths that end, the best-scored; the longer, then the first of equals.

    A path ends where nothing was found to follow it. One whose followers were all given up has not ended: its score
    says what was hoped of it, not what it came to.
    """
    ends = [node for node in root.walk() if node.path and node.kept and not node.children]
    best = max(ends, key=lambda node: (node.score or 0.0, len(node.path)), default=root)
    return best.path
