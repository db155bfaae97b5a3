"""Checks of every request before an application sees it: the host, the key, and the kind and length of its body."""

import asyncio
import contextlib
import hmac
import os
import select
import signal
import socket
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import uvicorn
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..base import InputError
from .operation import EventLog, Limits, Refusal, place_of
from .replies import reply_to_refusal

OPEN = frozenset({"/", "/healthz", "/readyz"})
"""The paths that need no key, as the fonts do not: nothing there tells of questions, programs or passages."""
_FONTS = "/fonts/"
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})
_MOMENT = 0.25
"""Seconds in which a client that has connected sends its request, when the server ends."""
_ROUNDS, _QUIET = 1000, 5
"""Rounds of the event loop, at most, in which those who have connected are taken in then; and without a new one."""


class Gate:
    """Stands before the application; no error that was not foreseen leaves it as a traceback."""

    def __init__(
        self, application: ASGIApp, *, keys: Sequence[str], largest: int, log: EventLog, local: bool = False
    ) -> None:
        """A gate that any of the keys opens, or without keys anyone; `largest` is that of a body in bytes.

        With `local`, where only this machine is to ask, a request without keys must also name it as its host. Else a
        page from anywhere could ask through a browser here, under a name that leads to this machine.
        """
        self._application, self._largest, self._log = application, largest, log
        self._keys = [key.encode() for key in keys]
        self._local = local and not keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            if scope["type"] == "http":
                self._check(scope, Headers(scope=scope))
            await self._application(scope, receive, send)
        except Refusal as refusal:
            await reply_to_refusal(scope["path"], refusal)(scope, receive, send)
        except (Exception, asyncio.CancelledError) as error:
            self._log.write("failed", path=scope.get("path"), error=place_of(error), private={"reason": str(error)})

    def _check(self, scope: Scope, headers: Headers) -> None:
        path, host = scope["path"], headers.get("host", "")
        if self._local and (host if host.endswith("]") else host.rpartition(":")[0] or host) not in _HERE:
            raise Refusal(421, "without a key this server answers to the name localhost alone; see --token-env.")
        if self._keys and path not in OPEN and not path.startswith(_FONTS):
            kind, _, key = headers.get("authorization", "").partition(" ")
            sent = key.strip().encode("latin-1")
            fits = [hmac.compare_digest(sent, each) for each in self._keys]  # all of them, whichever fits
            if not (kind.lower() == "bearer" and any(fits)):
                sentence = "the key is missing or wrong; send it as Authorization: Bearer KEY."
                raise Refusal(401, sentence, WWW_Authenticate="Bearer")
        length = headers.get("content-length", "")
        if length and "transfer-encoding" in headers:
            raise Refusal(400, "a body has a length or comes in chunks, not both.", Connection="close")
        if length.isdigit() and int(length) > self._largest:
            raise longer_than(self._largest)
        body = headers.get("content-type", "").partition(";")[0].strip().lower()
        if scope["method"] == "POST" and body != "application/json":  # a page from anywhere may send all else unasked
            raise Refusal(415, "send the body with the header Content-Type: application/json.")


def longer_than(largest: int) -> Refusal:
    """The refusal of a body that is too long."""
    return Refusal(413, f"the body is longer than {largest:,} bytes.", Connection="close")


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at the host and port; 0 takes a free port."""
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
        self._patience, self._last = patience, False
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._last and self.cycle is not None:
            self.cycle.keep_alive = False
        self._wait()

    def shutdown(self) -> None:
        """Close after the answer; one that has come and not asked yet is given a moment to ask."""
        if self.cycle is None and not self._last:
            self._last = True
            self.loop.call_later(_MOMENT, self.shutdown)
        elif not self.transport.is_closing():
            super().shutdown()

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
        """Nothing is served yet; the limits are those that are kept before any request is read."""
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

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take in who has connected already, for closing the socket would cut them off, and then no more."""
        quiet = 0
        for _ in range(_ROUNDS):
            quiet = 0 if select.select(sockets or [], [], [], 0)[0] else quiet + 1
            if quiet > _QUIET:
                break
            await asyncio.sleep(0)
        await super().shutdown(sockets)

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
