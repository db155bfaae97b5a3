"""Depth-first search over moves: the best child first, backing off where nothing scores well enough."""

from .beam import Growth, grow
from .moves import Act, AtOnce, Item, Moves, Scored


async def search_depth_first(
    moves: Moves[Act, Item],
    at_once: AtOnce,
    *,
    threshold: float = 0.5,
    limit: int | None = None,
) -> Scored[Item]:
    """The tree of all paths that were scored on the way to the first full path that scores well enough.

    Only that path is kept. If there is none after `limit` expansions, or at all, the best of the longest is.

    Examples:
        >>> import asyncio
        >>> from multihop.programs.search import Moves, best_scored, search_depth_first
        >>> async def digits(path):
        ...     return [1, 2, 3]
        >>> async def add(path, digit):
        ...     return digit
        >>> async def even(path):
        ...     return 1 - sum(path) % 2
        >>> async def gather(*work):
        ...     return await asyncio.gather(*work)
        >>> moves = Moves(propose=digits, move=add, score=even, depth=2)
        >>> best_scored(asyncio.run(search_depth_first(moves, gather)))
        (2, 2)
    """
    root: Growth[Item] = Growth(kept=False)
    nodes: list[Growth[Item]] = []
    expanded = 0

    async def descend(node: Growth[Item]) -> Growth[Item] | None:
        nonlocal expanded
        if moves.terminal(node.path):
            return node
        if limit is not None and expanded >= limit:
            return None
        expanded += 1
        children: list[Growth[Item]]
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
    return root.freeze()
