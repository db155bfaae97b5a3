"""The state of a run as plain values, for a terminal, a page and other programs."""

from typing import Literal, NotRequired, TypedDict

from ...evaluation.journal.row import Status

LiveStatus = Literal["running", "finished", "interrupted", "abandoned"]
"""The state of a run; "abandoned" is one that was killed, and that nobody works on now."""


class LiveMetric(TypedDict):
    """A metric as far as the run is."""

    mean: float
    """The mean over the questions that were measured."""
    n: int
    """The number of questions that were measured."""
    low: NotRequired[float]
    """The lower end of the 95 % interval, with failures of the metric counted as 0; missing for what is no share."""
    high: NotRequired[float]
    """The upper end, with those counted as 1."""


class LastQuestion(TypedDict):
    """A question that was finished lately."""

    id: str
    """Its id."""
    question: str
    """The question."""
    status: Status
    """"ok", "over_budget" or "error"."""
    right: bool | None
    """True if the answer is an accepted one, by exact match; None where that is not known."""
    answer: str
    """The answer; in an error the error's name."""


class LiveState(TypedDict):
    """The progress of a run, and its figures until now."""

    folder: str
    """The run's folder."""
    program: str
    """The program's name."""
    lm: str
    """The LMs, each once."""
    simulated: bool
    """True if the LM knows the gold, so that the numbers say nothing about quality."""
    status: LiveStatus
    """The state of the run."""
    done: int
    """Questions that are finished."""
    total: int
    """Questions that are asked in all."""
    metrics: dict[str, LiveMetric]
    """Each metric that has a number, by its name."""
    unmeasured: dict[str, int]
    """Answers on which a metric failed, by its name."""
    over_budget: int
    """Questions that were answered when their budget ran out."""
    errors: dict[str, int]
    """Failed questions by the error's name."""
    calls: int
    """LM calls, paid or from the cache."""
    tokens: int
    """Tokens, in and out."""
    parse_failures: int
    """Completions that could not be parsed."""
    per_minute: float | None
    """Questions a minute over the whole run; None where that is not known."""
    seconds_left: float | None
    """Seconds that the others take at this speed; None where that is not known."""
    idle_seconds: float | None
    """Seconds since a question was finished; None before the first."""
    last: list[LastQuestion]
    """The last few questions, the newest first."""
