"""Calls of Milvus's client, with retries; every failure is one sentence that names the place."""

import logging
import os
import time
from functools import cached_property
from threading import Lock
from typing import Any

from ...base import RunFailed, missing_extra
from . import connection
from .milvus_place import MilvusPlace

TOKEN = "MILVUS_TOKEN"
"""The environment variable that holds a key, or NAME:PASSWORD."""
_CONNECTING = 5.0
_PASSING = frozenset({2, 8})
"""Milvus's numbers for a server that cannot be reached, and for one that is asked too often."""


class MilvusCalls:
    """Milvus's own client, opened at the first call, with a time limit and a number of attempts for each call."""

    def __init__(self, place: MilvusPlace, *, timeout: float, attempts: int) -> None:
        """Nothing is sent yet.

        Args:
            place: The collection.
            timeout: Seconds that an answer may take.
            attempts: The number of times the server is asked before it is given up.

        Raises:
            InputError: The seconds or the attempts are none.
        """
        connection.check_limits(timeout, attempts)
        self.place, self.timeout, self.attempts = place, timeout, attempts
        self._lock = Lock()

    def ask(self, call: str, *arguments: Any, **options: Any) -> Any:
        """The result of a method of the client.

        Raises:
            MissingExtraError: The client is not installed.
            RunFailed: Milvus cannot be reached, takes too long, or refuses.
        """
        pymilvus = open_pymilvus()
        import grpc

        for attempt in range(1, self.attempts + 1):
            try:
                return getattr(self._client(), call)(*arguments, timeout=self.timeout, **options)
            except pymilvus.exceptions.ConnectionConfigException as error:
                if self.place.embedded:
                    raise RunFailed(
                        f"{self.place.uri} cannot be opened; is another process using it, or is it no file of Milvus "
                        "Lite? (one process at a time; a cluster serves many)"
                    ) from error
                raise RunFailed(f"{self.place}: {self._without_token(error.message)}.") from None
            except pymilvus.MilvusException as error:
                if attempt == self.attempts or not (error.code in _PASSING or error.retriable):
                    raise RunFailed(self._sentence(error.code, error.message, attempt)) from None
            except grpc.RpcError as error:
                if attempt == self.attempts:
                    raise RunFailed(self._sentence(error.code(), str(error.details()), attempt)) from None
            time.sleep(connection.pause(attempt))
        raise AssertionError("the last attempt returns or raises")

    def _client(self) -> Any:
        with self._lock:
            return self._opened

    @cached_property
    def _opened(self) -> Any:
        token = "" if self.place.embedded else os.environ.get(TOKEN, "")
        return open_pymilvus().MilvusClient(self.place.uri, token=token, timeout=min(self.timeout, _CONNECTING))

    def _sentence(self, code: Any, message: str, attempts: int) -> str:
        times = f"asked {attempts} time{'s' if attempts > 1 else ''}"
        name = getattr(code, "name", code)
        if name == "DEADLINE_EXCEEDED":
            return f"{self.place} did not answer within {self.timeout:g} s ({times}); is it there, or too busy?"
        if name in (2, "UNAVAILABLE"):
            return f"{self.place} cannot be reached ({times}); is Milvus running there, and does it take {TOKEN}?"
        return f"{self.place}: {self._without_token(message)} ({times})."

    def _without_token(self, message: str) -> str:
        """The first words of an answer, on one line."""
        token = os.environ.get(TOKEN, "")
        return connection.on_one_line(message.replace(token, "[hidden]") if token else message)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_opened", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = Lock()


def open_pymilvus() -> Any:
    """The package of Milvus's client.

    Raises:
        MissingExtraError: It is not installed.
    """
    try:
        import pymilvus
    except ImportError as error:
        raise missing_extra("Milvus", "milvus", error) from error
    # The client logs a traceback for each call that fails; here the failure is raised, and shown as one sentence.
    logging.getLogger("pymilvus.decorators").addFilter(_is_no_failed_call)
    return pymilvus


def _is_no_failed_call(record: logging.LogRecord) -> bool:
    return record.funcName != "_log_rpc_error"
