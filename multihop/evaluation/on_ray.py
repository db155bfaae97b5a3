"""Questions answered by actors on a Ray cluster: they answer and measure, and the one process that asked keeps it all.

Only that process writes into the run's folder, so that a run is killed, continued and paid for as one without Ray. What
an actor pays is told call by call: an actor that dies takes along what it had begun, and nothing that it had told.
"""

import asyncio
import logging
import os
import pickle
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from importlib.metadata import version
from io import BytesIO
from typing import Any

import cloudpickle
import dspy

from ..base import InputError, MismatchError, MissingKeyError, RunFailed, needing_extra
from ..base.errors import known_secrets
from ..data import Question
from ..runtime import Bill, Program, Tokens, caching, current_caching, current_prices, priced_by
from ..runtime.bill import CachedCall
from .header import PACKAGES
from .metrics import Metric
from .modules import AnyModule
from .row import Row, answer_question, failed_row

PATIENCE = 120.0
"""Seconds after which an actor that is not there yet will not come."""
TRIES = 3
"""So many actors may die on a question; then that is its error."""


def packed(program: dspy.Module, metrics: Sequence[Metric], *, concurrency: int, timeout: float | None) -> bytes:
    """All that an actor needs to answer and measure; of a key, the name of the environment's variable that holds it."""
    kept, file, secrets = current_caching.get(), BytesIO(), known_secrets()
    context = {"lm": dspy.settings.lm, "adapter": dspy.settings.adapter}
    asked = {"metrics": metrics, "timeout": timeout}
    versions = {name: version(name) for name in PACKAGES}
    job = program, concurrency, asked, context, (kept.scope, kept.draw), current_prices.get(), versions
    try:
        _Pickler(file, secrets).dump(job)
    except Exception as error:  # each class refuses in its own way
        raise InputError(
            f"{type(program).__name__} cannot be sent to Ray's actors ({type(error).__name__}: {error}); what it holds "
            "must be picklable."
        ) from error
    if any(secret.encode() in file.getvalue() for secret in secrets):
        raise InputError(
            "keys are not sent to Ray's actors, and one was given in Python; set it in the environment of each node "
            "instead, where LMs find it by themselves."
        )
    return file.getvalue()


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Writes each key as the name of the variable that holds it."""

    def __init__(self, file: BytesIO, secrets: dict[str, str]) -> None:
        super().__init__(file)
        self._secrets = secrets

    def persistent_id(self, value: Any) -> str | None:
        return self._secrets.get(value) or None if type(value) is str else None


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` wrote, with the keys of this process's environment."""

    def persistent_load(self, name: Any) -> str:
        if not os.environ.get(name):
            raise MissingKeyError(f"{name} is not set on the node {socket.gethostname()}; set it before `ray start`.")
        return os.environ[name]


class Ledger(Bill):
    """The bill and the kept answers as an actor sees them: each line is told to the process that has the file."""

    def __init__(self, kept: dict[str, CachedCall], tell: Callable[[Any], object]) -> None:
        self._kept, self._tell = kept, tell

    def check(self) -> None:
        """Nothing: the process that has the file looks before a question is sent."""

    def add(self, role: str, model: str, tokens: Tokens) -> None:
        """Tell of a call that was paid."""
        self._tell((Bill.add, role, model, tokens))

    def put(self, key: str, call: CachedCall) -> None:
        """Keep a call, here and there."""
        self._kept[key] = call
        self._tell((Bill.put, key, call))

    def get(self, key: str) -> CachedCall | None:
        """The call that was kept under that key."""
        return self._kept.get(key)


class Actor:
    """One process of the cluster: it opens the job once, and answers many questions beside each other."""

    async def open(self, job: bytes, kept: dict[str, CachedCall]) -> None:
        """Open the program, its index, the LMs and the metrics."""
        program, concurrency, *self._job, versions = _Unpickler(BytesIO(job)).load()
        self._program = program if isinstance(program, Program) else AnyModule(program, concurrency)
        self._kept = dict(kept)
        for name, theirs in versions.items():
            if version(name) != theirs:
                here = f"{name} {version(name)} on the node {socket.gethostname()}"
                raise MismatchError(f"all nodes need the same packages: there is {here}, and {theirs} where it began.")

    async def answer(self, question: Question, earlier: Row | None) -> AsyncIterator[Any]:
        """Each line for the bill, as soon as there is one, and at last the row."""
        (asked, context, (scope, draw), prices), loop = self._job, asyncio.get_running_loop()
        told: asyncio.Queue[Any] = asyncio.Queue()
        ledger = Ledger(self._kept, lambda line: loop.call_soon_threadsafe(told.put_nowait, line))
        settings = dspy.context(**context, disable_history=True, trace=None)
        with caching(scope, draw=draw, bill=ledger), priced_by(prices), settings:
            answering = asyncio.create_task(answer_question(self._program, question, earlier=earlier, **asked))
        answering.add_done_callback(lambda _: loop.call_soon(told.put_nowait, None))  # after all lines
        while (line := await told.get()) is not None:
            yield line
        yield await answering


class Actors:
    """The actors of a run. One that dies is replaced where there is room, and what it was asked goes to another."""

    def __init__(self, ray: Any, job: bytes, bill: Bill) -> None:
        self._ray, self._bill, self._job = ray, bill, ray.put(job)
        self._asked: Counter[Any] = Counter()  # the questions that each actor has
        self._starting: set[asyncio.Task[None]] = set()
        self._suspects = asyncio.Lock()  # a question that ends its actor takes along no other one twice

    async def start(self) -> None:
        """Start one more of them."""
        actor = self._ray.remote(num_cpus=1)(Actor).remote()
        try:
            async with asyncio.timeout(PATIENCE):
                await actor.open.remote(self._job, self._ray.put(self._bill.kept()))
        except TimeoutError:
            raise RunFailed(f"the Ray cluster gave an actor no CPU within {PATIENCE:.0f} seconds.") from None
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except self._ray.exceptions.RayError as error:
            raise RunFailed(f"an actor could not be started on the Ray cluster: {error}") from None
        self._asked[actor] = 0

    async def row(self, question: Question, earlier: Row | None) -> Row:
        """The question's row; one whose actor died is asked again, one at a time."""
        died: list[Exception] = []
        while len(died) < TRIES:
            async with self._suspects if died else nullcontext():
                row = await self._row(question, earlier, died)
            if row is not None:
                return row
        return failed_row(question, died[-1])

    async def _row(self, question: Question, earlier: Row | None, died: list[Exception]) -> Row | None:
        """The row, by the actor that has the fewest questions; None if it died."""
        while not self._asked:
            if not self._starting:
                raise RunFailed("no actor is left on the Ray cluster; the same command goes on once there is room.")
            await asyncio.wait(self._starting, return_when=asyncio.FIRST_COMPLETED)
        actor = min(self._asked, key=self._asked.__getitem__)
        self._asked[actor] += 1
        try:
            async for reference in actor.answer.remote(question, earlier):
                if isinstance(told := await reference, dict):
                    return told  # type: ignore[return-value]
                self._note(*told)
        except self._ray.exceptions.RayActorError as error:
            died.append(error)
            self._replace(actor)
        finally:
            if actor in self._asked:
                self._asked[actor] -= 1
        return None

    def _note(self, write: Callable[..., None], *line: Any) -> None:
        """Write down what an actor paid or keeps, and count it where somebody counts."""
        write(self._bill, *line)
        if write is Bill.add and (tracker := dspy.settings.usage_tracker) is not None:
            _, model, tokens = line
            tracker.add_usage(model, {"prompt_tokens": tokens.into, "completion_tokens": tokens.out})

    def _replace(self, actor: Any) -> None:
        if actor in self._asked:  # else another of its questions has seen to it
            del self._asked[actor]
            task = asyncio.create_task(self._start_if_possible())
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    async def _start_if_possible(self) -> None:
        with suppress(RunFailed, InputError):  # the others go on, and where none is left that is said
            await self.start()

    def end(self) -> None:
        """End all, with what they have begun."""
        for task in self._starting:
            task.cancel()
        for actor in self._asked:
            self._ray.kill(actor)


@asynccontextmanager
async def actors_on(address: str, job: bytes, bill: Bill, most: int) -> AsyncIterator[Actors]:
    """The actors of a run on a cluster, one a CPU and at most so many, until the block ends."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody else is told of a run
    with needing_extra("answering on a Ray cluster", "ray"):
        import ray
    there_before, (host, _, port) = ray.is_initialized(), address.rpartition(":")
    try:
        if host and port.isdecimal():
            socket.create_connection((host, int(port)), timeout=10).close()  # Ray itself would end this process
        if not there_before:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        cpus = int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise InputError(f"no Ray cluster answers at {address}: {str(error).strip().splitlines()[0]}") from None
    actors = Actors(ray, job, bill)
    try:
        if not cpus:
            raise InputError(f"the Ray cluster at {address} has no CPUs, and each actor takes one.")
        await asyncio.gather(*(actors.start() for _ in range(min(cpus, most))))
        yield actors
    finally:
        actors.end()
        if not there_before:
            ray.shutdown()
