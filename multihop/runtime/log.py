"""A program's questions, steps, retrievals and calls, told to the library's log and to DSPy's callbacks.

`logging.getLogger("multihop")` is silent until its level says otherwise: INFO tells questions, steps and retrievals,
DEBUG also calls of LMs. The texts go to `logging.getLogger("multihop.texts")`, which is off until its own level is set.

DSPy tells its callbacks, and so MLflow's autologging and the like, of modules, adapters and LMs. Here a step is told to
them as a module named after it, around its predictor, and a retrieval as a `dspy.Retrieve`, whose outputs are documents
as MLflow and others show them.
"""

import asyncio
import functools
import logging
import math
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

import dspy
from dspy.utils.callback_context import ACTIVE_CALL_ID
from dspy.utils.exceptions import LMError, LMTimeoutError

from ..base.errors import first_line, hide_secrets
from ..base.texts import as_json, say_count
from ..retrieval import Hit
from .prompt_texts import to_record
from .tokens import counts_of, current_prices, show_usd

LOGGER = logging.getLogger("multihop")
TEXTS = logging.getLogger("multihop.texts")
_LEVELS = {"question": logging.INFO, "step": logging.INFO, "retrieval": logging.INFO, "call": logging.DEBUG}

CALL_SECONDS = 600.0
"""The longest that a call of an LM may take with its HTTP retries, unless the LM's parameter `timeout` says another."""
WORD_EVERY = 30.0
"""Seconds between two words about a call that is waited for."""

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
    outputs: Any = None
    """The result, written here by the block."""
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


@contextmanager
def watched_question(name: str, question: str) -> Iterator[Work]:
    """A block that makes a program's prediction. DSPy's callbacks hear of the program by itself."""
    with logged("question", name, {}, question=question) as work:
        yield work
        cost = work.outputs.cost
        names = ("calls", "cached", "retrievals", "usd")
        work.facts |= {name: cost.get(name) for name in names} | {"over_budget": work.outputs.over_budget}
        work.texts["answer"] = work.outputs.get("answer")


@contextmanager
def watched_step(role: str, inputs: dict[str, Any]) -> Iterator[Work]:
    """A block that asks a step's predictor."""
    if not _is_seen():
        yield Work("step", role, {})
        return
    shown = {name: to_record(value) for name, value in inputs.items()}
    with _heard(_named(role)(), inputs) as told, logged("step", role, {}, inputs=shown) as work:
        yield work
        told["outputs"] = work.outputs
        work.texts["outputs"] = work.outputs.toDict()


@contextmanager
def watched_retrieval(retriever: str, query: str, k: int) -> Iterator[Work]:
    """A block that searches for the query."""
    if not _is_seen():
        yield Work("retrieval", retriever, {})
        return
    with (
        _heard(_named("find", dspy.Retrieve)(k=k), {"query": query, "k": k}) as told,
        logged("retrieval", retriever, {"k": k}, query=query) as work,
    ):
        yield work
        told["outputs"] = [_document(hit) for hit in work.outputs]
        work.facts["hits"] = len(work.outputs)
        work.texts["passages"] = [{**hit.passage._asdict(), "score": hit.score} for hit in work.outputs]


@contextmanager
def watched_call(call: Any, prompt: Any) -> Iterator[None]:
    """A block that asks an LM: an `LMCall`, which knows at the end what it took."""
    if not is_logged():
        yield
        return
    with logged("call", call.model, {}, prompt=prompt) as work:
        try:
            yield
            work.texts["outputs"] = call.outputs
        finally:
            work.facts["cached"] = not call.paid
            if call.tokens is not None:
                counts = counts_of(call.tokens)
                work.facts |= {"tokens_in": call.tokens.into, "tokens_out": call.tokens.out}
                work.facts["usd"] = current_prices.get().usd({call.model: counts}) if call.paid else 0.0


@asynccontextmanager
async def waiting_for(lm: dspy.BaseLM, role: str) -> AsyncIterator[None]:
    """A block that waits for an LM's answer: a warning says so now and then, and after its time the call ends."""
    given = getattr(lm.kwargs.get("timeout"), "read", lm.kwargs.get("timeout"))  # httpx has one for each wait
    seconds = given if isinstance(given, int | float) and 0 < given < math.inf else CALL_SECONDS
    loop, call = asyncio.get_running_loop(), object()
    began = loop.time()
    timer: asyncio.TimerHandle

    def say() -> None:
        nonlocal timer
        if next(iter(_waiting), None) is call:  # the one that has waited longest speaks for all
            more = f", and for {say_count(len(_waiting) - 1, 'more call')}" if len(_waiting) > 1 else ""
            LOGGER.warning("waiting for %s (step %s) for %.0f s%s", lm.model, role, loop.time() - began, more)
        timer = loop.call_later(WORD_EVERY, say)

    timer = loop.call_later(WORD_EVERY, say)
    _waiting[call] = None
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        said: BaseException | None = error
        while not isinstance(said, LMError | None):
            said = said.__cause__ or said.__context__
        last = f"; the server said last: {first_line(said)}" if said else "."
        message = f"no answer within {seconds:g} s (the parameter timeout){last}"
        raise LMTimeoutError(message, model=lm.model) from error
    finally:
        timer.cancel()
        del _waiting[call]


_waiting: dict[object, None] = {}
"""The calls that are waited for, in the order in which they began."""


def _is_seen() -> bool:
    return is_logged() or bool(dspy.settings.callbacks)


@contextmanager
def _heard(module: dspy.Module, inputs: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A block that DSPy's callbacks hear of as a call of the module; its outputs are written into what it yields."""
    told: dict[str, Any] = {"outputs": None, "exception": None}
    call_id, outer = uuid4().hex, ACTIVE_CALL_ID.get()
    _tell("on_module_start", call_id=call_id, instance=module, inputs={"kwargs": inputs})
    ACTIVE_CALL_ID.set(call_id)
    try:
        yield told
    except BaseException as error:
        told["exception"] = error
        raise
    finally:
        ACTIVE_CALL_ID.set(outer)
        _tell("on_module_end", call_id=call_id, **told)


def _tell(event: str, **facts: Any) -> None:
    for callback in dspy.settings.callbacks:
        try:
            getattr(callback, event)(**facts)
        except Exception as error:  # as DSPy does it: who listens ends nothing
            logging.getLogger(__name__).warning("callback %s failed at %s: %s", callback, event, error)


def _document(hit: Hit) -> dict[str, Any]:
    passage = hit.passage
    metadata = {"title": passage.title, "score": hit.score, "doc_uri": passage.id}
    return {"id": passage.id, "page_content": passage.text, "metadata": metadata}


@functools.lru_cache(maxsize=256)
def _named(name: str, kind: Any = dspy.Module) -> Any:
    """A class of modules by that name: listeners show the name of a module's class."""
    return type(name, (kind,), {})
