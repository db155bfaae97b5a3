"""A retriever for other processes and machines: `POST /retrieve`, as Search-R1 and FlashRAG ask it."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Sized
from dataclasses import dataclass
from typing import Any

from ..retrieval import Retriever, fingerprint
from .http_exchange import HttpExchange, Request
from .listener import address_of_socket, listening_socket
from .refusal import Refusal
from .searching import PassageSearch, SearchLimits


@dataclass(frozen=True, kw_only=True)
class ServerLimits(SearchLimits):
    """What one server takes on at most; more is refused with a sentence that says what would be taken."""

    connections: int = 512
    """Clients at once; 503 with Retry-After above."""
    body_bytes: int = 4 << 20
    """Bytes of a request's body."""
    patience: float = 30.0
    """Seconds within which a request must be whole, an answer be taken, and, at the end, what is under way be done."""


class IndexServer:
    """Serves a retriever over HTTP on the event loop that it is started on.

    What clients ask at the same time is searched for in one batch, if the retriever takes batches. `GET /healthz` says
    what is served. Once it is told to end, it takes no more, answers what it has taken, and is done.

    Examples:
        >>> import asyncio
        >>> from multihop.retrieval import BM25, Passage, RemoteRetriever
        >>> from multihop.serve.index_server import IndexServer
        >>> async def main():
        ...     server = IndexServer(BM25.build([Passage("p1", "Po", "A river in Italy.")]))
        ...     async with server.listen("127.0.0.1", 0) as address:
        ...         return await RemoteRetriever(address).asearch(["Italian rivers"], k=1)
        >>> asyncio.run(main())[0][0].passage
        Passage(id='p1', title='Po', text='A river in Italy.')
    """

    def __init__(self, retriever: Retriever, limits: ServerLimits | None = None) -> None:
        """Nothing is served yet."""
        self._retriever, self.limits = retriever, limits or ServerLimits()
        self.searching = PassageSearch(retriever, self.limits)
        self._draining = False
        self._open: dict[asyncio.Task[None], HttpExchange] = {}

    @contextlib.asynccontextmanager
    async def listen(self, host: str, port: int) -> AsyncIterator[str]:
        """Serve as long as the block lasts; the address, with the port that was free where 0 was given.

        Raises:
            InputError: The port is taken, or the host is none of this machine.
        """
        listener = listening_socket(host, port)
        server = await asyncio.start_server(self._welcome, sock=listener)
        self._draining = False
        try:
            yield address_of_socket(listener, host)
        finally:
            server.close()
            await self._drain()

    async def run(self, host: str, port: int, started: Callable[[str], None]) -> None:
        """Serve until SIGTERM or Ctrl-C; a second one does not wait for what is under way.

        Args:
            host: Where to listen.
            port: The same.
            started: Called with the address.
        """
        ending, loop = asyncio.Event(), asyncio.get_running_loop()
        first = asyncio.current_task()

        def end() -> None:
            if ending.is_set() and first is not None:
                first.cancel()
            ending.set()

        with contextlib.suppress(NotImplementedError):  # Windows: Ctrl-C ends it there, at once
            for name in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(name, end)
        async with self.listen(host, port) as address:
            started(address)
            await ending.wait()

    async def _drain(self) -> None:
        """Let go of who asks nothing, and answer the others."""
        self._draining = True
        for exchange in self._open.values():
            if exchange.between:
                exchange.close()
        under_way = set(self._open)
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=self.limits.patience)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        exchange = HttpExchange(reader, writer, largest=self.limits.body_bytes, patience=self.limits.patience)
        task = asyncio.current_task()
        assert task is not None
        crowded = len(self._open) >= self.limits.connections
        self._open[task] = exchange
        try:
            await self._converse(exchange, crowded)
        except (OSError, TimeoutError, asyncio.CancelledError):
            pass  # the client has gone, or does not read what it asked for; or this server ends
        finally:
            del self._open[task]
            exchange.close()

    async def _converse(self, exchange: HttpExchange, crowded: bool) -> None:
        """Answer one request after the other, until the client has no more or must ask elsewhere."""
        goes_on = True
        while goes_on:
            try:
                request = await exchange.next_request()
                if request is None:
                    return
                if crowded:
                    raise Refusal(503, "too many clients at once; ask again in a second.", Retry_After="1")
                await exchange.reply(200, await self._answer(request), last=self._draining)
            except Refusal as refusal:
                content, last = {"error": refusal.sentence}, crowded or self._draining
                await exchange.reply(refusal.status, content, refusal.headers, last=last)
            goes_on = exchange.goes_on

    async def _answer(self, request: Request) -> Any:
        routes = {"/healthz": ("GET", self._health), "/retrieve": ("POST", self._retrieve)}
        if request.path not in routes:
            raise Refusal(404, "there is nothing here; ask POST /retrieve or GET /healthz.")
        method, answer = routes[request.path]
        if request.method != method:
            raise Refusal(405, f"{request.path} is asked with {method}.", Allow=method)
        return await answer(request)

    async def _health(self, request: Request) -> dict[str, Any]:
        if self._draining:
            raise Refusal(503, "this server is about to end.", Retry_After="1")
        size = {"passages": len(self._retriever)} if isinstance(self._retriever, Sized) else {}
        return {"status": "ok", **size, "fingerprint": fingerprint(self._retriever), "waiting": self.searching.waiting}

    async def _retrieve(self, request: Request) -> dict[str, Any]:
        if self._draining:
            raise Refusal(503, "this server is about to end; ask another.", Retry_After="1")
        return await self.searching.answer(request.body)
