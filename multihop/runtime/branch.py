"""Concurrent branches of one question, each with its own record of steps and its own DSPy trace.

Steps are recorded per branch and joined in the order the branches were started, so that a trajectory does not
depend on which call happened to finish first.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine, Hashable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar

import dspy

from ..retrieval import Passage
from .cost import Account, CostRecord
from .steps import BranchesStep, TrajectoryStep, searches
from .streaming import tell_listener

Result = TypeVar("Result")


@dataclass(slots=True)
class Branch(Generic[Result]):
    """One line of calls, each of which waited for the one before."""

    account: Account
    """The question's budget and its spending; all its branches share it."""
    steps: list[TrajectoryStep] = field(default_factory=list)
    """The record of every step, in order."""
    trace: list[Any] = field(default_factory=list)
    """The DSPy trace of the branch's own calls, for optimizers."""
    chain: int = 0
    """LM calls that had to come one after the other to get here."""
    passages_by_id: dict[str, Passage] = field(default_factory=dict)
    """The passages that the question's searches found, by id; all its branches share them."""
    result: Result | None = None
    """The branch's result."""
    path: tuple[int, ...] = ()
    """The numbers of the branch and of those it came from, each from 1 among the branches started together."""

    def note(self, step: TrajectoryStep) -> None:
        """Put a step that is finished on record."""
        self.steps.append(step)
        tell_listener(step, self.path)

    def passages(self) -> list[Passage]:
        """The passages found in this branch and those it waited for, each once, the first search's first."""
        ids = dict.fromkeys(hit["id"] for step in searches(self.steps) for hit in step.get("hits", ()))
        return [self.passages_by_id[id_] for id_ in ids if id_ in self.passages_by_id]

    def total_cost(self) -> CostRecord:
        """The question's cost so far, when this is its first branch; plain JSON-able values."""
        cost = self.account.cost
        cost.chain, cost.seconds = self.chain, time.monotonic() - self.account.started
        return cost.to_dict()


current_branch: ContextVar[Branch[Any]] = ContextVar("multihop_branch")
"""The branch that is running; a question's first branch is its whole record."""


async def explore(*coroutines: Coroutine[Any, Any, Result]) -> list[Branch[Result]]:
    """Run the coroutines at once and return their branches in the order given.

    If one fails, the others are cancelled; what all of them did until then stays on record.
    """
    parent = current_branch.get()
    branches: list[Branch[Result]] = [
        replace(parent, steps=[], trace=[], result=None, path=(*parent.path, number))
        for number, _ in enumerate(coroutines, 1)
    ]
    tasks = [asyncio.create_task(_follow(branch, work)) for branch, work in zip(branches, coroutines, strict=True)]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for work in coroutines:
            work.close()  # a task cancelled before its first step never awaited its work
        raise
    finally:
        for branch in branches:
            parent.chain = max(parent.chain, branch.chain)
        if any(branch.steps for branch in branches):
            parent.steps.append(BranchesStep(step="branches", branches=[branch.steps for branch in branches]))
    return branches


async def _follow(branch: Branch[Result], work: Coroutine[Any, Any, Result]) -> None:
    current_branch.set(branch)
    with dspy.context(trace=None if dspy.settings.trace is None else branch.trace):
        branch.result = await work


async def in_branches(*coroutines: Coroutine[Any, Any, Result]) -> list[Result]:
    """The results in the order given, each computed in a branch whose trace is handed on only by `keep`."""
    return [branch.result for branch in await explore(*coroutines)]  # type: ignore[misc]


async def beside(work: Coroutine[Any, Any, Result]) -> Branch[Result]:
    """The work's own branch, its trace not kept yet; its steps are in the record where they began."""
    branch: Branch[Result] = replace(current_branch.get(), trace=[], result=None)
    await _follow(branch, work)
    return branch


def keep(branches: Iterable[Branch[Any]]) -> None:
    """Hand the DSPy traces of these branches to the caller's, so that optimizers learn from them."""
    if dspy.settings.trace is not None:
        for branch in branches:
            dspy.settings.trace.extend(branch.trace)


async def together(*coroutines: Coroutine[Any, Any, Result]) -> list[Result]:
    """Run the coroutines at once, keep all their branches, and return their results in the order given."""
    if len(coroutines) == 1:  # nothing to run beside it
        return [await coroutines[0]]
    branches = await explore(*coroutines)
    keep(branches)
    return [branch.result for branch in branches]  # type: ignore[misc]


class Lookup:
    """Work by key: the first to ask for a key has it done, all others wait for the same result.

    Each piece of work runs in a branch of its own, which `branch` gives back, so that the calls behind a path can be
    handed to optimizers. Leaving the block ends what is still under way.
    """

    def __init__(self, *, sharing: bool = True) -> None:
        """Start empty; without `sharing`, every piece of work is done as often as it is asked for."""
        self.sharing = sharing
        self._latest: dict[Hashable, asyncio.Task[Branch[Any]]] = {}
        self._tasks: list[asyncio.Task[Branch[Any]]] = []

    async def once(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """The result of the key's work."""
        if not (self.sharing and key in self._latest):
            self._latest[key] = asyncio.create_task(beside(work()))
            self._tasks.append(self._latest[key])
        branch, mine = await asyncio.shield(self._latest[key]), current_branch.get()
        mine.chain = max(mine.chain, branch.chain)
        return branch.result  # type: ignore[return-value]

    def keep(self, keys: Iterable[Hashable]) -> None:
        """Hand the DSPy traces of the work behind these keys to the caller's, so that optimizers learn from it."""
        tasks = [task for key in keys if (task := self._latest.get(key)) is not None]
        keep(task.result() for task in tasks if task.done() and not task.cancelled())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *reason: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
