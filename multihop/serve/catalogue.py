"""The programs that one server answers with, by name; what changes in their indexes is taken over."""

import asyncio
import copy
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import dspy

from ..base import InputError, unknown
from ..runtime import Program
from .operation import EventLog, Refusal


@dataclass(frozen=True, kw_only=True)
class Served:
    """A program that is ready to answer."""

    name: str
    """The name it is asked for by."""
    program: Program
    """The program."""
    lm: dspy.LM
    """The LM of all steps that have none of their own."""
    since: int = field(default_factory=lambda: int(time.time()))
    """The time at which it was opened, in seconds since 1970."""

    def searching(self, retriever: Any) -> "Served":
        """A copy that searches by another retriever; questions under way are answered as before."""
        program, old = copy.deepcopy(self.program), self.program.retriever
        for _, each in program.named_sub_modules(Program):
            if each.retriever is old:
                each.retriever = retriever
        return replace(self, program=program)


class Catalogue:
    """Programs by name; the first is meant where none is named."""

    def __init__(self, programs: Sequence[Served]) -> None:
        """A catalogue of these programs, no two of which may have one name."""
        self._served = {served.name: served for served in programs}
        for name in self._served:
            if [served.name for served in programs].count(name) > 1:
                raise InputError(f"two programs are called '{name}'; name one of them, as in other={name}.")

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def get(self, name: str | None) -> Served:
        """The program of that name; a Refusal where there is none."""
        if name is None:
            return next(iter(self._served.values()))
        if name not in self._served:
            raise Refusal(404, str(unknown("program", name[:100], self._served)))
        return self._served[name]

    async def look(self, log: EventLog) -> None:
        """Take over what others have changed in the indexes; questions under way end with what they began with."""
        for old in {id(served.program.retriever): served.program.retriever for served in self}.values():
            searched = [served for served in self if served.program.retriever is old]
            newest = await newest_of(old, ", ".join(served.name for served in searched), log)
            for served in searched if newest is not old else ():
                self._served[served.name] = served.searching(newest)


async def newest_of(retriever: Any, name: str, log: EventLog) -> Any:
    """The retriever as what it searches is now: itself if nothing has changed, or what is there cannot be used."""
    if getattr(retriever, "latest", None) is None:
        return retriever
    newest, reason = await asyncio.to_thread(_tried_newest, retriever)
    if reason and reason != log.refused.get(name):  # told once, not at every look
        log.write("index not reloaded", name=name, error=reason)
    log.refused[name] = reason
    if newest is not retriever:
        log.write("index reloaded", name=name, passages=len(newest))
    return newest


def _tried_newest(retriever: Any) -> tuple[Any, str]:
    """The newest one, which has searched once, since its files may fit each other and not the encoder.

    If something is wrong with it, it is the one at hand, and the reason. The error itself would keep files open.
    """
    try:
        newest = retriever.latest()
        if newest is not retriever:
            newest.search(["Which of them was first?"], 1)
    except Exception as error:
        return retriever, " ".join(str(error).split()) or type(error).__name__
    return newest, ""


@asynccontextmanager
async def looking(seconds: float, look: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """In the block `look` is called every so many seconds, or as many as it took; never if that is 0."""

    async def keep_looking() -> None:
        took = 0.0
        while seconds:
            await asyncio.sleep(max(seconds, took))
            begun = time.monotonic()
            await look()
            took = time.monotonic() - begun

    task = asyncio.create_task(keep_looking())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
