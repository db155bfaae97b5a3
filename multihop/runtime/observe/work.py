"""A piece of work as whoever watches learns of it: a question, a step, a call of an LM, a retrieval."""

import logging
from dataclasses import dataclass, field
from typing import Any, Literal

LOGGER = logging.getLogger("multihop")
LOGGER.addHandler(logging.NullHandler())

WorkKind = Literal["question", "step", "call", "retrieval"]


@dataclass(slots=True)
class Work:
    """Something that a program does, from its beginning to its end."""

    kind: WorkKind
    """The kind of work."""
    name: str
    """The program's name, the step's, the LM's, or the retriever's class."""
    facts: dict[str, Any]
    """The facts that are known and say nothing of what was asked: counts, tokens, settings. They grow until the end."""
    texts: dict[str, Any] = field(default_factory=dict)
    """The texts that were asked, shown and answered."""
    error: BaseException | None = None
    """The error by which it failed."""
    seconds: float = 0.0
    """The seconds that it took."""
