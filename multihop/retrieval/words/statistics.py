"""The counts of a corpus that changes, by which its words are weighed."""

from typing import NamedTuple


class Statistics(NamedTuple):
    """The size of a corpus now, and of the passages that it had when the scores of its large part were stored."""

    passages: int
    """The number of passages."""
    length: int
    """The number of terms in them, repetitions included."""
    stored_passages: int
    """The number of passages then."""
    stored_length: int
    """The number of terms then."""


class Frequency(NamedTuple):
    """The number of passages that hold a term."""

    now: int
    """Now."""
    stored: int
    """When the scores were stored."""
