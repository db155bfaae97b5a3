"""Any `dspy.Module` evaluated like a program of ours: its answer, what it cost, and the passages it says it used."""

import asyncio
import inspect
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any

import dspy
from dspy.utils.callback import ACTIVE_CALL_ID, BaseCallback
from dspy.utils.exceptions import AdapterParseError

from ..base import InputError
from ..base.texts import plain_value
from ..retrieval import Passage
from ..retrieval.passage import read_hits
from ..runtime import AskStep, Cost, CostRecord, Tokens, current_caching, estimate_tokens, to_record
from ..runtime.adapters import asking_in_texts

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class AnyModule:
    """A module that answers like a program of ours: awaited if it has `aforward`, else called in a thread."""

    retriever = None

    def __init__(self, module: dspy.Module, concurrency: int) -> None:
        """Answer with the module, at most so many questions at once in threads."""
        self.module = _past_cache(module)
        self._threads = None if hasattr(module, "aforward") else ThreadPoolExecutor(concurrency, "multihop-module")

    async def acall(self, *, question: str) -> dspy.Prediction:
        """The module's prediction, completed; an error carries what it cost until then."""
        recorder = CallRecorder(self.module)
        outer = [*(dspy.settings.callbacks or ()), recorder]
        lm = dspy.settings.lm if dspy.settings.lm is None else dspy.settings.lm.copy(cache=False)
        with asking_in_texts(), dspy.context(lm=lm, callbacks=outer, usage_tracker=recorder):
            try:
                if self._threads is None:
                    prediction = await self.module.acall(question=question)
                else:
                    context, loop = copy_context(), asyncio.get_running_loop()
                    call = partial(self.module, question=question)
                    prediction = await loop.run_in_executor(self._threads, context.run, call)
                fields = _fields(self.module, prediction)
                passages = _passages(self.module, fields["passages"])
            except Exception as error:
                error.trajectory, error.cost = recorder.steps, recorder.total()  # type: ignore[attr-defined]
                raise
        return dspy.Prediction(
            **{**fields, "passages": passages, "evidence": []},
            trajectory=recorder.steps,
            cost=recorder.total(),
            over_budget=False,
        )


@dataclass(slots=True)
class _Call:
    model: str
    messages: Any
    tokens: Tokens | None = None
    paid: bool = False


class CallRecorder(BaseCallback):  # type: ignore[misc]
    """The steps and the cost of a module for one question, as DSPy reports them."""

    def __init__(self, module: dspy.Module) -> None:
        """Nothing has happened yet; the question has just arrived."""
        self.steps: list[AskStep] = []
        """Every predictor's call with its inputs and outputs, in the order in which they began."""
        self._cost = Cost()
        self._roles = {id(predictor): name for name, predictor in module.named_predictors()}
        self._open: dict[str, AskStep] = {}
        self._calls: dict[str, _Call] = {}
        self._outer = dspy.settings.usage_tracker
        self._lock = threading.Lock()
        self._started = time.monotonic()

    def __deepcopy__(self, memo: dict[int, Any]) -> "CallRecorder":
        return self  # DSPy's Parallel copies the usage tracker for each thread, and loses what the copies book

    def total(self) -> CostRecord:
        """The cost so far; all calls count as one chain, since DSPy does not tell which ran at once."""
        with self._lock:
            self._cost.chain, self._cost.seconds = self._cost.calls, time.monotonic() - self._started
            return self._cost.to_dict()

    def add_usage(self, lm: str, usage_entry: dict[str, Any]) -> None:
        """Note one completion's tokens, and pass them on to the tracker around."""
        call = self._calls.get(ACTIVE_CALL_ID.get() or "")
        if call is not None:
            call.paid, call.tokens = True, Tokens.from_usage(usage_entry)
        if self._outer is not None:
            self._outer.add_usage(lm, usage_entry)

    def on_lm_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Count the call."""
        self._calls[call_id] = _Call(instance.model, inputs.get("messages") or inputs.get("prompt"))
        with self._lock:
            self._cost.calls += 1
            self._cost.calls_by_role[self._role()] += 1

    def on_lm_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Book what the call took; an answer from DSPy's cache tells no tokens, so they are estimated."""
        call = self._calls.pop(call_id)
        if call.tokens is None and exception is None:
            call.tokens = estimate_tokens(call.messages, list(outputs or ()))
        if call.tokens is None:
            return
        with self._lock:
            self._cost.cached += not call.paid
            self._cost.add(self._role(), call.model, call.tokens, paid=call.paid)
        if call.paid and (bill := current_caching.get().bill) is not None:
            bill.add(self._role(), call.model, call.tokens)

    def on_adapter_parse_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Count what could not be parsed."""
        with self._lock:
            self._cost.parse_failures += isinstance(exception, AdapterParseError)

    def on_module_start(self, call_id: str, instance: Any, inputs: dict[str, Any]) -> None:
        """Write the step down."""
        role = self._roles.get(id(instance))
        if role is not None:
            values = {name: to_record(value) for name, value in inputs.get("kwargs", {}).items() if name != "config"}
            step = self._open[call_id] = {"step": role, "inputs": plain_value(values)}
            self.steps.append(step)

    def on_module_end(self, call_id: str, outputs: Any, exception: Exception | None = None) -> None:
        """Write down what came of it."""
        step = self._open.pop(call_id, None)
        if step is not None and exception is not None:
            step["error"] = type(exception).__name__
        elif step is not None and isinstance(outputs, dspy.Prediction):
            step["outputs"] = plain_value({name: value for name, value in outputs.items() if name != "logprobs"})

    def _role(self) -> str:
        """The predictor whose call this is."""
        callers = reversed(dspy.settings.caller_modules or ())
        return next((self._roles[id(caller)] for caller in callers if id(caller) in self._roles), "other")


def _past_cache(module: dspy.Module) -> dspy.Module:
    """The module, whose own LMs ask anew: DSPy's cache forgets what an answer cost, its server and its seed."""
    if all(predictor.lm is None for predictor in module.predictors()):
        return module
    apart = module.deepcopy()
    for predictor in apart.predictors():
        if predictor.lm is not None:
            predictor.lm = predictor.lm.copy(cache=False)
    return apart


def check_module(module: Any) -> None:
    """Refuse what is no module, or cannot be called with a question, before anything is asked."""
    if not isinstance(module, dspy.Module):
        what = f"the class {module.__name__}" if isinstance(module, type) else f"a {type(module).__name__}"
        raise InputError(f"what is evaluated is a program or another instance of dspy.Module, not {what}.")
    kind, name = type(module), type(module).__name__
    method = getattr(kind, "forward", None) or getattr(kind, "aforward", None)
    if method is None:
        raise InputError(f"{name} has no forward, so it cannot be asked.")
    parameters = [*inspect.signature(method).parameters.values()][1:]
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        names = [parameter.name for parameter in parameters]
    elif isinstance(module, dspy.Predict | dspy.ChainOfThought):
        names = list(module.predictors()[0].signature.input_fields)
    else:
        return
    if "question" not in names:
        raise InputError(f"{name} is asked with question=..., and takes {', '.join(names) or 'nothing'} instead.")
    needed = [each for each in parameters if each.default is each.empty and each.kind in NAMED]
    if unfilled := [parameter.name for parameter in needed if parameter.name != "question"]:
        raise InputError(f"{name} is asked with question=... alone, and needs {', '.join(unfilled)} too.")


def _fields(module: dspy.Module, prediction: Any) -> dict[str, Any]:
    """The prediction's fields, if the answer is among them."""
    name = type(module).__name__
    if not isinstance(prediction, dspy.Example | Mapping):  # a Prediction is an Example
        raise InputError(f"{name} returned a {type(prediction).__name__}; it must return dspy.Prediction(answer=...).")
    fields = dict(prediction.items())
    if "answer" not in fields:
        raise InputError(f"{name} returned no 'answer'; its fields are {', '.join(fields) or 'none'}.")
    ours = ("passages", "evidence", "trajectory", "cost", "over_budget", "counts")
    return {"passages": fields.get("passages") or fields.get("context")} | {
        field: value for field, value in fields.items() if field not in ours
    }


def _passages(module: dspy.Module, values: Any) -> list[Passage]:
    """The passages among the fields, in any of the forms in which retrievers give them."""
    if not isinstance(values, list | tuple):
        return []
    return [hit.passage for hit in read_hits([item for item in values if item is not None], type(module).__name__)]
