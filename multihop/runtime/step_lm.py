"""An LM as a step sees it: it answers from what is kept, or is paid; in either case the call is booked."""

import asyncio
import functools
import re
from contextlib import AsyncExitStack, nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import dspy
import ujson
from dspy.utils.callback import with_callbacks
from dspy.utils.exceptions import LMProviderError
from pydantic import BaseModel

from ..base import NotCopied
from ..base.errors import hide_in_error, remember_secrets
from .bill import CachedCall
from .cache import FORGOTTEN, Store, key_of, store_for
from .cost import Account
from .log import waiting_for, watched_call
from .tokens import Tokens, estimate_tokens

LONGEST_ANSWER = 1_000_000
"""The most characters of a completion; a longer one is refused, and kept nowhere."""
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


class Gate(NotCopied):
    """So many slots for calls, on whichever event loop is running.

    Optimizers copy programs by the dozen; the copies share the gate, so the limit is on all of them together.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def slot(self) -> asyncio.Semaphore:
        """A slot, held while the block runs."""
        return self._loops.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.limit))

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)


class KnownFailure(Exception):
    """The very call was made before, and its completion could not be parsed."""


@dataclass(slots=True, eq=False)
class LMCall:
    """One call of an LM."""

    model: str
    store: Store | None = None
    key: str = ""
    tokens: Tokens | None = None
    outputs: list[Any] | None = None
    paid: bool = True

    async def keep(self, outputs: list[Any] | None) -> None:
        """Keep what was paid with these outputs, which are plain values; None says that they could not be parsed."""
        if self.paid and self.store is not None and self.tokens is not None:
            await self.store.keep(self.key, {"outputs": outputs, "tokens": tuple(self.tokens)})


class Attempt:
    """One attempt of a step at its LM: its calls are looked up, paid where they are not kept, and booked."""

    def __init__(self, role: str, account: Account, gate: Gate, turns: AsyncExitStack, *, is_last: bool) -> None:
        """An attempt, which the account has as one call already; before the last, known failures are skipped."""
        self.role, self.account, self.gate, self.turns, self.is_last = role, account, gate, turns, is_last
        self.tracker = dspy.settings.usage_tracker
        self.calls: list[LMCall] = []

    async def answer(self, lm: dspy.BaseLM, ask: Any, prompt: Any, messages: Any, settings: dict[str, Any]) -> Any:
        """The LM's outputs for one call of it; `ask` is DSPy's own way to them."""
        call = self._begin(LMCall(lm.model, None if settings.get("cache") is False else store_for(lm)))
        with watched_call(call, messages or prompt):
            if call.store is not None:
                call.key = key_of(lm, messages or prompt, settings)
                kept = await self.turns.enter_async_context(call.store.turn(call.key))
                if kept is not None and (kept["outputs"] is not None or not self.is_last):
                    return await self._answer_again(lm, call, kept, prompt, messages, settings)
            async with self.gate.slot():
                if self.account.bill is not None:
                    self.account.bill.check()
                # An engine of the user's own waits as it likes.
                waiting = waiting_for(lm, self.role) if isinstance(getattr(lm, "engine", 0), str) else nullcontext()
                try:  # DSPy's own cache is not used
                    async with waiting:
                        outputs = await ask(prompt, messages=messages, **{**settings, "cache": False})
                except Exception as error:  # providers repeat the key that they refuse
                    remember_secrets(lm.kwargs)
                    hide_in_error(error)
                    raise
            if call.tokens is None:
                self._pay(call, await asyncio.to_thread(estimate_tokens, messages or prompt, outputs))
            call.outputs = [_readable(output, lm.model) for output in outputs]
            return call.outputs

    async def _answer_again(
        self, lm: Any, call: LMCall, kept: CachedCall, prompt: Any, messages: Any, settings: Any
    ) -> list[Any]:
        call.tokens, call.paid = Tokens(*kept["tokens"]), False
        self.account.cost.cached += 1
        self.account.cost.add(self.role, lm.model, call.tokens, paid=False)
        if kept["outputs"] is None:
            raise KnownFailure
        outputs = call.outputs = [_with_attributes(output) for output in kept["outputs"]]

        @with_callbacks  # type: ignore[untyped-decorator]
        async def acall(instance: Any, prompt: Any = None, *, messages: Any = None, **settings: Any) -> list[Any]:
            """All that DSPy does around a call: its callbacks hear of it, and the history has it."""
            if not dspy.settings.disable_history:
                instance.update_history(_history_of(instance, prompt, messages, settings, outputs))
            return outputs

        return await acall(lm, prompt, messages=messages, **settings)  # type: ignore[no-any-return]

    def add_usage(self, model: str, usage: dict[str, Any]) -> None:
        """Book what a call took: DSPy tells it here, before the call returns or fails."""
        tokens = Tokens.from_usage(usage)
        if tokens is not None:
            call = self.calls[-1] if self.calls else None
            if call is None or call.tokens is not None or model != call.model:
                call = self._begin(LMCall(model))  # of another LM, which a module or an adapter calls on its own
            self._pay(call, tokens)
        if self.tracker is not None:  # last: a limit on what is paid may end everything here
            self.tracker.add_usage(model, usage)

    def _begin(self, call: LMCall) -> LMCall:
        if self.calls:  # the attempt itself is booked as one call where its budget is checked
            self.account.count(self.role)
        self.calls.append(call)
        return call

    def _pay(self, call: LMCall, tokens: Tokens) -> None:
        call.tokens = tokens
        self.account.pay(self.role, call.model, tokens)

    async def keep(self, *, parsed: bool = True) -> None:
        """Keep the attempt's completions, of which the last could be parsed or not; those before it could."""
        for call in self.calls:
            if not parsed and call is self.calls[-1]:
                await call.keep(None)
            elif (outputs := _plain(call.outputs)) is not None:  # else they hold more than can be kept
                await call.keep(outputs)

    async def forget(self) -> None:
        """Forget that the attempt's last completion could not be parsed, so that it is asked for anew."""
        for call in self.calls[-1:]:
            call.paid = True
            await call.keep(FORGOTTEN)


def _readable(output: Any, model: str) -> Any:
    """The output, with a sign for what is no character; one that is longer than any answer is refused."""
    if isinstance(output, dict) and "text" in output:  # with probabilities or thoughts
        return {**output, "text": _readable(output["text"], model)}
    if not isinstance(output, str):
        return output
    if len(output) > LONGEST_ANSWER:
        says = f"the answer has {len(output):,} characters; one of more than {LONGEST_ANSWER:,} is not read."
        raise LMProviderError(says, model=model)
    return _NO_CHARACTER.sub("\ufffd", output)


def _plain(outputs: list[Any] | None) -> list[Any] | None:
    """The outputs as JSON gives them back; None where they hold more than JSON can."""
    try:
        return None if outputs is None else ujson.loads(ujson.dumps(outputs, default=_fields))  # type: ignore[no-any-return]
    except (TypeError, OverflowError):
        return None


def _fields(value: Any) -> dict[str, Any]:
    """The fields of an object, such as the probabilities of tokens as LiteLLM has them."""
    if not isinstance(value, BaseModel):
        raise TypeError(f"{type(value).__name__} is no record")
    return value.model_dump(mode="json")


class _Fields(dict[str, Any]):
    """An object of an output, whose fields DSPy's users read as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


def _with_attributes(value: Any) -> Any:
    if isinstance(value, dict):
        return _Fields({name: _with_attributes(part) for name, part in value.items()})
    return [_with_attributes(part) for part in value] if isinstance(value, list) else value


def _history_of(lm: Any, prompt: Any, messages: Any, settings: dict[str, Any], outputs: list[Any]) -> dict[str, Any]:
    """The entry of a call in DSPy's history, as DSPy writes it."""
    return {
        "prompt": prompt,
        "messages": messages,
        "kwargs": {name: value for name, value in settings.items() if not name.startswith("api_")},
        "response": None,
        "outputs": outputs,
        "usage": {},
        "cost": None,
        "timestamp": datetime.now().isoformat(),
        "uuid": str(uuid4()),
        "model": lm.model,
        "response_model": lm.model,
        "model_type": lm.model_type,
    }


class StepLM:
    """Before an LM's own class: its calls are answered by an `Attempt`."""

    attempt: Attempt

    async def acall(self, prompt: str | None = None, *, messages: Any = None, **settings: Any) -> list[Any]:
        """The LM's outputs, kept or paid."""
        ask = super().acall  # type: ignore[misc]
        return await self.attempt.answer(self, ask, prompt, messages, settings)  # type: ignore[no-any-return]


def step_lm(lm: dspy.BaseLM, attempt: Attempt) -> dspy.BaseLM:
    """The LM with its connections and its history, as the predictor of this attempt is given it."""
    kind: Any = type(lm)
    given = object.__new__(_step_class(kind))
    vars(given).update(vars(lm), attempt=attempt)
    return given


@functools.cache
def _step_class(kind: type[dspy.BaseLM]) -> Any:
    return type(kind.__name__, (StepLM, kind), {"__module__": kind.__module__, "__doc__": StepLM.__doc__})
