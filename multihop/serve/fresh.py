"""Looks that a server takes, every so many seconds, at what others may have changed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from .event_log import EventLog


@asynccontextmanager
async def looking(seconds: float, look: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """In the block `look` is called every so many seconds; never if that is 0.

    Examples:
        >>> import asyncio
        >>> from multihop.serve.fresh import looking
        >>> async def main():
        ...     seen = asyncio.Event()
        ...     async def look():
        ...         seen.set()
        ...     async with looking(0.001, look):
        ...         return await seen.wait()
        >>> asyncio.run(main())
        True
    """

    async def keep_looking() -> None:
        while True:
            await asyncio.sleep(seconds)
            await look()

    task = asyncio.create_task(keep_looking()) if seconds else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


class IndexWatch:
    """Notices what others change in the folders of indexes, and tells the log, of the same trouble once."""

    def __init__(self) -> None:
        """Nothing was looked at yet."""
        self._troubles = dict[str, str]()

    async def latest(self, retriever: Any, name: str, log: EventLog) -> Any:
        """The retriever as what it searches is now: itself if nothing has changed, or what is there cannot be used.

        Another is opened whole before it takes the place of this one, which goes on for who began with it.

        Args:
            retriever: The retriever.
            name: The name of what searches by it, for the log.
            log: The log.
        """
        read = getattr(retriever, "latest", None)
        if read is None:
            return retriever
        trouble = ""
        try:
            newest = await asyncio.to_thread(read)
        except Exception as error:  # whatever is wrong with the folder, the server goes on with what it has
            newest, trouble = retriever, " ".join(str(error).split())
            if trouble != self._troubles.get(name):
                log.write("index not reloaded", name=name, error=trouble)
        self._troubles[name] = trouble
        if newest is not retriever:
            log.write("index reloaded", name=name, passages=len(newest))
        return newest
