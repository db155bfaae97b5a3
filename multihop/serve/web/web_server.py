"""An application served on a socket until it is told to end; then it answers what it has taken."""

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.types import ASGIApp

from ..event_log import EventLog
from .connection import PatientConnection

if TYPE_CHECKING:
    from ..service import Service
    from .index_application import IndexService


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
