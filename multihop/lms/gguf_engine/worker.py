"""The thread that computes: all calls of a model share its one context, and what they have in common."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from ...base import InputError, RunFailed
from ..in_process.answer import Call, share_out
from ..in_process.worker import CallWorker
from .model import ModelFile, llama
from .sequences import Sequence, Sequences

CONTEXT = 8192
"""Tokens that a context holds, unless another number is asked for or the model was trained with fewer."""
BLOCK = 16
"""Prompts share their beginnings in multiples of so many tokens. Processors compute several tokens together in another
way than single ones; so the end of a prompt is computed in one way, whether its beginning is there or not."""
NO_ROOM = 1
"""The context's answer where its cells are full."""


@dataclass(frozen=True, slots=True)
class Room:
    """The room and the time that a model is given."""

    context: int | None = None
    """Tokens that the context holds, over all calls at once and what is kept of earlier ones; by default 8,192, or what
    the model was trained with if that is less."""
    at_once: int = 4
    """Calls that are computed at the same time at most."""
    kept: int = 28
    """Earlier prompts and answers that are kept beside them, for what later ones share with them."""
    threads: int | None = None
    """Threads of the processor; all cores by default."""
    chunk: int = 128
    """Tokens of prompts that are computed in one step."""

    def __post_init__(self) -> None:
        """Refuse numbers with which nothing can be computed.

        Raises:
            InputError: One is such a number.
        """
        for name, least in {"context": 1, "at_once": 1, "kept": 0, "threads": 1, "chunk": 1}.items():
            value = getattr(self, name)
            if value is None and name in ("context", "threads"):
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} is a whole number from {least} on, not {value!r}.")


class Row(NamedTuple):
    """A token that is computed in one step."""

    token: int
    place: int
    call: Call
    chooses: bool
    """True if the call chooses its next token after this one: not within a prompt."""

    @property
    def sequence(self) -> Sequence:
        """The place in the context that the call is computed in."""
        return _sequence(self.call)


class Worker(CallWorker):
    """Computes the calls of one model, several at a time, a piece of a prompt or a token of each at every step.

    What a prompt shares with one that was computed before, or is being computed, is not computed again.
    """

    model: ModelFile

    def __init__(self, model: ModelFile, room: Room) -> None:
        """Make the context and start the thread.

        Raises:
            InputError: There is no memory for so large a context.
        """
        super().__init__()
        self.model = model
        self.context = room.context or min(CONTEXT, model.trained_context)
        self._llama: Any = llama()
        self.threads, self.chunk = room.threads or _cores(), max(room.chunk, room.at_once)
        self._at_once = room.at_once
        self._sequences = Sequences(room.at_once + room.kept, block=BLOCK)
        self._active: list[Call] = []
        self._pointer = self._open_context(room)
        self._memory = self._llama.llama_get_memory(self._pointer)
        self._batch = self._llama.llama_batch_init(self.chunk, 0, 1)
        self.start()

    def _open_context(self, room: Room) -> Any:
        parameters = self._llama.llama_context_default_params()
        parameters.n_ctx, parameters.n_seq_max = self.context, room.at_once + room.kept
        parameters.n_batch = parameters.n_ubatch = self.chunk
        parameters.n_threads = parameters.n_threads_batch = self.threads
        parameters.kv_unified = parameters.swa_full = True  # sequences share cells, and can be cut anywhere
        parameters.no_perf = True
        pointer = self._llama.llama_init_from_model(self.model.pointer, parameters)
        if not pointer:
            raise InputError(f"there is no memory for a context of {self.context:,} tokens; take a smaller one.")
        return pointer

    def run(self) -> None:
        """Until the worker is closed, compute what waits."""
        try:
            while self._wait_for_work():
                self._admit()
                if self._active:
                    self._step()
        except BaseException as error:
            self._fail(error)
        finally:
            with self._changed:
                self._closed = True
            self._fail(RunFailed(f"{self.model.path.name} was closed."))
            self._llama.llama_batch_free(self._batch)
            self._llama.llama_free(self._pointer)

    def _wait_for_work(self) -> bool:
        """True if there is something to compute; False when it is time to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._waiting or self._active)
            return not self._closed

    def _admit(self) -> None:
        """Begin the calls that wait, as far as there is room for them and waiting is of no use."""
        for call in [each for each in self._active if each.future.cancelled()]:
            self._end(call)
        for call in list(self._waiting):
            if call.future.cancelled():
                self._waiting.remove(call)
                call.end()
                continue
            room = self.context - sum(_most(each) for each in self._active)
            if len(self._active) >= self._at_once or _most(call) > room:
                return
            if self._begin(call):
                self._waiting.remove(call)
                self._active.append(call)

    def _begin(self, call: Call) -> bool:
        start = self._sequences.begin(call.prompt)
        if start is None:
            return False
        sequence, source, shared = start
        call.sequence = sequence
        if sequence is not source:
            self._cut(sequence, 0)
            if shared:
                self._llama.llama_memory_seq_cp(self._memory, source.number, sequence.number, 0, shared)
                sequence.tokens = source.tokens[:shared]
        elif not self._cut(sequence, shared):  # a model whose memory cannot be cut begins anew
            shared = 0
            self._cut(sequence, 0)
        call.cached = shared
        return True

    def _cut(self, sequence: Sequence, length: int) -> bool:
        """Keep so many tokens of the sequence."""
        if not sequence.tokens and length == 0:
            return True
        done = bool(self._llama.llama_memory_seq_rm(self._memory, sequence.number, length, -1))
        if done:
            del sequence.tokens[length:]
        return done

    def _step(self) -> None:
        rows, began = list(self._rows()), monotonic()
        while (result := self._decode(rows)) == NO_ROOM:
            kept = self._sequences.oldest_kept()
            if kept is None:
                raise RunFailed(f"the context of {self.model.path.name} is full, which cannot be.")
            self._cut(kept, 0)
        if result:
            raise RunFailed(f"llama.cpp failed with {result} while it computed {self.model.path.name}.")
        share_out(monotonic() - began, [row.call for row in rows])
        for row in rows:
            row.sequence.tokens.append(row.token)
        for place, row in enumerate(rows):
            if row.chooses and self._accept(row.call, place):
                self._end(row.call)

    def _rows(self) -> Iterator[Row]:
        """One token of every answer that is being written, and as much of the prompts as a step has room for."""
        room = self.chunk
        for call in self._active:
            if call.tokens:
                yield Row(call.tokens[-1], len(_sequence(call).tokens), call, chooses=True)
                room -= 1
        for call in self._active:
            if not call.tokens and room:
                first = len(_sequence(call).tokens)
                last = min(len(call.prompt), first + room)
                room -= last - first
                for place in range(first, last):
                    yield Row(int(call.prompt[place]), place, call, chooses=place + 1 == len(call.prompt))

    def _decode(self, rows: list[Row]) -> int:
        batch = self._batch
        batch.n_tokens = len(rows)
        for place, row in enumerate(rows):
            batch.token[place] = row.token
            batch.pos[place] = row.place
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = row.sequence.number
            batch.logits[place] = row.chooses
        return int(self._llama.llama_decode(self._pointer, batch))

    def _accept(self, call: Call, place: int) -> bool:
        logits = self._llama.llama_get_logits_ith(self._pointer, place)
        try:
            return call.accept(np.ctypeslib.as_array(logits, (self.model.tokens_count,)))
        except Exception as error:
            _tell(call, error)
            return True

    def _end(self, call: Call) -> None:
        self._active.remove(call)
        self._sequences.end(_sequence(call))
        call.end()

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            calls = [*self._active, *self._waiting]
            self._active.clear()
            self._waiting.clear()
        for call in calls:
            _tell(call, error)
            call.end()


def _tell(call: Call, error: BaseException) -> None:
    with suppress(InvalidStateError):  # it was cancelled, or is answered
        call.future.set_exception(error)


def _sequence(call: Call) -> Sequence:
    assert isinstance(call.sequence, Sequence)
    return call.sequence


def _most(call: Call) -> int:
    """The tokens that a call may come to hold."""
    return len(call.prompt) + call.wanted.max_tokens


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
