"""The programs that one server answers with, by name; what changes of their files and indexes is taken over."""

import asyncio
import copy
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple

import dspy

from ..base import InputError, unknown
from ..runtime import Program
from .log import EventLog, Metrics
from .refusal import Refusal


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


class ProgramSource(NamedTuple):
    """The source of a served program."""

    name: str
    """The name it is asked for by."""
    open: Callable[[], Served]
    """Opens it, and refuses what does not fit with an InputError."""
    file: Path | None = None
    """The saved program's file; None where it comes from none."""

    @property
    def stamp(self) -> tuple[int, int, int] | None:
        """A stamp that changes when the file does; None where there is no file, as while it is being replaced."""
        with suppress(OSError):
            status = self.file.stat() if self.file else None
            if status and S_ISREG(status.st_mode):  # reading a pipe in its place might wait for ever
                return status.st_mtime_ns, status.st_size, status.st_ino
        return None


class Catalogue:
    """Programs by name; the first is meant where none is named."""

    def __init__(self, sources: Sequence[ProgramSource]) -> None:
        """Open all of them.

        Raises:
            InputError: One cannot be used, or two have one name; the message says which.
        """
        names = [source.name for source in sources]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two programs are called '{name}'; name one of them, as in other={name}.")
        self._stamps = {source.name: source.stamp for source in sources}  # before they are read
        self._sources = list(sources)
        self._served = {source.name: source.open() for source in sources}

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def get(self, name: str | None) -> Served:
        """The program of that name.

        Raises:
            Refusal: There is none.
        """
        if name is None:
            return next(iter(self._served.values()))
        if name not in self._served:
            raise Refusal(404, str(unknown("program", name[:100], self._served)))
        return self._served[name]

    async def reload(self, log: EventLog, metrics: Metrics) -> None:
        """Read the files that changed since they were last read, and take those that can be used; then the indexes.

        Questions under way are answered by the program that they were asked of, from the passages that were there when
        they came. Where a file or an index cannot be used, all stays as it was, and the log says why.
        """
        for source in self._sources:
            stamp = source.stamp
            if stamp is None or stamp == self._stamps[source.name]:
                continue
            self._stamps[source.name] = stamp
            try:
                self._served[source.name] = await asyncio.to_thread(source.open)
            except Exception as error:  # whatever is wrong with the file, the server goes on with what it has
                log.write("not reloaded", program=source.name, error=" ".join(str(error).split()))
                metrics.reloads.labels("refused", source.name).inc()
            else:
                log.write("reloaded", program=source.name)
                metrics.reloads.labels("taken", source.name).inc()
        for old in {id(served.program.retriever): served.program.retriever for served in self}.values():
            searched = [served for served in self if served.program.retriever is old]
            newest = await newest_of(old, ", ".join(served.name for served in searched), log)
            for served in searched if newest is not old else ():
                self._served[served.name] = served.searching(newest)
                metrics.reloads.labels("taken", served.name).inc()


async def newest_of(retriever: Any, name: str, log: EventLog) -> Any:
    """The retriever as what it searches is now: itself if nothing has changed, or what is there cannot be used.

    Args:
        retriever: The retriever.
        name: The name of what searches by it, for the log.
        log: The log.
    """
    read = getattr(retriever, "latest", None)
    if read is None:
        return retriever
    try:
        newest = await asyncio.to_thread(read)
    except Exception as error:  # whatever is wrong with the folder, the server goes on with what it has
        log.write("index not reloaded", name=name, error=" ".join(str(error).split()))
        return retriever
    if newest is not retriever:
        log.write("index reloaded", name=name, passages=len(newest))
    return newest


@asynccontextmanager
async def looking(seconds: float, look: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """In the block `look` is called every so many seconds; never if that is 0."""

    async def keep_looking() -> None:
        while seconds:
            await asyncio.sleep(seconds)
            await look()

    task = asyncio.create_task(keep_looking())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
