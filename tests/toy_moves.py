"""Random but repeatable moves for tests of searches."""

import asyncio
import hashlib

from multihop.programs.search import Moves


def dice(*values):
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=6).digest(), "big") / 2**48


def toy(seed, *, depth=3, breadth=3, levels=11, dead=0.1, ending=0.1, repeating=False):
    """Dead ends, early ends, rewards on a coarse scale so that ties are common; samples may repeat each other."""

    async def propose(path):
        if dice(seed, "dead", path) < dead:
            return []
        samples = range(breadth + 1)  # one more than are taken
        return [int(dice(seed, "sample", path, n) * 3) for n in samples] if repeating else list(samples)

    async def move(path, act):
        return act

    async def plan(path):
        return None if dice(seed, "stop", path) < dead else int(dice(seed, "plan", path) * breadth)

    async def score(path):
        return int(dice(seed, "score", path) * levels) / (levels - 1)

    def ends(item):
        return dice(seed, "ends", item) < ending

    return Moves(propose=propose, move=move, plan=plan, score=score, ends=ends, depth=depth, breadth=breadth)


async def gather(*work):
    return await asyncio.gather(*work)


def run(coroutine):
    return asyncio.run(coroutine)
