"""Digits as moves, for tests of searches that score every path."""

import asyncio

from multihop.programs.search import Moves


async def gather(*work):
    return await asyncio.gather(*work)


def toy(scores, *, depth=2, breadth=3, ends=lambda item: False, nothing_after=()):
    """Paths of digits; what is not in `scores` is worth 0."""
    asked = []

    async def propose(path):
        asked.append(("propose", path))
        return [] if path in nothing_after else [0, 1, 2, 3]

    async def move(path, act):
        asked.append(("move", (*path, act)))
        return act

    async def score(path):
        asked.append(("score", path))
        return scores.get(path, 0.0)

    return Moves(propose=propose, move=move, plan=None, score=score, ends=ends, depth=depth, breadth=breadth), asked


def paths(asked, kind):
    return [path for what, path in asked if what == kind]
