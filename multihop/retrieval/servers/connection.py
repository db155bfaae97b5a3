"""HTTP requests to one server, with retries; every failure is one sentence that names the server."""

import asyncio
import random
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import ujson

from ...base import InputError, RunFailed
from ...base.secrets import remember_secret, remember_secrets
from .address import Address

if TYPE_CHECKING:
    import ssl

    import httpx

PASSING = frozenset({429, 502, 503, 504})
"""The status codes of a server that is busy, or about to be back."""
_CONNECTING = 5.0
"""Seconds within which a server has to take a call."""
_LONGEST_PAUSE = 30.0


class Connection:
    """The way to ask one server: its timeout, its number of attempts, and its headers."""

    def __init__(self, address: Address, *, timeout: float, attempts: int, headers: Mapping[str, str] | None) -> None:
        """Nothing is sent yet.

        Args:
            address: The server.
            timeout: Seconds that an answer may take.
            attempts: The number of times it is asked before it is given up.
            headers: Headers for every request, such as a key.

        Raises:
            InputError: The seconds or the attempts are none.
        """
        check_limits(timeout, attempts)
        remember_secrets(dict(headers or {}))
        if address.login is not None:
            remember_secret(address.login[1])
            remember_secret(b64encode(":".join(address.login).encode()).decode())  # as it is sent
        self.address, self.timeout, self.attempts = address, timeout, attempts
        self._headers = dict(headers or {})

    @asynccontextmanager
    async def open(self) -> AsyncIterator["httpx.AsyncClient"]:
        """The client that sends requests, open as long as the block lasts."""
        import httpx

        # A block lasts as long as a batch is searched for: no connection outlives the event loop that it belongs to.
        async with httpx.AsyncClient(
            auth=self.address.login,
            headers=self._headers,
            timeout=httpx.Timeout(None, connect=_CONNECTING),  # the whole of a request is timed below
            verify=self._certificates if self.address.url.startswith("https:") else False,
        ) as client:
            yield client

    async def ask(self, client: "httpx.AsyncClient", method: str, address: Address, json: Any = None) -> Any:
        """The JSON that the server answers, asked with one JSON value or with none.

        Raises:
            RunFailed: It cannot be reached, takes too long, refuses, or answers what is no JSON.
        """
        return json_answer(await self.send(client, method, address, json), address)

    async def send(
        self,
        client: "httpx.AsyncClient",
        method: str,
        address: Address,
        json: Any = None,
        *,
        lines: bytes | None = None,
    ) -> "httpx.Response":
        """The response, whatever its status, of the first attempt that need not be repeated, or of the last.

        Args:
            client: The client from `open`.
            method: "GET", "POST" ...
            address: The address to ask, on this server.
            json: The content, as one JSON value.
            lines: The content, as lines of JSON.

        Raises:
            RunFailed: It cannot be reached, or takes too long.
        """
        import httpx

        content = ujson.dumps(json).encode() if json is not None else lines
        kind = {"Content-Type": "application/json" if lines is None else "application/x-ndjson"}
        url = f"{address.url}?{address.query}" if address.query else address.url
        try:
            request = client.build_request(method, url, content=content, headers=None if content is None else kind)
        except httpx.InvalidURL as error:
            raise InputError(f"{address} is no address that can be asked: {error}.") from None
        for attempt in range(1, self.attempts + 1):
            last, times = attempt == self.attempts, f"asked {attempt} time{'s' if attempt > 1 else ''}"
            asked_for = 0.0
            try:
                async with asyncio.timeout(self.timeout):
                    response = await client.send(request)
            except (TimeoutError, httpx.TimeoutException):
                problem = f"{address} did not answer within {self.timeout:g} s ({times}); is it there, or too busy?"
            except httpx.DecodingError:
                raise RunFailed(f"{address} answered with what is not encoded as it says.") from None
            except httpx.TransportError as error:
                reason = str(error).strip().rstrip(".") or type(error).__name__
                problem = f"{address} cannot be reached ({reason}; {times}); is the server running there?"
            else:
                if response.status_code not in PASSING or last:
                    return response
                asked_for, problem = _seconds(response.headers.get("Retry-After")), ""
            if last:
                raise RunFailed(problem) from None
            await rest(attempt, asked_for)
        raise AssertionError("the last attempt returns or raises")

    @cached_property
    def _certificates(self) -> "ssl.SSLContext":
        import ssl

        return ssl.create_default_context()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_certificates"}


def check_limits(timeout: float, attempts: int) -> None:
    """Refuse limits under which a server cannot be asked."""
    if not timeout > 0 or attempts < 1:
        raise InputError(f"a server needs more than 0 seconds and 1 attempt, not {timeout} and {attempts}.")


async def rest(attempt: int, asked_for: float = 0.0) -> None:
    """Wait before the next attempt."""
    await asyncio.sleep(pause(attempt, asked_for))


def pause(attempt: int, asked_for: float = 0.0) -> float:
    """Seconds to wait after an attempt: more each time, at random, so that many askers do not come back together."""
    at_random = random.uniform(0, min(8.0, 0.25 * 2**attempt))
    return min(asked_for, _LONGEST_PAUSE) + at_random


def _seconds(text: str | None) -> float:
    """The seconds that a server asks to be left alone; 0 if it gives no number of seconds."""
    return float(text) if text is not None and text.isascii() and text.isdigit() else 0.0


def json_answer(response: "httpx.Response", address: Address) -> Any:
    """The JSON of an answer; RunFailed where the server refused, or answered something else."""
    text = _first_words(response.text)
    if not response.is_success:
        status = f"{response.status_code} {response.reason_phrase}".strip()
        raise RunFailed(f"{address} answered {status}{f': {text}' if text else ''}.")
    try:
        return ujson.loads(response.content)
    except ValueError:
        raise RunFailed(f"{address} answered with what is no JSON: {text or 'nothing'}.") from None


def _first_words(text: str) -> str:
    """The beginning of a server's answer, on one line; of a JSON error, its sentence."""
    try:
        answer = ujson.loads(text)
    except ValueError:
        answer = text
    if isinstance(answer, dict):
        answer = next((answer[name] for name in ("error", "detail", "message") if answer.get(name)), answer)
    if isinstance(answer, dict) and isinstance(answer.get("reason"), str):
        answer = answer["reason"]
    return on_one_line(str(answer))


def on_one_line(text: str) -> str:
    """The first words of a text, on one line."""
    return " ".join(text.split())[:200].rstrip(".")
