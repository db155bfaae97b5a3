"""How far a run is, as plain values: what a terminal, a page and another program are told of it."""

from typing import Literal, NotRequired, TypedDict

from ..evaluation.row import Status

LiveStatus = Literal["running", "finished", "interrupted", "abandoned"]
"""Whether somebody is at work on a run; "abandoned" is one that was killed, and that nobody works on now."""


class LiveMetric(TypedDict):
    """A metric as far as the run is."""

    mean: float
    """Over the questions that were measured."""
    n: int
    """How many those are."""
    low: NotRequired[float]
    """Where the 95 % interval begins, answers on which the metric failed counted as 0; missing for what is no share."""
    high: NotRequired[float]
    """Where it ends, with those counted as 1."""


class LastQuestion(TypedDict):
    """A question that was finished lately."""

    id: str
    """Its id."""
    question: str
    """The question."""
    status: Status
    """"ok", "over_budget" or "error"."""
    right: bool | None
    """Whether the answer is an accepted one, by exact match; None where that is not known."""
    answer: str
    """What was answered; in an error the error's name."""


class LiveState(TypedDict):
    """How far a run is, and what it has come to."""

    folder: str
    """The run's folder."""
    program: str
    """The program's name."""
    lm: str
    """The LMs, each once."""
    simulated: bool
    """Whether the LM knows the gold, so that the numbers say nothing about quality."""
    status: LiveStatus
    """Whether somebody is at work on it."""
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
