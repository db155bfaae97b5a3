"""Servers as retrievers: their addresses, and the one with the `/retrieve` of Search-R1 and FlashRAG."""

import os
import random
import re
import time
import weakref
from base64 import b64encode
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from hashlib import blake2b
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

import ujson

from ..base import InputError, NotCopied, RunFailed
from ..base.errors import hide_login, names_secret, remember_secret, remember_secrets
from ..base.imports import httpx
from .passage import Hit, read_rankings
from .retriever import check_search

BUSY = frozenset({429, 502, 503, 504})
"""The status codes of a server that is busy, or about to be back."""
_ADDRESS = re.compile(r"(?:(?P<kind>[A-Za-z]+):)?(?P<url>https?://.*)", re.IGNORECASE | re.DOTALL)
_FORM = "write it like http://localhost:8000 or opensearch:https://localhost:9200/INDEX"
_AT_ONCE = 8
"""Requests to one server that are under way at most."""
_PER_REQUEST = 64
"""Queries in one request at most."""
_CONNECTING = 5.0
"""Seconds within which a server has to take a call."""
_LONGEST_PAUSE = 30.0
_LARGEST = 64 << 20
"""Bytes of a reply, unzipped."""
_WHOLE = 10
"""Times the seconds of silence that are allowed, in which a reply must have come."""


def is_address(source: str | os.PathLike[str]) -> bool:
    """True if this is written as the address of a server, http://HOST:PORT, or opensearch: before one."""
    return _ADDRESS.fullmatch(str(source)) is not None


class Address(NamedTuple):
    """A server's address, taken apart so that a password in it is only ever sent, never shown or written down."""

    kind: str
    """The prefix of the address: "opensearch"; empty if it has none."""
    url: str
    """The address without login, query and fragment, and without a slash at its end."""
    query: str
    """The part after its question mark."""
    login: tuple[str, str] | None
    """The name and the password that were written in it."""

    @classmethod
    def read(cls, text: str) -> "Address":
        """The address in a text; the message of an InputError does not repeat a password."""
        found = _ADDRESS.fullmatch(text.strip())
        if found is None:
            raise InputError(f"'{hide_login(text)}' is no address of a server; {_FORM}.")
        try:
            parts = urlsplit(found["url"])
            host, port = parts.hostname, parts.port
        except ValueError:  # its words may hold a part of a password
            problem = "its port cannot be read (in a login, / is written %2F and ? is written %3F)"
            raise InputError(f"{hide_login(text)!r} is no address of a server, {problem}; {_FORM}.") from None
        if not host or re.search(r"\s", found["url"]) or not found["url"].isprintable():
            raise InputError(f"{hide_login(text)!r} is no address of a server, it names no host; {_FORM}.")
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        place = f"[{host}]" if ":" in host else host
        place += "" if port is None else f":{port}"
        url = urlunsplit((parts.scheme.lower(), place, parts.path.rstrip("/"), "", ""))
        return cls((found["kind"] or "").lower(), url, parts.query, login)

    @property
    def path(self) -> str:
        """The part after the host."""
        return urlsplit(self.url).path

    @property
    def identity(self) -> str:
        """16 hexadecimal digits that stand for the address and its query, whatever the login and the keys."""
        query = "&".join(each for each in self.query.split("&") if not names_secret(each.partition("=")[0]))
        return blake2b(f"{self.url}?{query}".encode(), digest_size=8).hexdigest()

    def at(self, path: str) -> "Address":
        """The address of another path of the server."""
        parts = urlsplit(self.url)
        return self._replace(url=urlunsplit((parts.scheme, parts.netloc, path, "", "")))

    def __str__(self) -> str:
        """The part that may be shown: neither the login nor the query, since keys are also passed in queries."""
        return self.url

    def __repr__(self) -> str:
        return f"Address({self.url})"


class ServerRetriever(NotCopied):
    """Asks a server for rankings, several requests at once; `find` calls it in a thread."""

    path = ""
    """The path that is asked where the address has none."""

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
            timeout: Seconds for which a server may be silent.
            attempts: The number of times it is asked if it is busy or cannot be reached, with growing random pauses.
            headers: Headers for every request, such as {"Authorization": "Bearer ..."}.
        """
        if not timeout > 0 or attempts < 1:
            raise InputError(f"a server needs more than 0 seconds and 1 attempt, not {timeout} and {attempts}.")
        place = Address.read(address)
        self.address = place if place.path else place.at(self.path)
        self._headers = dict(headers or {})
        self._timeout, self._attempts = timeout, attempts
        remember_secrets(self._headers if place.kind else {**self._headers, "api_base": address})  # not an index's name
        if place.login is not None:
            remember_secret(place.login[1])
            remember_secret(b64encode(":".join(place.login).encode()).decode())  # as it is sent
        # What a pickle holds: connections stay here.
        self._again = partial(type(self), address, timeout=timeout, attempts=attempts, headers=headers)

    @cached_property
    def _client(self) -> Any:
        client = self._connect()
        weakref.finalize(self, client.close)
        return client

    def _connect(self) -> Any:
        """The client that sends requests, and may be closed."""
        raise NotImplementedError

    def _rank(self, queries: Sequence[str], k: int) -> Any:
        """The server's answer for some queries: a ranking for each."""
        raise NotImplementedError

    def _identify(self) -> str:
        """The index's fingerprint as the server gives it; empty if it gives none."""
        raise NotImplementedError

    @cached_property
    def fingerprint(self) -> str:
        """The index's fingerprint as the server gives it; else one made from the server's address."""
        return self._identify() or f"{type(self).__name__}-{self.address.identity}"

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query; RunFailed where the server cannot be reached or answers something else."""
        check_search(queries, k)

        def ask(start: int) -> list[list[Hit]]:
            block = queries[start : start + _PER_REQUEST]
            answer = self._rank(block, k)
            try:
                return read_rankings(answer, len(block), str(self.address), k)
            except ValueError as error:  # not what was asked is at fault, but what was answered
                raise RunFailed(str(error)) from None

        with ThreadPoolExecutor(_AT_ONCE) as threads:
            found = threads.map(ask, range(0, len(queries), _PER_REQUEST))
            return [ranking for rankings in found for ranking in rankings]

    def close(self) -> None:
        """Close the connections; the next search opens others."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def __reduce__(self) -> Any:
        return self._again, ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address})"


class RemoteRetriever(ServerRetriever):
    """A retriever behind `POST /retrieve`, which takes {"queries": [...], "topk": k, "return_scores": true}.

    It answers {"result": [[{"document": {...}, "score": 1.5}]]}, a list of hits for each query. What is usual beside
    that is read too: "results" for "result", or the lists alone; documents without scores, or documents and scores in
    two lists; texts under "contents", with or without the title in quotes on their first line.

    `multihop index serve` is such a server; it also says what its index is, so that the fingerprint is the index's own.
    """

    path = "/retrieve"

    def _connect(self) -> Any:
        headers = {"Accept-Encoding": "gzip", **self._headers}  # of others, a few bytes may unzip to any size
        timeout = httpx.Timeout(self._timeout, connect=_CONNECTING)
        return httpx.Client(auth=self.address.login, headers=headers, timeout=timeout)

    def _rank(self, queries: Sequence[str], k: int) -> Any:
        asked = {"queries": list(queries), "topk": k, "return_scores": True}
        response, body = self._send("POST", self.address, ujson.dumps(asked))
        text = " ".join(body[:2000].decode(errors="replace").split())[:200] or "nothing"
        if not response.is_success:
            raise RunFailed(f"{self.address} answered {response.status_code} {response.reason_phrase}: {text}.")
        try:
            answer = ujson.loads(body)
        except ValueError:
            raise RunFailed(f"{self.address} answered with what is no JSON: {text}.") from None
        if isinstance(answer, Mapping):
            answer = next((answer[name] for name in ("result", "results") if name in answer), answer)
        match answer:
            case [[*documents], [*scores]] if len(documents) == len(scores) > 0 and all(map(_are_numbers, scores)):
                pairs = [zip(*both, strict=False) for both in zip(documents, scores, strict=True)]
                return [[{"document": each, "score": score} for each, score in paired] for paired in pairs]
        return answer

    def _identify(self) -> str:
        response, body = self._send("GET", self.address.at("/healthz")._replace(query=""))
        try:
            given = ujson.loads(body)["fingerprint"] if response.is_success else ""
        except (ValueError, LookupError, TypeError):  # of another kind, which says nothing of its index
            return ""
        return given if isinstance(given, str) and given.isprintable() and len(given) < 200 else ""

    def _send(self, method: str, address: Address, content: str | None = None) -> "tuple[httpx.Response, bytes]":
        """The response, whatever its status, and its body; one that is busy or cannot be reached is asked again."""
        headers = {} if content is None else {"Content-Type": "application/json"}
        url = f"{address.url}?{address.query}" if address.query else address.url
        # httpx's own `HTTPTransport(retries=...)` repeats connecting alone, and takes no proxy from the environment.
        for attempt in range(1, self._attempts + 1):
            last, asked_for = attempt == self._attempts, ""
            try:
                with self._client.stream(method, url, content=content, headers=headers) as response:
                    body = self._body_of(response)
            except httpx.InvalidURL as error:
                raise InputError(f"{address} is no address that can be asked: {error}.") from None
            except httpx.RequestError as error:
                reason = str(error).strip().rstrip(".") or type(error).__name__
                problem = f"{reason}; asked {attempt} time{'s' if attempt > 1 else ''}"
                if last:
                    raise RunFailed(f"{address} cannot be reached ({problem}); is the server running there?") from None
            else:
                if response.status_code not in BUSY or last:
                    return response, body
                asked_for = response.headers.get("Retry-After", "")
            time.sleep(pause(attempt, asked_for))
        raise AssertionError("the last attempt returns or raises")

    def _body_of(self, response: "httpx.Response") -> bytes:
        """The whole body; RunFailed where it has no end, in bytes or in time."""
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding not in ("identity", "gzip"):
            raise RunFailed(f"{self.address} answered in the encoding '{encoding:.40}'; it was asked for gzip or none.")
        body, seconds = bytearray(), _WHOLE * self._timeout
        end = monotonic() + seconds
        for piece in response.iter_bytes():
            body += piece
            if len(body) > _LARGEST:
                raise RunFailed(f"{self.address} answered with more than {_LARGEST:,} bytes; ask for fewer hits.")
            if monotonic() > end:
                raise RunFailed(f"{self.address} was still answering after {seconds:g} seconds; it was given up.")
        return bytes(body)


def pause(attempt: int, asked_for: str) -> float:
    """Seconds to wait after an attempt: those the server asks for, and some at random, so that askers part."""
    seconds = float(asked_for) if asked_for.isascii() and asked_for.isdigit() else 0.0
    return min(seconds, _LONGEST_PAUSE) + random.uniform(0, min(8.0, 0.25 * 2**attempt))


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(each, int | float) for each in values)
