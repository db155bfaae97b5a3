"""What a server tells its operator: a log, one JSON object a line, and counts and times for Prometheus."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TextIO

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ..base.errors import hide_secrets
from ..base.texts import as_json
from ..runtime import token_count
from ..runtime.answer_record import AnswerRecord
from .limits import Admission

_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0)
_OF_FAILURES = ("error", "reason")
"""The fields that hold an error's words."""


class EventLog:
    """Writes events to a stream, by default the error stream."""

    def __init__(self, stream: TextIO | None = None, *, with_texts: bool = False) -> None:
        """A log without texts unless they are wanted."""
        self._stream, self._with_texts = stream, with_texts

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
    """The counts since the start, in a registry of their own: several servers of one process share nothing.

    Examples:
        >>> from multihop.serve.log import Metrics
        >>> metrics = Metrics()
        >>> metrics.questions.labels("answered", "tor").inc()
        >>> 'multihop_questions_total{program="tor",status="answered"} 1.0' in metrics.text()
        True
    """

    def __init__(self, admission: Admission | None = None) -> None:
        """Nothing is counted yet.

        Args:
            admission: Says how many questions are being answered, and how many wait.
        """
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
