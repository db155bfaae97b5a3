"""Calls made ahead of being asked for, and booked only when they are.

What a search will probably ask for is asked for early, out of its sight: with an account, a record and a trace apart.
When the search itself comes to the same request, it is checked against the budget, counted and recorded as if the call
were made now; only the waiting is over already. So what is made ahead changes when answers come, never which.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Coroutine, Hashable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Self

import dspy
import ujson
from dspy.utils.exceptions import AdapterParseError

from ...retrieval import Hit
from ..branch import Branch, current_branch
from ..cost.budget import Account, Budget
from ..cost.question_cost import Cost
from ..cost.tokens import Tokens
from ..cost.waves import PlannedCall
from ..lm_call.gate import Gate
from ..lookup import Lookup
from ..observe.watching import out_of_sight
from .task import NOW, SpeculativeTask, SpeculativeTasks, current_task

current_ahead: ContextVar["Ahead | None"] = ContextVar("multihop_ahead", default=None)

_TURNS = 12
"""Turns of the event loop that a call takes which was made ahead: more than a search does between two calls, so that
calls made at once come in the order in which they would if each of them took a while."""

Call = Callable[..., Awaitable[dspy.Prediction]]
"""One call, given the branch that it is made in and what the budget must leave."""


@dataclass(slots=True, eq=False)
class _SeparateAccount(Account):
    """An account without a limit that keeps the attempts of one call apart."""

    attempts: list[tuple[PlannedCall, Cost, list[Tokens]]] = field(default_factory=list)
    """Each attempt, its cost, and the tokens that each of its calls took."""

    async def begin(self, planned: PlannedCall) -> None:
        """A new attempt begins."""
        self.cost = Cost()
        self.attempts.append((planned, self.cost, []))
        self.book(planned)

    def learn(self, planned: PlannedCall, tokens: Tokens) -> None:
        """A call of the attempt took so much."""
        self.attempts[-1][2].append(tokens)


@dataclass(slots=True, eq=False)
class _EarlyCall:
    """A call that was made ahead."""

    account: _SeparateAccount
    trace: list[Any] = field(default_factory=list)
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    prediction: dspy.Prediction | None = None
    error: AdapterParseError | None = None
    booked: int = 0
    """The number of its attempts that were asked for."""
    ready: float = 0.0
    """The question's own seconds at which its answer was there."""
    claimed: bool = False
    task: SpeculativeTask = field(default_factory=SpeculativeTask)


class Ahead:
    """The calls that are made ahead while one question is answered.

    Leaving the block ends what is still under way, and books what was never asked for as speculated.

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.runtime import Ahead, Program
        >>> class Doubted(Program):
        ...     retrieves = False
        ...
        ...     def __init__(self, **limits):
        ...         super().__init__(**limits)
        ...         self.guess = dspy.Predict("question -> answer, sure: bool")
        ...         self.think = dspy.Predict("question -> reasons, answer")
        ...
        ...     async def aforward(self, question):
        ...         async with Ahead(1, self.gate) as ahead:
        ...             ahead.begin(self.ask(self.think, question=question), rank=1)
        ...             guess = await self.ask(self.guess, question=question)
        ...             return guess if guess.sure else await self.ask(self.think, question=question)
        >>> def reply(prompt):
        ...     thinks = prompt.output_fields[0].name == "reasons"
        ...     return {"reasons": "It is far.", "answer": "no"} if thinks else {"answer": "yes", "sure": False}
        >>> with dspy.context(lm=scripted(reply, latency=0.01)):
        ...     prediction = Doubted()(question="Is it near?")
        >>> prediction.answer, prediction.cost["calls_by_role"], "speculated" in prediction.cost
        ('no', {'guess': 1, 'think': 1}, False)
    """

    def __init__(self, limit: int, gate: Gate, *, sharing: bool = True) -> None:
        """Nothing is asked for yet.

        Args:
            limit: Calls in flight at most that nobody waits for yet; with 0, nothing is done ahead. Nor is it where the
                words of steps are streamed, which have to come while they are written.
            gate: The gate where calls get their slots; what nobody waits for takes only a slot that is free.
            sharing: True if the search itself looks up calls that it made before.
        """
        self.limit = 0 if dspy.settings.stream_listeners else limit
        self._gate = gate
        self.tasks = SpeculativeTasks(self.limit, self._free)
        self.lookup = LookupAhead(self.tasks, sharing=sharing)
        self._made: dict[Hashable, deque[_EarlyCall]] = {}
        self._all: list[_EarlyCall] = []
        self._found: dict[tuple[str, int], asyncio.Future[Branch[list[Hit]]]] = {}

    async def __aenter__(self) -> Self:
        self._account = current_branch.get().account
        self._outer = current_ahead.set(self if self.limit else current_ahead.get())
        return self

    async def __aexit__(self, *reason: object) -> None:
        current_ahead.reset(self._outer)
        await self.end()
        for search in self._found.values():
            search.cancel()
        await asyncio.gather(*self._found.values(), return_exceptions=True)
        for made in self._all:
            for _, attempt, _ in made.account.attempts[made.booked :]:
                self._account.cost.add_speculated(attempt)

    def begin(self, work: Coroutine[Any, Any, Any], *, rank: float) -> SpeculativeTask:
        """Do the work ahead: of its calls, those with the lowest rank first; 0 is for what is waited for already."""
        if self.limit:
            return self.tasks.begin(_apart(work, current_branch.get().seconds), rank)
        work.close()
        return SpeculativeTask()

    async def finish(self, tasks: Iterable[SpeculativeTask]) -> None:
        """Wait until these are done, or the time for the question is over."""
        if running := [task.running for task in tasks if task.running is not None]:
            left = self._account.seconds_left
            await asyncio.wait(running, timeout=None if left is None else max(0.0, left))

    def look_again(self) -> None:
        """Make the calls whose turn has come, now that ranks have changed."""
        self.tasks.admit()

    async def end(self, keep: Collection[SpeculativeTask] = ()) -> None:
        """End what is under way, but for the tasks to keep."""
        await self.tasks.end(keep)
        await self.lookup.__aexit__()

    def _free(self) -> int:
        """The number of calls that may begin though nobody waits for them: none that the budget could not take over."""
        calls = self._account.budget.calls
        if calls is None:
            return self._gate.free()
        unused = sum(1 for made in self._all if made.account.attempts and not made.claimed)
        return min(self._gate.free(), calls - self._account.cost.calls - unused)

    async def answer(self, key: Hashable, call: Call, *, branch: Branch[Any], reserve: int | None) -> dspy.Prediction:
        """The call's answer: one made ahead if there is one, and otherwise one made now."""
        task = current_task.get()
        if task is not None:
            return await self._call_early(key, call, task)
        if not (waiting := self._made.get(key)):
            return await call(branch=branch, reserve=reserve)
        made = waiting.popleft()
        made.claimed = True
        made.task.askers.append(SpeculativeTask(NOW))
        self.tasks.admit()
        with branch.account.waves.at_work():
            await made.finished.wait()
        if made.prediction is None and made.error is None:  # it failed for another reason: that is for now to find out
            return await call(branch=branch, reserve=reserve)
        await self._book(made, branch, reserve)
        if made.error is not None:
            raise made.error
        return made.prediction  # type: ignore[return-value]

    async def _book(self, made: _EarlyCall, branch: Branch[Any], reserve: int | None) -> None:
        """Check, count and trace a call that was made ahead as if it were made now, attempt by attempt."""
        before, account = branch.chain, branch.account
        for number, (planned, attempt, taken) in enumerate(made.account.attempts, 1):
            await account.begin(replace(planned, reserve=reserve, path=branch.path))
            with account.waves.at_work():
                account.cost.count_further_calls(attempt, planned.role)
                made.booked = number
                branch.chain = max(branch.chain, before + number)
                for _ in range(_TURNS):
                    await asyncio.sleep(0)
                account.cost.add_result(attempt)
                for tokens in taken:
                    account.learn(planned, tokens)
        branch.catch_up(0, made.ready)
        if dspy.settings.trace is not None:
            dspy.settings.trace.extend(made.trace)

    async def _call_early(self, key: Hashable, call: Call, task: SpeculativeTask) -> dspy.Prediction:
        made = _EarlyCall(_SeparateAccount(self._account.budget), task=task)
        self._made.setdefault(key, deque()).append(made)
        self._all.append(made)
        try:
            async with self.tasks.slot(task):
                with dspy.context(trace=None if dspy.settings.trace is None else made.trace):
                    mine = current_branch.get()
                    branch: Branch[Any] = Branch(made.account, seconds=mine.seconds)
                    made.prediction = await call(branch=branch, reserve=0)
                    made.ready = branch.seconds
                    mine.catch_up(0, made.ready)
        except AdapterParseError as error:
            made.error = error
            raise
        finally:
            made.finished.set()
        return made.prediction

    async def find(self, query: str, k: int, search: Callable[[], Awaitable[list[Hit]]]) -> list[Hit]:
        """The hits for a query, searched for once."""
        key, mine = (query, k), current_branch.get()
        if key not in self._found:
            self._found[key] = asyncio.ensure_future(_searched(search, mine.seconds))
        with mine.account.waves.at_work():
            branch = await asyncio.shield(self._found[key])
        mine.catch_up(0, branch.seconds)
        return list(branch.result or ())


async def _searched(search: Callable[[], Awaitable[list[Hit]]], seconds: float) -> Branch[list[Hit]]:
    """The hits, in a branch that says when they are there."""
    branch: Branch[list[Hit]] = Branch(Account(Budget()), seconds=seconds)
    with branch.at_work():
        branch.result = await search()
    return branch


def request_key(predictor: dspy.Module, inputs: dict[str, Any], draw: int) -> Hashable:
    """A key that is equal for two requests of one program if and only if they are the same."""
    return id(predictor), draw, ujson.dumps(inputs, default=str)


async def _apart(work: Coroutine[Any, Any, Any], seconds: float) -> Any:
    """The work's result, begun after so many seconds; who records, listens or streams does not hear of it."""
    current_branch.set(Branch(Account(Budget()), seconds=seconds))
    traced: list[Any] | None = None if dspy.settings.trace is None else []
    with out_of_sight(), dspy.context(trace=traced, send_stream=None):
        return await work


class LookupAhead(Lookup):
    """Work by key, done ahead; what several tasks need is as urgent as the most urgent of them."""

    def __init__(self, tasks: SpeculativeTasks, *, sharing: bool = True) -> None:
        """Start empty."""
        super().__init__(sharing=sharing)
        self._speculative = tasks
        self._by_key: dict[Hashable, SpeculativeTask] = {}

    async def once(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """The result of the key's work."""
        asker = current_task.get()
        if not self.sharing:
            return await super().once(key, work)
        task = self._by_key.setdefault(key, SpeculativeTask())
        if asker is not None:
            task.askers.append(asker)
            self._speculative.admit()
        outer = current_task.set(task)
        try:
            return await super().once(key, work)
        finally:
            current_task.reset(outer)
