"""The thread that computes: calls that wait are answered together, and what their prompts have in common once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import InvalidStateError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ...base import InputError, RunFailed
from ...base.errors import first_line
from ..in_process.answer import Call, share_out
from ..in_process.model import Tokens
from ..in_process.worker import CallWorker
from .batch import Batch, Rows
from .model import FolderModel
from .prefixes import Prefixes, Start, common_beginning

WORTH_SHARING = 32
"""Tokens that two prompts must have in common beyond what is kept, for them to be computed first, and once."""
TOGETHER = 16_384
"""Tokens of prompts, padding among them, that are computed together at most."""


@dataclass(frozen=True, slots=True)
class Space:
    """The memory and the time that a model is given."""

    context: int | None = None
    """Tokens of a prompt and its answer; by default those that the model can take."""
    at_once: int = 16
    """Calls that are answered together at most."""
    kept: int = 8192
    """Tokens of earlier prompts that are kept, for what later ones share with them."""
    threads: int | None = None
    """Threads of the processor; by default as many as PyTorch takes."""
    device: str | None = None
    """The device; by default the first GPU, where there is one."""

    def __post_init__(self) -> None:
        """Refuse numbers with which nothing can be computed.

        Raises:
            InputError: One is such a number.
        """
        for name, least in {"context": 1, "at_once": 1, "kept": 0, "threads": 1}.items():
            value = getattr(self, name)
            if value is None and name in ("context", "threads"):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} is a whole number from {least} on, not {value!r}.")


class Worker(CallWorker):
    """Answers the calls of one model: those that wait at the same time, together, until all of them are answered."""

    model: FolderModel

    def __init__(self, model: FolderModel, space: Space) -> None:
        """Start the thread."""
        super().__init__()
        self.model = model
        self.context = min(space.context or model.trained_context, model.trained_context)
        self._at_once = space.at_once if model.pads else 1
        self._prefixes = Prefixes(space.kept if model.pads else 0)
        self.start()

    def run(self) -> None:
        """Until the worker is closed, compute what waits."""
        while calls := self._take():
            try:
                self._answer(calls)
            except Exception as error:
                told = RunFailed(f"{self.model.path.name} could not be computed: {first_line(error)}")
                for call in calls:
                    _tell(call, told)
        for call in self._waiting:
            _tell(call, RunFailed(f"{self.model.path.name} was closed."))
        self.model.close()

    def _take(self) -> list[Call]:
        """The calls to answer together next, as they came; none when it is time to end."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._closed or self._waiting)
                if self._closed:
                    return []
                taken: list[Call] = []
                longest = 0
                while self._waiting and len(taken) < self._at_once:
                    longest = max(longest, len(self._waiting[0].prompt))
                    if taken and longest * (len(taken) + 1) > TOGETHER:
                        break
                    call = self._waiting.popleft()
                    if not call.future.cancelled():
                        taken.append(call)
                if taken:
                    return taken

    def _answer(self, calls: list[Call]) -> None:
        with _sharing(calls):
            starts = self._starts([call.prompt for call in calls])
            batch = self.model.batch([call.prompt for call in calls], starts)
            for call, start in zip(calls, starts, strict=True):
                call.cached = start.shared
            logits = batch.read(lambda: self._goes_on(calls))
        if logits is None:
            return
        if self.model.pads:
            for row, call in enumerate(calls):
                self._prefixes.add(call.prompt, batch.memory_of(row))
        while calls := self._accept(calls, logits, batch):
            with _sharing(calls):
                logits = batch.write([call.tokens[-1] for call in calls])

    def _starts(self, prompts: list[Tokens]) -> list[Start]:
        """The place to begin each prompt at, once the beginnings that several of them share are computed."""
        for place, prompt in enumerate(prompts if self.model.pads else ()):
            shared = max((common_beginning(prompt, each) for each in prompts[:place]), default=0)
            if 0 < shared <= self._prefixes.room:
                self._compute_once(prompt[: min(shared, len(prompt) - 1)])
        return [self._prefixes.find(prompt) for prompt in prompts]

    def _compute_once(self, beginning: Tokens) -> None:
        """Compute and keep what several prompts begin with, if enough of it is not kept yet."""
        start = self._prefixes.find(beginning)
        if len(beginning) - start.shared > WORTH_SHARING:
            batch = self.model.batch([beginning], [start])
            batch.read()
            self._prefixes.add(beginning, batch.memory_of(0))

    def _accept(self, calls: list[Call], logits: Rows, batch: Batch) -> list[Call]:
        """Choose each answer's next token; the calls whose answers go on."""
        going = [row for row, call in enumerate(calls) if not self._ends(call, logits[row])]
        if going and len(going) < len(calls):
            batch.choose(going)
        return [calls[row] for row in going]

    def _ends(self, call: Call, logits: Rows) -> bool:
        if self._closed:
            call.future.cancel()
        try:
            return call.future.cancelled() or call.accept(np.asarray(logits))
        except Exception as error:
            _tell(call, error)
            return True

    def _goes_on(self, calls: list[Call]) -> bool:
        return not self._closed and any(not call.future.cancelled() for call in calls)


@contextmanager
def _sharing(calls: list[Call]) -> Iterator[None]:
    """A block in which all of these calls are computed."""
    began = monotonic()
    yield
    share_out(monotonic() - began, calls)


def _tell(call: Call, error: BaseException) -> None:
    with suppress(InvalidStateError):  # it was cancelled, or is answered
        call.future.set_exception(error)
