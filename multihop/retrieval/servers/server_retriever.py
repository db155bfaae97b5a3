"""The base class of retrievers that ask a server by HTTP."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from ...base import InputError, RunFailed
from ..own_loop import run_in_own_loop
from ..passage import Hit
from ..retriever import check_search
from ..wrapped.results import read_rankings
from .address import Address
from .connection import Connection

AT_ONCE = 8
"""Requests to one server that are under way at most."""


class ServerRetriever:
    """Asks a server for rankings, several requests at once, without keeping an event loop waiting."""

    per_request = 64
    """Queries in one request at most."""

    def __init__(
        self,
        address: str,
        *,
        timeout: float = 30.0,
        attempts: int = 4,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Nothing is sent yet.

        Args:
            address: The server's address; a login may stand in it, as in https://NAME:PASSWORD@HOST.
            timeout: Seconds that an answer may take.
            attempts: The number of times it is asked if it is busy or cannot be reached, with growing random pauses.
            headers: Headers for every request, such as {"Authorization": "Bearer ..."}.

        Raises:
            InputError: The address is none.
        """
        self.address = self._place(Address.read(address))
        self._connection = Connection(self.address, timeout=timeout, attempts=attempts, headers=headers)
        self._fingerprint: str | None = None

    def _place(self, address: Address) -> Address:
        """The address to ask for a search, made from the one that was given."""
        return address

    async def _prepare(self, client: Any) -> None:
        """Ask for what must be known before the first search; nothing by default."""

    async def _rank(self, client: Any, queries: Sequence[str], k: int) -> Any:
        """The server's answer for some queries: a ranking for each."""
        raise NotImplementedError

    async def _identify(self, client: Any) -> str:
        """The index's fingerprint as the server gives it; empty if it gives none."""
        return ""

    @property
    def fingerprint(self) -> str:
        """The index's fingerprint as the server gives it; else one made from the server's address.

        Raises:
            RunFailed: The server cannot be reached.
        """
        if self._fingerprint is None:
            given = run_in_own_loop(self._ask_fingerprint)
            self._fingerprint = given or f"{type(self).__name__}-{self.address.identity}"
        return self._fingerprint

    async def _ask_fingerprint(self) -> str:
        async with self._connection.open() as client:
            return await self._identify(client)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        return run_in_own_loop(self.asearch, queries, k)

    async def asearch(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The same, for an event loop.

        Raises:
            RunFailed: The server cannot be reached, takes too long, refuses, or answers what cannot be read as hits.
        """
        check_search(queries, k)
        if not queries:
            return []
        limit = asyncio.Semaphore(AT_ONCE)
        blocks = [queries[start : start + self.per_request] for start in range(0, len(queries), self.per_request)]

        async def ask(client: Any, block: Sequence[str]) -> list[list[Hit]]:
            async with limit:
                answer = await self._rank(client, block, k)
            try:
                return [ranking[:k] for ranking in read_rankings(answer, len(block), str(self.address))]
            except InputError as error:  # not what was asked is at fault, but what was answered
                raise RunFailed(str(error)) from None

        try:
            async with self._connection.open() as client, asyncio.TaskGroup() as group:
                await self._prepare(client)
                tasks = [group.create_task(ask(client, block)) for block in blocks]
        except BaseExceptionGroup as failures:  # the first ended the others
            raise failures.exceptions[0] from None
        return [ranking for task in tasks for ranking in task.result()]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self  # optimizers copy programs

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address})"
