"""Calls already made for one question, so that none is paid twice, not even while it is under way."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable, Iterable
from typing import Any, Self, TypeVar

from .branch import Branch, beside, current_branch, keep

Result = TypeVar("Result")


class Lookup:
    """Work by key: the first to ask for a key has it done, all others wait for the same result.

    Each piece of work runs in a branch of its own, which `branch` gives back, so that the calls behind a path can be
    handed to optimizers. Leaving the block ends what is still under way.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime import Budget
        >>> from multihop.runtime import Branch, current_branch
        >>> from multihop.runtime.budget import Account
        >>> from multihop.runtime import Lookup
        >>> async def twice():
        ...     current_branch.set(Branch(Account(Budget())))
        ...     made = []
        ...     async def work():
        ...         made.append("call")
        ...         return 42
        ...     async with Lookup() as lookup:
        ...         results = await asyncio.gather(lookup.once("key", work), lookup.once("key", work))
        ...     return results, made
        >>> asyncio.run(twice())
        ([42, 42], ['call'])
    """

    def __init__(self, *, sharing: bool = True) -> None:
        """Start empty; without `sharing`, every piece of work is done as often as it is asked for."""
        self.sharing = sharing
        self._latest: dict[Hashable, asyncio.Task[Branch[Any]]] = {}
        self._tasks: list[asyncio.Task[Branch[Any]]] = []

    async def once(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of the key's work."""
        if not (self.sharing and key in self._latest):
            self._latest[key] = asyncio.create_task(beside(work()))
            self._tasks.append(self._latest[key])
        branch, mine = await asyncio.shield(self._latest[key]), current_branch.get()
        mine.chain = max(mine.chain, branch.chain)
        return branch.result  # type: ignore[return-value]

    def branch(self, key: Hashable) -> Branch[Any] | None:
        """The branch in which the key's work was done; None if it never was."""
        task = self._latest.get(key)
        return None if task is None or not task.done() or task.cancelled() else task.result()

    def keep(self, keys: Iterable[Hashable]) -> None:
        """Hand the DSPy traces of the work behind these keys to the caller's, so that optimizers learn from it."""
        keep(branch for key in keys if (branch := self.branch(key)) is not None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
