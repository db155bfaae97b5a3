"""HTTP/1.1 over one connection: whole requests in, whole answers out."""

import asyncio
import contextlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

import h11
import ujson

from .refusal import Refusal

IDLE = 120.0
"""Seconds that a client may keep its connection without asking anything."""
_CHUNK = 1 << 16
_LINGER = 2.0


class Request(NamedTuple):
    """One request, read to its end."""

    method: str
    path: str
    """Without what stands behind the question mark."""
    body: bytes


class HttpExchange:
    """The requests that come over one connection, one after the other.

    What breaks the protocol, is too long or takes too long is refused with a status of its own, and ends the
    connection.
    """

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        largest: int,
        patience: float,
    ) -> None:
        """A new connection.

        Args:
            reader: What the client sends.
            writer: What it gets.
            largest: Bytes of a body at most.
            patience: Seconds within which a request must be whole once it has begun, and an answer be taken.
        """
        self._reader, self._writer = reader, writer
        self._largest, self._patience = largest, patience
        self._protocol = h11.Connection(h11.SERVER)
        self._head_alone = False
        """Whether a HEAD is answered, to which no body belongs."""
        self.between = True
        """Whether no request is being read or answered: the connection may be closed and nobody misses anything."""

    async def next_request(self) -> Request | None:
        """The next request; None where the client has gone.

        Raises:
            Refusal: It cannot be read.
        """
        if self._protocol.our_state is h11.DONE:
            self._protocol.start_next_cycle()
        try:
            async with asyncio.timeout(IDLE):
                if not self._protocol.trailing_data[0] and not await self._receive():
                    return None
        except TimeoutError:
            return None
        self.between = False
        try:
            async with asyncio.timeout(self._patience):
                return await self._read()
        except TimeoutError:
            raise Refusal(408, f"the request was not whole after {self._patience:g} s.") from None
        except h11.RemoteProtocolError as error:
            raise Refusal(error.error_status_hint, f"this is no HTTP request: {error}.") from None

    async def _read(self) -> Request | None:
        body, head, self._head_alone = bytearray(), None, False
        while True:
            event = self._protocol.next_event()
            if event is h11.NEED_DATA:
                if self._protocol.they_are_waiting_for_100_continue:
                    await self._send(h11.InformationalResponse(status_code=100, headers=[]))
                await self._receive()
            elif isinstance(event, h11.Request):
                head, self._head_alone = event, event.method == b"HEAD"
                self._refuse_long(int(dict(event.headers).get(b"content-length", b"0")))
            elif isinstance(event, h11.Data):
                body += event.data
                self._refuse_long(len(body))
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                path = head.target.decode("latin-1").partition("?")[0]
                return Request(head.method.decode("latin-1"), path, bytes(body))
            elif isinstance(event, h11.ConnectionClosed) or event is h11.PAUSED:
                return None

    async def reply(self, status: int, content: Any, headers: Mapping[str, str] | None = None, *, last: bool) -> None:
        """Answer with JSON; with `last`, or where the request was not read to its end, it was the last answer."""
        body = ujson.dumps(content).encode() + b"\n"
        if self._protocol.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return  # the client has gone
        whole = self._protocol.their_state is h11.DONE
        fields = {"Content-Type": "application/json", "Content-Length": str(len(body)), **(headers or {})}
        if last or not whole:
            fields["Connection"] = "close"
        response = h11.Response(status_code=status, headers=list(fields.items()), reason=HTTPStatus(status).phrase)
        await self._send(response, *([] if self._head_alone else [h11.Data(body)]), h11.EndOfMessage())
        self.between = True
        if not whole:
            await self._let_finish()

    @property
    def goes_on(self) -> bool:
        """Whether another request may come."""
        return self._protocol.our_state is h11.DONE and self._protocol.their_state is h11.DONE

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def _receive(self) -> bool:
        """Hand on what the client sends next; false where it sends nothing more."""
        data = await self._reader.read(_CHUNK)
        self._protocol.receive_data(data)
        return bool(data)

    async def _send(self, *events: Any) -> None:
        self._writer.write(b"".join(self._protocol.send(event) or b"" for event in events))
        async with asyncio.timeout(self._patience):  # a client that does not read must not be waited for
            await self._writer.drain()

    async def _let_finish(self) -> None:
        """Throw away what a client still sends: closed at once, the connection would take the answer with it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LINGER):
                self._writer.write_eof()
                while await self._reader.read(_CHUNK):
                    pass

    def _refuse_long(self, length: int) -> None:
        if length > self._largest:
            raise Refusal(413, f"the body is longer than {self._largest:,} bytes; send fewer queries at once.")
