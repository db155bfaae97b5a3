"""Counts and times as Prometheus reads them."""

from bisect import bisect_left
from collections.abc import Mapping

_SECONDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0)
_HELP = {
    "multihop_questions_total": "Questions by program and by what became of them.",
    "multihop_answer_seconds": "Seconds from a question's coming to its answer, waiting included.",
    "multihop_lm_calls_total": "LM calls of answered questions.",
    "multihop_tokens_total": "Tokens of answered questions, both ways.",
    "multihop_usd_total": "Dollars that answered questions cost, where the price of their LMs is known.",
    "multihop_paid_usd_total": "What of these was paid; the rest came from the cache.",
    "multihop_unpriced_answers_total": "Answered questions whose LMs have no known price.",
    "multihop_retrievals_total": "Searches of answered questions.",
    "multihop_reloads_total": "Saved programs, and their indexes, that changed on disk, by whether they were taken.",
    "multihop_in_flight": "Questions that are being answered.",
    "multihop_queued": "Questions that wait.",
}


class Metrics:
    """The counts since the start, as one text.

    Examples:
        >>> from multihop.serve.metrics import Metrics
        >>> metrics = Metrics()
        >>> metrics.count("multihop_lm_calls_total", 3, program="tor")
        >>> print(metrics.text({"multihop_queued": 2}))
        # HELP multihop_lm_calls_total LM calls of answered questions.
        # TYPE multihop_lm_calls_total counter
        multihop_lm_calls_total{program="tor"} 3
        # HELP multihop_queued Questions that wait.
        # TYPE multihop_queued gauge
        multihop_queued 2
        <BLANKLINE>
    """

    def __init__(self) -> None:
        """Nothing is counted yet."""
        self._counts: dict[str, dict[str, float]] = {}
        self._times: dict[str, dict[str, list[float]]] = {}

    def count(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""
        of_name = self._counts.setdefault(name, {})
        of_name[_labels(labels)] = of_name.get(_labels(labels), 0) + amount

    def observe(self, name: str, seconds: float, **labels: str) -> None:
        """Add a time to a histogram."""
        sums = self._times.setdefault(name, {}).setdefault(_labels(labels), [0.0] * (len(_SECONDS) + 2))
        sums[bisect_left(_SECONDS, seconds)] += 1
        sums[-1] += seconds

    def text(self, gauges: Mapping[str, float]) -> str:
        """Everything counted, and the gauges as they are now, in the text format of Prometheus."""
        lines = []
        for name, counts in self._counts.items():
            lines += _head(name, "counter") + [f"{name}{labels} {amount:.15g}" for labels, amount in counts.items()]
        for name, times in self._times.items():
            lines += _head(name, "histogram")
            for labels, sums in times.items():
                lines += _histogram(name, labels, sums)
        for name, value in gauges.items():
            lines += [*_head(name, "gauge"), f"{name} {value:g}"]
        return "\n".join([*lines, ""])


def _head(name: str, kind: str) -> list[str]:
    return [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} {kind}"]


def _histogram(name: str, labels: str, sums: list[float]) -> list[str]:
    inner, total, lines = labels[1:-1], 0.0, []
    for limit, number in zip((*map(str, _SECONDS), "+Inf"), sums[:-1], strict=True):
        total += number
        lines.append(f'{name}_bucket{{{inner}{"," if inner else ""}le="{limit}"}} {total:.0f}')
    return [*lines, f"{name}_sum{labels} {sums[-1]:.6f}", f"{name}_count{labels} {total:.0f}"]


def _labels(labels: Mapping[str, str]) -> str:
    inner = ",".join(f'{name}="{_escape(value)}"' for name, value in labels.items())
    return f"{{{inner}}}" if inner else ""


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
