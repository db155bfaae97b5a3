"""An LM as a step sees it: it answers from what is kept, or is paid; in either case the call is booked."""

import asyncio
import copy
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

import dspy
import ujson
from dspy.utils.callback import with_callbacks
from pydantic import BaseModel

from ..base.errors import hide_in_error, remember_secrets
from .answer_cache import current_caching, key_of, store_for
from .bill import CachedCall
from .log import Work, is_logged, logged
from .prices import current_prices
from .question_cost import Cost
from .stores import Store
from .tokens import Tokens, counts_of, estimate_tokens


class Gate:
    """So many slots for calls, on whichever event loop is running.

    Optimizers copy programs by the dozen; the copies share the gate, so the limit is on all of them together.

    Examples:
        >>> import asyncio
        >>> from multihop.runtime import Gate
        >>> async def visit(gate):
        ...     async with gate.slot():
        ...         return "entered"
        >>> asyncio.run(visit(Gate(1)))
        'entered'
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._loops: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()

    def slot(self) -> asyncio.Semaphore:
        """A slot, held for as long as the block runs."""
        return self._loops.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(self.limit))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Gate":
        return self

    def __reduce__(self) -> tuple[type["Gate"], tuple[int]]:
        return Gate, (self.limit,)


class KnownFailure(Exception):
    """The very call was made before: its completion could not be parsed, and that of a later attempt could."""


@dataclass(slots=True, eq=False)
class _Call:
    """One call of the LM, from its being asked to its being settled."""

    store: Store | None
    key: str = ""
    tokens: Tokens | None = None
    outputs: list[Any] | None = None
    paid: bool = True


class AnsweringLM:
    """One attempt of a step at its LM.

    `lm` is a copy of the step's LM, to be handed to the predictor: what the predictor asks it is looked up, asked for
    where it is not kept, and booked. Whether the completion could be parsed is known only later: then `keep` keeps it,
    and `settle` writes on the bill what was paid in any case.
    """

    def __init__(
        self,
        lm: dspy.BaseLM,
        *,
        role: str,
        cost: Cost,
        gate: Gate,
        tracker: Any,
        alike: AsyncExitStack,
        may_skip: bool,
    ) -> None:
        """An attempt that nothing was asked of yet, and that is booked as one call already.

        Args:
            lm: The step's LM.
            role: The step's name.
            cost: The question's cost, in which calls are booked.
            gate: The gate at which the LM is given a slot for what is not kept.
            tracker: DSPy's usage tracker around the program, which counts what is paid.
            alike: Holds the turn of this call, so that the same call made elsewhere meanwhile waits for its answer.
            may_skip: True if a completion that is known to fail may be skipped: not if there is no further attempt.
        """
        self.role, self.tracker, self.alike, self.may_skip = role, tracker, alike, may_skip
        self.cost, self._gate = cost, gate
        self.calls: list[_Call] = []
        self.lm = copy.copy(lm)
        self.lm.acall = self._answer

    def add_usage(self, model: str, usage: dict[str, Any]) -> None:
        """Take note of what a call took: DSPy reports it here, before the call returns or fails."""
        tokens = Tokens.from_usage(usage)
        if self.calls and self.calls[-1].tokens is None and model == self.lm.model:
            self.calls[-1].tokens = tokens
        elif tokens is not None:  # another LM's, which a module or an adapter calls on its own
            self._begin(_Call(None, tokens=tokens))
            self.cost.add(self.role, model, tokens, paid=True)
        if self.tracker is not None:  # last: a limit on what is paid may end everything here
            self.tracker.add_usage(model, usage)

    def _begin(self, call: _Call) -> None:
        if self.calls:  # the attempt itself is booked as one call where its budget is checked
            self.cost.calls += 1
            self.cost.calls_by_role[self.role] += 1
        self.calls.append(call)

    async def _answer(self, prompt: str | None = None, *, messages: Any = None, **settings: Any) -> list[Any]:
        """Stand in for the LM's own `acall`."""
        if not is_logged():
            return await self._answer_once(prompt, messages, settings)
        number = len(self.calls)
        with logged("call", self.lm.model, {}, prompt=messages or prompt) as work:
            try:
                outputs = work.texts["outputs"] = await self._answer_once(prompt, messages, settings)
                return outputs
            finally:
                self._tell(work, self.calls[number])

    async def _answer_once(self, prompt: str | None, messages: Any, settings: dict[str, Any]) -> list[Any]:
        call = _Call(None if settings.get("cache") is False else store_for(self.lm))
        self._begin(call)
        if call.store is not None:
            call.key = key_of(self.lm, messages or prompt, settings)
            earlier = await self.alike.enter_async_context(call.store.turn(call.key))
            if earlier is not None and (earlier["outputs"] is not None or self.may_skip):
                return await self._answer_again(call, earlier, prompt, messages, settings)
        try:  # DSPy's own cache is not used
            async with self._gate.slot():
                if (bill := current_caching.get().bill) is not None:
                    bill.check()
                # The method of the class: that of the instance is `_answer`.
                ask = type(self.lm).acall
                try:
                    call.outputs = await ask(self.lm, prompt, messages=messages, **{**settings, "cache": False})
                except Exception as error:  # providers repeat the key that they refuse
                    remember_secrets(self.lm.kwargs)
                    hide_in_error(error)
                    raise
            if call.tokens is None:
                call.tokens = await asyncio.to_thread(estimate_tokens, messages or prompt, call.outputs)
        finally:
            if call.tokens is not None:
                self.cost.add(self.role, self.lm.model, call.tokens, paid=True)
        return call.outputs

    def _tell(self, work: Work, call: _Call) -> None:
        """Write down for the log how a call ended."""
        work.facts["cached"] = not call.paid
        if call.tokens is not None:
            counts = counts_of(call.tokens)
            work.facts |= {"tokens_in": call.tokens.into, "tokens_out": call.tokens.out}
            work.facts["usd"] = current_prices.get().usd({self.lm.model: counts}) if call.paid else 0.0

    async def _answer_again(
        self, call: _Call, earlier: CachedCall, prompt: Any, messages: Any, settings: Any
    ) -> list[Any]:
        call.tokens, call.paid = Tokens.of_kept(earlier["tokens"]), False
        self.cost.cached += 1
        self.cost.add(self.role, self.lm.model, call.tokens, paid=False)
        if earlier["outputs"] is None:
            raise KnownFailure
        call.outputs = self.lm.kept_outputs = [_with_attributes(output) for output in earlier["outputs"]]
        await _replay(self.lm, prompt, messages=messages, **settings)
        return call.outputs

    async def keep(self) -> None:
        """Keep the attempt's completions, which could be parsed."""
        for call in self.calls:
            if call.store is not None and call.paid and (outputs := _plain(call.outputs)) is not None:
                await _keep(call, outputs)

    async def keep_failure(self) -> None:
        """Keep that the attempt's last completion could not be parsed, now that a later one could."""
        call = self.calls[-1] if self.calls else None
        if call is not None and call.paid:
            await _keep(call, None)

    def settle(self) -> None:
        """Write on the run's bill what the attempt paid."""
        self.lm.__dict__.pop("acall", None)  # the copy and this object hold each other
        bill = current_caching.get().bill
        for call in self.calls:
            if bill is not None and call.paid and call.tokens is not None:
                bill.add(self.role, self.lm.model, call.tokens)


async def _keep(call: _Call, outputs: list[Any] | None) -> None:
    """Keep a call as plain values, which any cache can read back."""
    if call.store is not None and call.tokens is not None:
        kept: CachedCall = {"outputs": outputs, "tokens": call.tokens.kept()}
        await call.store.keep(call.key, kept)


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


@with_callbacks  # type: ignore[untyped-decorator]
async def _replay(lm: Any, prompt: str | None = None, *, messages: Any = None, **settings: Any) -> list[Any]:
    """The kept outputs, with all that DSPy does around a call: callbacks hear of it, and the history has it."""
    if not dspy.settings.disable_history:
        lm.update_history(
            {
                "prompt": prompt,
                "messages": messages,
                "kwargs": {name: value for name, value in settings.items() if not name.startswith("api_")},
                "response": None,
                "outputs": lm.kept_outputs,
                "usage": {},
                "cost": None,
                "timestamp": datetime.now().isoformat(),
                "uuid": str(uuid4()),
                "model": lm.model,
                "response_model": lm.model,
                "model_type": lm.model_type,
            }
        )
    outputs: list[Any] = lm.kept_outputs
    return outputs
