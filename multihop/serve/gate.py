"""Checks of every request before an application sees it: the host, the key, and the kind and length of its body."""

import asyncio
import hmac
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from .log import EventLog
from .refusal import Refusal, place_of
from .replies import reply_to_refusal

OPEN = frozenset({"/", "/healthz", "/readyz"})
"""The paths that need no key, as the fonts do not: nothing there tells of questions, programs or passages."""
_FONTS = "/fonts/"
_HERE = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Gate:
    """Stands before the application; no error that was not foreseen leaves it as a traceback."""

    def __init__(
        self, application: ASGIApp, *, keys: Sequence[str], largest: int, log: EventLog, local: bool = False
    ) -> None:
        """A gate.

        Args:
            application: The application behind it.
            keys: Any of them opens; none are asked for where there are none.
            largest: Bytes of a body at most; of one that comes in chunks, the application counts them.
            log: Told of errors that were not foreseen.
            local: True if only this machine is to ask: then, without keys, a request must also name it as its host.
                Else a page from anywhere could ask through a browser here, under a name that leads to this machine.
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
