"""An application served on a socket until it is told to end; then it answers what it has taken."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..base import InputError
from .limits import Limits


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at the host and port; 0 takes a free port.

    Raises:
        InputError: The port is taken, or the host is none of this machine.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else getattr(error, "strerror", None) or error
        raise InputError(f"cannot serve at {host}:{port}: {reason}; choose another --host or --port.") from None
    listener.setblocking(False)
    return listener


def address_of_socket(listener: socket.socket, host: str) -> str:
    """The address that clients ask, with the port that was taken."""
    name = f"[{host}]" if ":" in host else host
    return f"http://{name}:{listener.getsockname()[1]}"


def is_local(host: str) -> bool:
    """True if only this machine can ask a server that listens there."""
    return host in ("localhost", "::1") or host.startswith("127.")


class _Connection(H11Protocol):
    """A connection that is closed if a request is not whole in time, for which uvicorn has no option."""

    def __init__(self, *arguments: Any, patience: float, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._patience = patience
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._waiting:
            self._waiting.cancel()

    def _wait(self) -> None:
        """Begin to wait for a request, or stop where it has come to its end."""
        if self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body:
            if self._waiting:
                self._waiting.cancel()
            self._waiting = None
        elif self._waiting is None:
            self._waiting = self.loop.call_later(self._patience, self.transport.abort)


class WebServer(uvicorn.Server):
    """A server that drains on SIGTERM or Ctrl-C, and ends at once on a second one."""

    def __init__(self, application: ASGIApp, limits: Limits) -> None:
        """Nothing is served yet.

        Args:
            application: Answers the requests.
            limits: The limits that are kept before any request is read.
        """
        connection: Any = partial(_Connection, patience=limits.patience)
        config = uvicorn.Config(
            application,
            http=connection,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=75,  # longer than clients and proxies keep a connection, so that they close it first
            timeout_graceful_shutdown=max(1, round(limits.patience)),
            limit_concurrency=limits.connections + 1,  # it refuses the one that makes so many
        )
        super().__init__(config)

    async def serve_at(self, listener: socket.socket) -> None:
        """Serve the clients that come to the socket, until told to end."""
        await self.serve(sockets=[listener])

    def end(self) -> None:
        """Take no more, answer what was taken, and be done; called again, do not wait for that."""
        self.force_exit = self.should_exit
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGTERM and Ctrl-C end the server; uvicorn's own way would raise them again at the end."""
        loop, taken = asyncio.get_running_loop(), []
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or no main thread
            for name in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(name, self.end)
                taken.append(name)
        try:
            yield
        finally:
            for name in taken:
                loop.remove_signal_handler(name)
