"""An application served on a socket until it is told to end; then it answers what it has taken."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..base import InputError
from .log import EventLog

if TYPE_CHECKING:
    from .searching import IndexService
    from .service import Service


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at the host and port; 0 takes a free port.

    Raises:
        InputError: The port is taken, or the host is none of this machine.

    Examples:
        >>> from multihop.serve.web_server import address_of_socket, listening_socket
        >>> with listening_socket("127.0.0.1", 0) as listener:
        ...     address_of_socket(listener, "127.0.0.1").startswith("http://127.0.0.1:")
        True
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
    """True if only this machine can ask a server that listens there.

    Examples:
        >>> from multihop.serve.web_server import is_local
        >>> [host for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0") if is_local(host)]
        ['127.0.0.1', 'localhost', '::1']
    """
    return host in ("localhost", "::1") or host.startswith("127.")


class PatientConnection(H11Protocol):
    """A connection with limits in time that uvicorn has no option for; `look` keeps them.

    A client has so long to send the head of a request, and so long to take what was written. uvicorn bounds what a head
    holds and how long nothing comes between two requests; the guard bounds the time of a body.
    """

    def __init__(self, *arguments: Any, patience: float, most: int, **options: Any) -> None:
        """Nobody is connected yet.

        Args:
            arguments: Those of uvicorn.
            patience: Seconds that a head may take, and a reply to be taken.
            most: Clients at once: a further one takes the place of one that asks nothing, or that takes no reply.
            options: Those of uvicorn.
        """
        super().__init__(*arguments, **options)
        self._patience, self._most = patience, most
        self._since, self._unread = self.loop.time(), 0

    @property
    def asks(self) -> bool:
        """True if a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def takes_nothing(self) -> bool:
        """True if a reply has been waiting for the client for a while."""
        return self.transport.get_write_buffer_size() > 0 and self.loop.time() - self._since > min(1.0, self._patience)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the client, in the place of the one that has asked or taken nothing for the longest time, if need be."""
        super().connection_made(transport)
        if len(self.connections) > self._most:
            others = [each for each in self.connections if isinstance(each, PatientConnection)]
            silent = [each for each in others if not each.asks] or [each for each in others if each.takes_nothing]
            oldest = min(silent, key=lambda each: each._since, default=self)
            if oldest is not self:
                oldest.transport.abort()
                self.connections.discard(oldest)

    def resume_writing(self) -> None:
        """The client has taken what was written."""
        super().resume_writing()
        self._since = self.loop.time()

    def look(self, now: float) -> None:
        """Close the connection if the client has let too much time go by.

        Args:
            now: The time of the event loop.
        """
        unread = self.transport.get_write_buffer_size()
        between_requests = self.timeout_keep_alive_task is not None
        owed = unread > 0 or not (self.asks or between_requests)
        if not owed or 2 * unread < self._unread:
            self._since, self._unread = now, unread
        self._unread = self._unread or unread
        if owed and now - self._since > self._patience:
            self.transport.abort()


class WebServer(uvicorn.Server):
    """A server that drains on SIGTERM or Ctrl-C, and ends at once on a second one."""

    def __init__(self, application: ASGIApp, service: "Service | IndexService") -> None:
        """Nothing is served yet.

        Args:
            application: Answers the requests.
            service: The service by which the application answers, with its limits; it hears of the end.
        """
        self.service = service
        connections = min(service.limits.connections, max(1, _open_files() // 2))
        connection: Any = partial(PatientConnection, patience=service.limits.patience, most=connections)
        config = uvicorn.Config(
            application,
            http=connection,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=120,
            timeout_graceful_shutdown=max(1, round(service.limits.patience)),
            limit_concurrency=connections + 1,  # it refuses the one that makes so many
        )
        super().__init__(config)

    async def serve_at(self, listener: socket.socket) -> None:
        """Serve the clients that come to the socket, until told to end."""
        log = _Events(self.service.log)
        logger = logging.getLogger("uvicorn.error")
        logger.addHandler(log)
        logger.propagate = False
        watch = asyncio.create_task(self._watch())
        try:
            await self.serve(sockets=[listener])
        finally:
            watch.cancel()
            logger.removeHandler(log)
            logger.propagate = True

    async def _watch(self) -> None:
        """Close the connections of clients that are too slow, for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(1.0, self.service.limits.patience / 4))
            for connection in list(self.server_state.connections):
                if isinstance(connection, PatientConnection):
                    connection.look(loop.time())

    def end(self) -> None:
        """Take no more, answer what was taken, and be done; called again, do not wait for that."""
        self.force_exit = self.should_exit
        self.should_exit = self.service.draining = True

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


def _open_files() -> int:
    """The files that this process may have open at once, as many as it may allow itself."""
    try:
        import resource
    except ImportError:  # Windows
        return 8192
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 16_384 if hard == resource.RLIM_INFINITY else min(hard, 16_384)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return 16_384 if soft == resource.RLIM_INFINITY else soft


class _Events(logging.Handler):
    """The warnings of uvicorn, as lines of the log."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.write("server", level=record.levelname.lower(), message=record.getMessage())
