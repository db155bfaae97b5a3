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
from .log import EventLog
from .metrics import Metrics
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
        """The same, with another retriever in the place of its own; whoever it answers now is answered as before."""
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
        self._stamps = {source.name: _stamp(source) for source in sources}  # before they are read
        self._sources = list(sources)
        self._watch = IndexWatch()
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
            stamp = _stamp(source)
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
        await self._reload_indexes(log, metrics)

    async def _reload_indexes(self, log: EventLog, metrics: Metrics) -> None:
        for old in {id(served.program.retriever): served.program.retriever for served in self}.values():
            searched = [served for served in self if served.program.retriever is old]
            newest = await self._watch.latest(old, ", ".join(served.name for served in searched), log)
            for served in searched if newest is not old else ():
                self._served[served.name] = served.searching(newest)
                metrics.reloads.labels("taken", served.name).inc()


def _stamp(source: ProgramSource) -> tuple[int, int, int] | None:
    """A stamp that changes when the file does; None where there is none, as while it is being replaced.

    What is no file, such as a pipe in its place, is none: whoever opened it might wait for ever.
    """
    if source.file is None:
        return None
    try:
        status = source.file.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino) if S_ISREG(status.st_mode) else None


@asynccontextmanager
async def looking(seconds: float, look: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """In the block `look` is called every so many seconds; never if that is 0.

    Examples:
        >>> import asyncio
        >>> from multihop.serve.catalogue import looking
        >>> async def main():
        ...     seen = asyncio.Event()
        ...     async def look():
        ...         seen.set()
        ...     async with looking(0.001, look):
        ...         return await seen.wait()
        >>> asyncio.run(main())
        True
    """

    async def keep_looking() -> None:
        while True:
            await asyncio.sleep(seconds)
            await look()

    task = asyncio.create_task(keep_looking()) if seconds else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


class IndexWatch:
    """Notices what others change in the folders of indexes, and tells the log, of the same trouble once."""

    def __init__(self) -> None:
        """Nothing was looked at yet."""
        self._troubles = dict[str, str]()

    async def latest(self, retriever: Any, name: str, log: EventLog) -> Any:
        """The retriever as what it searches is now: itself if nothing has changed, or what is there cannot be used.

        Another is opened whole before it takes the place of this one, which goes on for who began with it.

        Args:
            retriever: The retriever.
            name: The name of what searches by it, for the log.
            log: The log.
        """
        read = getattr(retriever, "latest", None)
        if read is None:
            return retriever
        trouble = ""
        try:
            newest = await asyncio.to_thread(read)
        except Exception as error:  # whatever is wrong with the folder, the server goes on with what it has
            newest, trouble = retriever, " ".join(str(error).split())
            if trouble != self._troubles.get(name):
                log.write("index not reloaded", name=name, error=trouble)
        self._troubles[name] = trouble
        if newest is not retriever:
            log.write("index reloaded", name=name, passages=len(newest))
        return newest
