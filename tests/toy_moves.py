"""Random but repeatable moves for tests of searches."""

import asyncio
import hashlib

from multihop.programs.search import Moves


def dice(*values):
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=6).digest(), "big") / 2**48


def toy(seed, *, depth=3, breadth=3, levels=11, dead=0.1, ending=0.1, shuffle=None):
    """Random but repeatable moves: dead ends, early ends, rewards on a coarse scale so that ties are common."""
    made = []

    async def pause():
        if shuffle is not None:
            await asyncio.sleep(shuffle.random() / 500)

    async def propose(path):
        await pause()
        return [] if dice(seed, "dead", path) < dead else list(range(breadth + 1))  # one more than are taken

    async def move(path, act):
        await pause()
        made.append((path, act))
        return act

    async def plan(path):
        await pause()
        return None if dice(seed, "stop", path) < dead else int(dice(seed, "plan", path) * breadth)

    async def score(path):
        await pause()
        return int(dice(seed, "score", path) * levels) / (levels - 1)

    def ends(item):
        return dice(seed, "ends", item) < ending

    return Moves(propose=propose, move=move, plan=plan, score=score, ends=ends, depth=depth, breadth=breadth), made


async def gather(*work):
    return await asyncio.gather(*work)


def run(coroutine):
    return asyncio.run(coroutine)
