"""An engine's asynchronous half that takes another time for every call."""

import asyncio
import random

from multihop.lms import AsyncEngine


class Uneven(AsyncEngine):
    """Draws from the seed how long each call takes."""

    def __init__(self, engine, seed):
        super().__init__(engine)
        self.random = random.Random(seed)

    async def complete(self, request):
        await asyncio.sleep(self.random.choice((0.01, 0.1, 0.5, 3.0)))
        return self.engine.respond(request)
