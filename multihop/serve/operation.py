"""The bounds of a server and what its operator sees: refusals, limits, a log, and counts for Prometheus."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TextIO

from dspy.utils.exceptions import DSPyError, LMRateLimitError, LMTimeoutError, LMTransportError
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ..base import InputError, RunFailed
from ..base.errors import hide_secrets, without_remedies
from ..base.texts import as_json
from ..runtime import token_count
from ..runtime.answer_record import AnswerRecord

_MAY_PASS = (LMTransportError, LMTimeoutError, LMRateLimitError)
"""Failures of the LM that may be over when the same is asked again."""
_LONGEST = 300


class Refusal(Exception):
    """Ends a request with a status and one sentence that gives the reason."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        """Headers are written with "_" for "-"."""
        sentence = hide_secrets(sentence)
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def as_refusal(error: Exception) -> Refusal:
    """The refusal that a failure is answered with; any other error is a 500 that says no more than that."""
    sentence = " ".join(hide_secrets(without_remedies(error)).split())[:_LONGEST]
    if isinstance(error, Refusal):
        return error
    if isinstance(error, InputError):
        return Refusal(422, sentence)
    if isinstance(error, DSPyError):
        return Refusal(503 if isinstance(error, _MAY_PASS) else 502, f"the LM failed: {sentence}")
    if isinstance(error, RunFailed):
        return Refusal(502, sentence)
    return Refusal(500, "the program failed; the server's log says where.")


def place_of(error: BaseException) -> str:
    """The place at which an error was raised, without any text that it was about."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
    return f"{type(error).__name__}{where}"


_LATER = 5
"""Seconds after which a client that found no place is told to ask again."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most that one server takes on; more is refused with a sentence that says what would be taken."""

    in_flight: int = 64
    """Questions that are answered at once."""
    queued: int = 256
    """Questions that wait; 429 with Retry-After above."""
    seconds: float = 300.0
    """Seconds that answering a question, or searching, may take, waiting not included; 504 above."""
    k: int = 1000
    """Hits for a query of `/retrieve`."""
    queries: int = 1024
    """Queries of one request; 413 above."""
    hits: int = 1 << 16
    """Hits of one request, all queries together; 413 above, before anything is searched for."""
    waiting: int = 4096
    """Queries of all requests that are being searched for or wait for it; 503 with Retry-After above."""
    body_bytes: int = 1 << 20
    """Bytes of a request's body; 413 above."""
    patience: float = 30.0
    """Seconds within which a request must be whole and, at the end, what is under way be done."""
    connections: int = 1000
    """Clients at once; 503 above."""


class Admission:
    """Lets questions in: so many at once, so many more that wait, and a refusal for all others."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.running, self.waiting = 0, 0
        self._slots = asyncio.Semaphore(limits.in_flight)

    def check(self) -> None:
        """Refuse a question for which there is neither a slot nor a place to wait."""
        if self.running + self.waiting >= self._limits.in_flight + self._limits.queued:
            sentence = f"{self.running} questions are being answered and {self.waiting} wait; ask again in {_LATER} s."
            raise Refusal(429, sentence, Retry_After=str(_LATER))

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """A slot while the block runs; the first who waited is the first to get one."""
        self.check()
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._slots.release()


_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0)
_OF_FAILURES = ("error", "reason")
"""The fields that hold an error's words."""


class EventLog:
    """Writes events to a stream, by default the error stream."""

    def __init__(self, stream: TextIO | None = None, *, with_texts: bool = False) -> None:
        """A log without texts unless they are wanted."""
        self._stream, self._with_texts = stream, with_texts
        self.refused = dict[str, str]()
        """The reason for which an index, by its name, was not reloaded the last time."""

    def write(self, event: str, *, private: dict[str, Any] | None = None, **fields: Any) -> None:
        """One line; what is private is left out unless texts are wanted."""
        shown = {**fields, **(private or {})} if self._with_texts else fields
        shown |= {name: hide_secrets(str(shown[name])) for name in _OF_FAILURES if name in shown}
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        stream = self._stream or sys.stderr
        with suppress(OSError, ValueError):  # a log that is no longer taken ends no question
            stream.write(as_json({"time": now, "event": event, **shown}, ascii_only=True) + "\n")
            stream.flush()


class Metrics:
    """The counts since the start, in a registry of their own: several servers of one process share nothing."""

    def __init__(self, admission: Admission | None = None) -> None:
        """Nothing is counted yet; the admission says how many questions are being answered, and how many wait."""
        self._registry = CollectorRegistry()
        self.questions = self._count("questions", "Questions by program and by what became of them.", "status")
        self._lm_calls = self._count("lm_calls", "LM calls of answered questions.")
        self._tokens = self._count("tokens", "Tokens of answered questions, both ways.")
        self._retrievals = self._count("retrievals", "Searches of answered questions.")
        self._usd = self._count("usd", "Dollars that answered questions cost, where the price of their LMs is known.")
        self._paid_usd = self._count("paid_usd", "What of these was paid; the rest came from the cache.")
        self._unpriced = self._count("unpriced_answers", "Answered questions whose LMs have no known price.")
        self._seconds = Histogram(
            "multihop_answer_seconds",
            "Seconds from a question's coming to its answer, waiting included.",
            ["program"],
            registry=self._registry,
            buckets=_SECONDS,
        )
        if admission is not None:
            in_flight = Gauge("multihop_in_flight", "Questions that are being answered.", registry=self._registry)
            queued = Gauge("multihop_queued", "Questions that wait.", registry=self._registry)
            in_flight.set_function(lambda: admission.running)
            queued.set_function(lambda: admission.waiting)

    def answered(self, program: str, seconds: float, record: AnswerRecord) -> None:
        """Count what an answer took."""
        cost = record["cost"]
        self._seconds.labels(program).observe(seconds)
        self._lm_calls.labels(program).inc(cost["calls"])
        self._tokens.labels(program).inc(token_count(cost["tokens"]))
        self._retrievals.labels(program).inc(cost["retrievals"])
        usd = cost.get("usd")
        if usd is None:
            self._unpriced.labels(program).inc()
        else:
            self._usd.labels(program).inc(usd)
            self._paid_usd.labels(program).inc(cost.get("paid_usd") or 0.0)

    def text(self) -> str:
        """Everything counted, in the text format of Prometheus."""
        return generate_latest(self._registry).decode()

    def _count(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(f"multihop_{name}", what, [*labels, "program"], registry=self._registry)
