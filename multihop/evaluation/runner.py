"""A run over a question set: many questions at once, every finished one kept, and nothing done twice."""

import asyncio
import inspect
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

import dspy

from ..base import InputError, MismatchError, RunFailed
from ..base.imports import ShownInNotebooks, in_notebook, search_class
from ..data import Question, Reading, Selection, as_questions
from ..runtime import (
    Bill,
    Program,
    RunBudget,
    Scope,
    caching,
    check_priced,
    current_caching,
    run_in_background,
    total_paid,
)
from .header import RunLimits, about, identity
from .journal import FIRST, HEADER, Journal, read_header, read_question, read_rows
from .metrics import Metric, default_metrics
from .metrics.named import metrics_of
from .progress import Progress
from .report import show_number, write_summary
from .row import Row, answer_question
from .stopping import Stopping, budget_spent
from .summary import Summary, summarize

Watch = Callable[[Row, bool], None]
"""Called with a row and whether it is from an earlier run."""
Taken = ParamSpec("Taken")
Given = TypeVar("Given")
QuestionLike: TypeAlias = Question | dspy.Example | Mapping[str, Any]
"""A question in any of the forms that people have: ours, DSPy's, or a dict."""


@dataclass(frozen=True, slots=True)
class Evaluation(ShownInNotebooks):
    """A finished run."""

    folder: Path
    """The run's folder."""
    summary: Summary
    """The content of summary.json."""
    keep: Any = field(default=None, repr=False)
    """Holds on to a temporary folder while the evaluation is in use."""

    def __repr__(self) -> str:
        """The folder, and what it came to."""
        means = []
        for name, each in self.summary["metrics"].items():
            n = "" if each["n"] == self.summary["n"] else f" (n={each['n']:,})"
            means.append(f"{name} {show_number(name, each['mean'])}{n}")
        parts = [f"{self.summary['n']:,} questions", *means, f"errors {self.summary['n_error']:,}"]
        return f"Evaluation({self.folder}: {', '.join(parts)})"

    def __fspath__(self) -> str:
        """The folder: an evaluation is taken wherever the folder of a run is."""
        return os.fspath(self.folder)

    def rows(self) -> Iterator[Row]:
        """Every question's row, one at a time from disk."""
        last = {row["id"]: number for number, row in enumerate(read_rows(self.folder))}
        return (row for number, row in enumerate(read_rows(self.folder)) if last[row["id"]] == number)

    def search(self, question: str) -> Any:
        """Draw the search for a question's answer, given its id (`multihop.view.drawn_search.DrawnSearch`).

        Raises:
            InputError: The run has no finished question of that id.
        """
        return search_class().of_row(read_question(self.folder, question))


def open_run(folder: str | os.PathLike[str]) -> Evaluation:
    """A run that was made before, by its folder, with its summary so far.

    Raises:
        InputError: The folder holds no run, or a damaged one.
    """
    folder = Path(folder)
    return Evaluation(folder, summarize(read_rows(folder), read_header(folder), total_paid(folder)))


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The program, the questions and the options of a run: the arguments of `evaluate`.

    Args:
        program: The program that answers: a `Program`, or any `dspy.Module` that takes `question` and returns `answer`.
        questions: The questions: `Question`, `dspy.Example` or dicts; iterated over several times, one at a time.
        out: The run's folder; a temporary one by default.
        metrics: The metrics, each a name, a `Metric` or a function (`as_metric`); `default_metrics()` unless given.
        concurrency: Questions in flight at once.
        limit: Only the first so many questions; a later run with a higher limit goes on from there.
        offset: Pass over so many questions before; the limit counts from there.
        sample: Draw so many of the rest by their ids, the same ones on every machine; the limit counts those.
        sample_seed: Another seed draws other questions.
        timeout: Seconds after which a question counts as failed.
        seed: Another seed draws anew: answers of runs with other seeds are not used again.
        cache: The kept answers that are used: none ("off"), this run's own ("run"), or all that this machine has
            ("shared"); by default "shared" for a provider's LM and "run" for a server of your own (see `caching`).
        budget_usd: Begin no further question once the run has paid so many dollars, earlier calls of it included;
            several runs share a `RunBudget`. What is in flight is finished.
        progress: Show how far the run is, on a terminal or in a notebook; or an object that shows it.
        watch: Called with every row, and whether it comes from an earlier run or has just been finished.
        ray: Have this Ray cluster answer, an actor a CPU, such as "HOST:6379"; "local" starts Ray on this machine.
    """

    program: dspy.Module
    questions: Iterable[QuestionLike]
    _: KW_ONLY
    out: str | os.PathLike[str] | None = None
    metrics: Iterable[Metric | Callable[..., Any] | str] | None = None
    concurrency: int = 32
    limit: int | None = None
    offset: int = 0
    sample: int | None = None
    sample_seed: int = 0
    timeout: float | None = None
    seed: int | None = None
    cache: Scope | None = None
    budget_usd: float | RunBudget | None = None
    progress: bool | Progress = True
    watch: Watch | None = None
    ray: str | None = None

    def __post_init__(self) -> None:
        for name in ("concurrency", "limit"):
            if (number := getattr(self, name)) is not None and number < 1:
                raise InputError(f"{name} is a whole number from 1 on.")
        if self.timeout is not None and not self.timeout > 0:
            raise InputError(f"timeout is a number of seconds above 0, not {self.timeout}.")

    def shown(self, name: str, total: int) -> AbstractContextManager[Progress | None]:
        """The progress of so many questions, where somebody sees it."""
        if not isinstance(self.progress, bool):
            return self.progress
        if not self.progress or not (in_notebook() or (sys.stderr and sys.stderr.isatty())):
            return nullcontext()
        return Progress(name, total, lines=False)


def takes_arguments_of(other: Callable[Taken, object]) -> Callable[[Callable[..., Given]], Callable[Taken, Given]]:
    """Gives a function the signature of another one, for editors too, and its arguments' docs before the examples."""

    def taking(function: Callable[..., Given]) -> Callable[Taken, Given]:
        own, rest = (inspect.getdoc(function) or "").split("Raises:\n", 1)
        arguments = (inspect.getdoc(other) or "").partition("Args:\n")[2]
        function.__doc__ = f"{own}Args:\n{arguments}\n\nRaises:\n{rest}"
        returned = inspect.signature(function).return_annotation
        function.__signature__ = inspect.signature(other).replace(return_annotation=returned)  # type: ignore[attr-defined]
        return function

    return taking


@takes_arguments_of(RunOptions)
async def aevaluate(*arguments: Any, **options: Any) -> Evaluation:
    """`evaluate` for async code, which goes on meanwhile.

    Raises:
        InputError: The folder holds a run of something else, or cannot be written; or the program cannot be asked.
        RunFailed: The run was stopped; what is finished is kept.
    """
    asked = RunOptions(*arguments, **options)
    plan = _Plan(asked)
    await _answer_missing(asked, plan)
    return Evaluation(plan.folder, write_summary(plan.folder), plan.temporary)


@takes_arguments_of(RunOptions)
def evaluate(*arguments: Any, **options: Any) -> Evaluation:
    """Answer the questions, measure the answers, and keep every one of them in a journal.

    The same call again answers only what is missing, asks again what failed, and measures again what a metric failed
    on. A run is stopped where the first ten questions fail in the same way, or any twenty one after the other: the key
    is refused, the server is gone, the model unknown.

    Raises:
        InputError: The folder holds a run of something else, or cannot be written; or the program cannot be asked.
        RunFailed: The run was stopped; what is finished is kept.

    Examples:
        >>> import dspy
        >>> from multihop import Question, scripted
        >>> from multihop.evaluation import evaluate
        >>> from multihop.programs import Direct
        >>> questions = [Question(id="q1", question="Is water wet?", answers=("yes",))]
        >>> with dspy.context(lm=scripted([{"answer": "yes"}])):
        ...     run = evaluate(Direct(), questions)
        >>> run.summary["metrics"]["em"]["mean"]
        1.0
    """
    run = aevaluate(*arguments, **options)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(run)  # unlike the background loop, it lets an interrupt end the run in order
    return run_in_background(run)


class _Plan:
    """All that is decided before anything is asked; what cannot be run is refused."""

    def __init__(self, asked: RunOptions) -> None:
        if not isinstance(asked.program, Program):
            from .modules import check_module

            check_module(asked.program)
        self.budget = asked.budget_usd if isinstance(asked.budget_usd, RunBudget) else RunBudget(asked.budget_usd)
        self.metrics = default_metrics() if asked.metrics is None else metrics_of(asked.metrics)
        self.questions = as_questions(asked.questions)
        self.selection = Selection(asked.offset, asked.sample, asked.sample_seed)
        self.temporary = tempfile.TemporaryDirectory(prefix="multihop-run-") if asked.out is None else None
        self.folder = Path(self.temporary.name if self.temporary else asked.out)  # type: ignore[arg-type]
        if (self.folder / FIRST / HEADER).exists():
            raise MismatchError(f"{self.folder} holds repeats; give as many or more of them, or choose another folder.")
        draw = asked.seed or 0
        self.identity = identity(asked.program, self.questions, self.metrics, selection=self.selection, draw=draw)
        if self.identity["data"]["questions"] == 0:
            raise InputError("there are no questions to evaluate on.")
        limits: RunLimits = {
            "questions": asked.limit,
            "concurrency": asked.concurrency,
            "timeout": asked.timeout,
            "usd": self.budget.usd,
        }
        cache = asked.cache or current_caching.get().scope
        source = asked.questions.name if isinstance(asked.questions, Reading) else ""
        self.about = about(asked.program, self.metrics, seed=asked.seed, limits=limits, cache=cache, source=source)
        if self.budget.usd is not None:
            check_priced(self.about["prices"])


async def _answer_missing(asked: RunOptions, plan: _Plan) -> None:
    """Answer each question that has no answer yet, and measure again what a metric failed on."""
    total = plan.selection.count(plan.identity["data"]["questions"], asked.limit)
    unasked: list[Question] = []
    async with AsyncExitStack() as stack:
        display = stack.enter_context(asked.shown(plan.identity["program"]["name"], total))
        watches = [each for each in (display and display.watch, asked.watch) if each]

        def tell(row: Row, before: bool) -> None:
            for watch in watches:
                watch(row, before)

        earlier = partial(tell, before=True)
        journal = stack.enter_context(Journal(plan.folder, plan.identity, plan.about, earlier=earlier))
        bill = stack.enter_context(Bill(plan.folder, plan.budget))
        journal.check_questions(question.id for question in plan.selection.choose(plan.questions))
        outer = current_caching.get()
        draw = outer.draw if asked.seed is None else asked.seed
        stack.enter_context(caching(asked.cache or outer.scope, draw=draw, bill=bill))
        stack.enter_context(dspy.context(disable_history=True, trace=None))
        answer = await _answerer(asked, plan, bill, stack)

        def waiting() -> Iterator[Question]:
            for question in islice(plan.selection.choose(plan.questions), asked.limit):
                if question.id not in journal.finished:
                    if plan.budget.is_empty:
                        unasked.append(question)
                        return
                    yield question

        async def row_of(question: Question) -> Row:
            bill.check()
            return await answer(question, earlier=journal.unmeasured_row(question.id))

        stopping = Stopping(asked.out)
        await _answer_all(waiting(), row_of, asked.concurrency, journal, tell, stopping)
        if unasked:
            write_summary(plan.folder)
            raise budget_spent(plan.budget, asked.out)


async def _answerer(asked: RunOptions, plan: _Plan, bill: Bill, stack: AsyncExitStack) -> Callable[..., Awaitable[Row]]:
    """The function that answers a question: in this process, or by actors that end with the stack."""
    if asked.ray is not None:
        from .on_ray import actors_on, packed

        job = packed(asked.program, plan.metrics, concurrency=asked.concurrency, timeout=asked.timeout)
        actors = await stack.enter_async_context(actors_on(asked.ray, job, bill, most=asked.concurrency))
        return actors.row
    program: Any = asked.program
    if not isinstance(program, Program):
        from .modules import AnyModule

        program = AnyModule(program, asked.concurrency)
    return partial(answer_question, program, metrics=plan.metrics, timeout=asked.timeout)


async def _answer_all(
    waiting: Iterator[Question],
    row_of: Callable[[Question], Awaitable[Row]],
    concurrency: int,
    journal: Journal,
    watch: Watch,
    stopping: Stopping,
) -> None:
    """Keep so many questions in flight until none waits; one is in flight until it is on the disk."""
    finished: asyncio.Queue[tuple[Row, asyncio.Event] | None] = asyncio.Queue()
    began, worked = time.monotonic(), journal.worked

    async def take() -> None:
        for question in waiting:  # shared by all tasks: each takes the next one when it is free
            written, row = asyncio.Event(), await row_of(question)
            row["run_seconds"] = round(worked + time.monotonic() - began, 3)
            finished.put_nowait((row, written))
            await written.wait()

    async def write() -> RunFailed | None:
        ended, stop = False, None
        while not ended and stop is None:
            taken = [await finished.get()]
            while not finished.empty():  # they share one wait for the disk
                taken.append(finished.get_nowait())
            pairs = [pair for pair in taken if pair is not None]
            ended = len(pairs) < len(taken)
            await asyncio.to_thread(journal.append, [row for row, _ in pairs])
            for row, _ in pairs:
                watch(row, False)
                stop = stop or stopping.after(row)
            if stop is None:  # else nobody takes another question, however soon it would be answered
                for _, written in pairs:
                    written.set()
        return stop

    writer = asyncio.create_task(write())
    tasks = [asyncio.create_task(take()) for _ in range(concurrency)]
    answering = asyncio.gather(*tasks)
    awaited: set[asyncio.Future[Any]] = {writer, answering}
    try:
        await asyncio.wait(awaited, return_when=asyncio.FIRST_COMPLETED)
    finally:  # all is answered, or the disk refuses, or somebody interrupts: what is finished is written first
        for task in tasks:
            task.cancel()
        outcome = await asyncio.gather(answering, return_exceptions=True)
        finished.put_nowait(None)
        stop = await writer
    if stop is not None:
        left = [finished.get_nowait() for _ in range(finished.qsize())]
        journal.append(pair[0] for pair in left if pair is not None)
        raise stop
    for error in outcome:
        if isinstance(error, BaseException):
            raise error
