"""A piece of a program's work, and its line in the library's log.

`logging.getLogger("multihop")` is silent until its level says otherwise: INFO tells questions, steps and retrievals,
DEBUG also calls of LMs. The texts go to `logging.getLogger("multihop.texts")`, which is off until its own level is set.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from ..base.errors import hide_secrets
from ..base.texts import as_json, say_count
from .prices import show_usd

LOGGER = logging.getLogger("multihop")
LOGGER.addHandler(logging.NullHandler())
TEXTS = logging.getLogger("multihop.texts")
_LEVELS = {"question": logging.INFO, "step": logging.INFO, "retrieval": logging.INFO, "call": logging.DEBUG}

WorkKind = Literal["question", "step", "call", "retrieval"]


@dataclass(slots=True)
class Work:
    """Something that a program does, from its beginning to its end."""

    kind: WorkKind
    """The kind of work."""
    name: str
    """The program's name, the step's, the LM's, or the retriever's class."""
    facts: dict[str, Any]
    """The facts that are known and say nothing of what was asked: counts and tokens. They grow until the end."""
    texts: dict[str, Any] = field(default_factory=dict)
    """The texts that were asked, shown and answered."""
    error: BaseException | None = None
    """The error by which it failed."""
    seconds: float = 0.0
    """The seconds that it took."""


def is_logged() -> bool:
    """True if the logger is on; where it is off, nothing is done for it."""
    return LOGGER.isEnabledFor(logging.INFO)


@contextmanager
def logged(kind: WorkKind, name: str, facts: dict[str, Any], **texts: Any) -> Iterator[Work]:
    """A block whose work has a line when it is done, or has failed; what it finds out, it writes into the work."""
    work = Work(kind, name, facts, texts)
    started = time.perf_counter()
    try:
        yield work
    except BaseException as error:
        work.error = error
        raise
    finally:
        work.seconds = time.perf_counter() - started
        level = _LEVELS[kind]
        if LOGGER.isEnabledFor(level):
            LOGGER.log(level, "%s %s: %s", kind, name, in_words(work))
        if TEXTS.level and TEXTS.isEnabledFor(level):  # a level of its own: that of "multihop" is not enough
            texts = {**work.texts, **({"error": hide_secrets(str(work.error))} if work.error is not None else {})}
            TEXTS.log(level, "%s %s: %s", kind, name, as_json(texts))


def in_words(work: Work) -> str:
    """The outcome of a work, in one line without any text."""
    facts, parts = work.facts, [f"{work.seconds:.3f} s"]
    if work.error is not None:
        parts.append(f"failed with {type(work.error).__name__}")
    if work.kind == "retrieval":
        parts += [f"k {facts['k']}", *([say_count(facts["hits"], "hit")] if "hits" in facts else [])]
    elif work.kind == "call":
        if "tokens_in" in facts:
            parts.append(f"{say_count(facts['tokens_in'], 'token')} in, {facts['tokens_out']} out")
        parts += ["from the cache"] if facts.get("cached") else []
        parts += [show_usd(facts["usd"])] if facts.get("usd") else []
    elif work.kind == "question" and "calls" in facts:
        parts.append(
            f"{say_count(facts['calls'], 'call')}, {facts['cached']} of them from the cache, "
            f"{say_count(facts['retrievals'], 'retrieval')}"
        )
        parts += [show_usd(facts["usd"])] if facts["usd"] != 0 else []
        parts += ["over budget"] if facts["over_budget"] else []
    return ", ".join(parts)
