"""Breadth-first search over moves: every level scored at once, the best of it kept."""

from dataclasses import dataclass, field
from typing import Generic

from .moves import Act, AtOnce, Item, Moves, Scored


@dataclass(slots=True, eq=False)
class Growth(Generic[Item]):
    """A scored path while the search goes on."""

    path: tuple[Item, ...] = ()
    score: float | None = None
    kept: bool = True
    children: list["Growth[Item]"] = field(default_factory=list)

    def freeze(self) -> Scored[Item]:
        """The finished node."""
        return Scored(self.path, self.score, self.kept, tuple(child.freeze() for child in self.children))


async def grow(node: Growth[Item], moves: Moves[Act, Item], at_once: AtOnce) -> list[Growth[Item]]:
    """The node's children: what is proposed after it, each done and scored, all at once."""

    async def child(act: Act) -> Growth[Item]:
        path = (*node.path, await moves.move(node.path, act))
        return Growth(path, await moves.score(path), kept=False)

    acts = list(await moves.propose(node.path))[: moves.breadth]
    node.children = list(await at_once(*map(child, acts))) if acts else []
    return node.children


async def search_beam(moves: Moves[Act, Item], at_once: AtOnce, *, width: int = 1) -> Scored[Item]:
    """The tree of all paths that were scored; from the `width` best of each level it was grown on.

    A path that ends early stays among those kept for as long as it is good enough.

    Examples:
        >>> import asyncio
        >>> from multihop.programs.search import Moves, best_scored, search_beam
        >>> async def digits(path):
        ...     return [1, 2, 3]
        >>> async def add(path, digit):
        ...     return digit
        >>> async def largest(path):
        ...     return sum(path) / 10
        >>> async def gather(*work):
        ...     return await asyncio.gather(*work)
        >>> moves = Moves(propose=digits, move=add, score=largest, depth=2)
        >>> best_scored(asyncio.run(search_beam(moves, gather)))
        (3, 3)
    """
    root: Growth[Item] = Growth()
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
    return root.freeze()


def best_scored(root: Scored[Item]) -> tuple[Item, ...]:
    """The path that a search chose: of the kept paths that end, the best-scored; the longer, then the first of equals.

    A path ends where nothing was found to follow it. One whose followers were all given up has not ended: its score
    says what was hoped of it, not what it came to.
    """
    ends = [node for node in root.walk() if node.path and node.kept and not node.children]
    best = max(ends, key=lambda node: (node.score or 0.0, len(node.path)), default=root)
    return best.path
