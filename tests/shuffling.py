"""Calls made at once reach the LM, and come back from it, in an order that only a seed knows.

A busy machine or another Python may reorder them; `pytest --shuffle-calls SEED` does it on purpose, so that no test and
nothing in the library depends on the order by accident.
"""

import asyncio
import random
import time

from multihop.base import concurrency
from multihop.runtime.call import Call
from multihop.runtime.step_lm import Attempt

LONGEST = 0.002
"""Seconds that a call may be held up."""


def shuffle_calls(patch, seed):
    """Hold up, by patches that a test undoes, each call on its way to its slot, to the LM and back, and each search."""
    dice = random.Random(seed)
    call, answer, next_batch, search = (
        Call.answer,
        Attempt.answer,
        concurrency._Batcher._next_batch,
        concurrency._call_in_thread,
    )

    async def hold_up():
        if dice.random() < 0.2:
            await asyncio.sleep(dice.uniform(0, LONGEST))
        for _ in range(dice.randrange(8)):
            await asyncio.sleep(0)

    async def late_call(*arguments, **named):
        await hold_up()
        return await call(*arguments, **named)

    async def late_answer(*arguments, **named):
        await hold_up()
        try:
            return await answer(*arguments, **named)
        finally:
            await hold_up()

    def shuffled_batch(self):
        kind, batch = next_batch(self)
        return kind, dict(dice.sample(list(batch.items()), len(batch)))

    def late_search(*arguments):
        if dice.random() < 0.5:
            time.sleep(dice.uniform(0, LONGEST))
        return search(*arguments)

    patch.setattr(Call, "answer", late_call)
    patch.setattr(Attempt, "answer", late_answer)
    patch.setattr(concurrency._Batcher, "_next_batch", shuffled_batch)
    patch.setattr(concurrency, "_call_in_thread", late_search)
