"""Checks of every request: who asks, by which key, and the kind, the size and the time of its body.

No error leaves as a traceback.
"""

import asyncio
import contextlib
import hmac
from collections.abc import Sequence
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .log import EventLog
from .refusal import Refusal, place_of
from .replies import reply_to_refusal

OPEN = frozenset({"/", "/healthz", "/readyz"})
"""The paths that need no key, as the fonts do not: nothing there tells of questions, programs or passages."""
_FONTS = "/fonts/"
_LINGER = 2.0
"""Seconds for which a client that sends too much is listened to."""
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"no-referrer")]


class Guard:
    """Stands before the application; what it lets through has a key, if one is asked for, and a whole body."""

    def __init__(
        self,
        application: ASGIApp,
        *,
        keys: Sequence[str],
        largest: int,
        patience: float,
        log: EventLog,
        local: bool = False,
    ) -> None:
        """A guard.

        Args:
            application: The application behind it.
            keys: Any of them opens; none are asked for where there are none.
            largest: Bytes of a body at most.
            patience: Seconds within which a body must be whole.
            log: Told of errors that nobody foresaw.
            local: True if only this machine is to ask: then, without keys, a request must also name it as its host.
                Else a page from anywhere could ask through a browser here, under a name that leads to this machine.
        """
        self._application, self._largest, self._patience, self._log = application, largest, patience, log
        self._local = local and not keys
        self._keys = [key.encode() for key in keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        begun = False

        async def send_on(message: Message) -> None:
            nonlocal begun
            begun = True
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        try:
            self._check_host(scope)
            self._check_origin(scope)
            self._check_key(scope)
            _check_kind(scope)
            body = await self._whole_body(scope, receive)
            await self._application(scope, _replay(body, receive), send_on)
        except Refusal as refusal:
            await reply_to_refusal(scope["path"], refusal)(scope, receive, send_on)
        except asyncio.CancelledError:  # the server has ended, and waited for this request as long as it does
            if not begun:
                ended = Refusal(503, "this server has ended; ask another.", Retry_After="1", Connection="close")
                await reply_to_refusal(scope["path"], ended)(scope, receive, send_on)
        except Exception as error:
            self._log.write("failed", path=scope["path"], error=place_of(error), private={"reason": str(error)})
            if not begun:
                failure = Refusal(500, "the server failed; its log says where.")
                await reply_to_refusal(scope["path"], failure)(scope, receive, send_on)

    def _check_host(self, scope: Scope) -> None:
        host = _header(scope, b"host").decode("latin-1")
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self._local and name not in _HERE:
            raise Refusal(421, "without a key this server answers to the name localhost alone; see --token-env.")

    def _check_origin(self, scope: Scope) -> None:
        """Refuse pages from elsewhere: without keys, a browser would ask for them whatever it may ask for itself."""
        origin = _header(scope, b"origin")
        if origin and not self._keys and origin.partition(b"://")[2].lower() != _header(scope, b"host").lower():
            raise Refusal(403, "a page from elsewhere asks; without a key this server answers to its own page alone.")

    def _check_key(self, scope: Scope) -> None:
        if not self._keys or scope["path"] in OPEN or scope["path"].startswith(_FONTS):
            return
        kind, _, key = _header(scope, b"authorization").partition(b" ")
        fits = [hmac.compare_digest(key.strip(), each) for each in self._keys]  # all of them, whichever fits
        if not (kind.lower() == b"bearer" and any(fits)):
            sentence = "the key is missing or wrong; send it as Authorization: Bearer KEY."
            raise Refusal(401, sentence, WWW_Authenticate="Bearer")

    async def _whole_body(self, scope: Scope, receive: Receive) -> bytes:
        declared = _header(scope, b"content-length")
        length, body, more = int(declared) if declared.isdigit() else 0, bytearray(), True
        try:
            async with asyncio.timeout(self._patience):
                while more and length <= self._largest:
                    message = await receive()
                    body += message.get("body", b"")
                    length = max(length, len(body))
                    more = message.get("more_body", False)
        except TimeoutError:
            raise Refusal(408, f"the request was not whole after {self._patience:g} s.", Connection="close") from None
        if length > self._largest:
            if more:
                await _discard_rest(receive)
            raise Refusal(413, f"the body is longer than {self._largest:,} bytes.", Connection="close")
        return bytes(body)


def _check_kind(scope: Scope) -> None:
    """Refuse what is no JSON, which a page from anywhere may send unasked, and a body of two lengths."""
    if _header(scope, b"content-length") and _header(scope, b"transfer-encoding"):
        raise Refusal(400, "a body has a length or comes in chunks, not both.", Connection="close")
    kind = _header(scope, b"content-type").partition(b";")[0].strip().lower()
    if scope["method"] == "POST" and kind != b"application/json":
        raise Refusal(415, "send the body with the header Content-Type: application/json.")


async def _discard_rest(receive: Receive) -> None:
    """Throw away what a client still sends: closed at once, the connection would take the refusal with it."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LINGER):
            while (await receive()).get("more_body", False):
                pass


def _header(scope: Scope, wanted: bytes) -> bytes:
    """The first header of that name; empty where there is none."""
    return next((bytes(value) for name, value in scope["headers"] if name == wanted), b"")


def _replay(body: bytes, receive: Receive) -> Receive:
    """The body in one piece, and then what comes from the client."""
    given = False

    async def receive_whole() -> Any:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_whole
