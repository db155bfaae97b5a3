"""The base of every method: one door for LM calls, one for retrieval, and the record of both."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sized
from contextvars import ContextVar
from dataclasses import field
from functools import partial
from inspect import Parameter, signature
from typing import Annotated, Any, ClassVar, TypeVar, cast

import dspy
from dspy.utils.exceptions import AdapterParseError
from pydantic import Field, InstanceOf

from ..base import InputError, unknown
from ..base.imports import ShownInNotebooks, kebab_case
from ..retrieval import Hit, Passage, RetrieverLike, as_retriever
from ..retrieval import find as find_in_batches
from .branch import current_branch
from .call import Call
from .cost import Budget, OverBudget
from .log import watched_retrieval, watched_step
from .module import CopiedWhole, Module, run_in_background
from .prediction import Decision
from .prompt_texts import render, to_record
from .question import answered
from .settings import SpelledOut, WithSettings, check_setting, settings_of
from .step_lm import Gate
from .steps import AskStep, BudgetStep, FindStep, TrajectoryStep
from .streaming import relayed, steps_beside, tell_listener

Result = TypeVar("Result")
_reserve: ContextVar[int | None] = ContextVar("multihop_reserve", default=None)


class Program(ShownInNotebooks, CopiedWhole, WithSettings, Module):
    """A question-answering program: predictors as attributes, the method as plain control flow in `aforward`.

    Subclasses declare their settings as annotated fields, make their steps in `set_up`, and write
    `async def aforward(self, question)` once; calling the program synchronously runs the same code on a shared
    background loop. Nothing about a question is ever stored on the program, so one instance answers any number
    of questions at once.

    A class that has a constructor all the same takes `**settings` there, and passes them on.

    In `aforward`, `ask` calls an LM and `find` the retriever. `attempt` does either while the budget lasts, and
    gives None from then on: what searches goes through it, what answers in the end does not. `record` puts anything
    else that was done on the record.

    Every program returns a Prediction with `answer`, `passages` (best first), `evidence`, `trajectory` (every step
    taken, JSON-able), `cost` (see `Cost`) and `over_budget`.

    Examples:
        A method is a signature or two, and the algorithm:

        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.runtime import Program
        >>> class TwoGuesses(Program):
        ...     '''Answers twice; the second answer counts.'''
        ...
        ...     retrieves = False
        ...
        ...     def set_up(self):
        ...         self.guess = dspy.Predict("question, before -> answer")
        ...
        ...     async def aforward(self, question):
        ...         first = await self.ask(self.guess, question=question, before="")
        ...         return await self.ask(self.guess, question=question, before=first.answer)
        >>> with dspy.context(lm=scripted([{"answer": "Paris"}, {"answer": "Lyon"}])):
        ...     prediction = TwoGuesses()(question="Which city?")
        >>> prediction.answer, prediction.cost["calls_by_role"]
        ('Lyon', {'guess': 2})
    """

    name: ClassVar[str] = ""
    """The program's name in reports and files; a class that gives none is named after itself: TwoHops is `two-hops`."""
    paper: ClassVar[str] = ""
    """The paper that the method comes from."""
    calls: ClassVar[str] = ""
    """LM calls a question, in words."""
    retrieves = True
    """True if the method needs a retriever; where a setting decides, the instance says so."""
    small: ClassVar[dict[str, Any]] = {}
    """Settings under which a search is as small as one can be compiled with; empty where there is no search."""
    planner = ""
    """The step that decides what comes next, if there is one: the one that behaviour cloning imitates."""
    clone: ClassVar[str] = ""
    """The program that a cloned planner drives; empty if it is this one."""
    unasked = ""
    """The step that it holds and never asks, if there is one, such as what only its clone, or what it clones, asks."""

    __signature__: ClassVar[Any] = SpelledOut()

    retriever: Any = field(default=None, kw_only=False)
    """The retriever, also a function or one of DSPy's (`as_retriever`); programs that do not retrieve take none."""
    budget: Budget | None = None
    """The most that one question may cost; the search then stops and the program reads what it has."""
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 64
    """LM calls in flight at most, over all questions this program is answering."""
    retries: Annotated[int, Field(ge=0, le=10)] = 2
    """The number of times that an unparseable completion is asked for again, drawn at temperature 1 where the first was
    greedy: the same again would be of no use."""
    lms: Mapping[str, InstanceOf[dspy.BaseLM] | str] | None = None
    """The LM of a step, or its name, by the step's name, such as `{"read": "openai/gpt-4.1"}`; all other steps take the
    LM that DSPy is configured with."""
    cloned: tuple[str, ...] = ()
    """The steps whose LM was fine-tuned on them (`multihop clone`); compiling leaves their prompts as they are."""

    def __init__(self, retriever: RetrieverLike | None = None, **settings: Any) -> None:
        """Keep the retriever and the settings, by name; then `set_up`."""
        super().__init__()
        if retriever is not None and not self.retrieves and type(self).__init__ is Program.__init__:
            raise TypeError(f"{type(self).__name__} takes no retriever.")
        kind, valid = type(self).__name__, settings_of(type(self))
        for name in settings.keys() - valid.keys():
            raise unknown(f"setting of {kind}", name, valid)
        for name, setting in valid.items():
            value = check_setting(kind, name, settings[name], valid) if name in settings else setting.default
            if value is Parameter.empty:
                raise TypeError(f"{kind} needs the setting '{name}'.")
            setattr(self, name, value)
        self.retriever = None if retriever is None else as_retriever(retriever)
        self.lms = dict(self.lms or {})
        self.gate = Gate(self.concurrency)
        self.check_retriever()
        self.set_up()
        if type(self).__init__ is Program.__init__:  # else its steps are made later
            self.check_lms()

    def set_up(self) -> None:
        """Make the steps, as `dspy.Predict` and the like; the settings are there already."""

    def check_retriever(self) -> None:
        """Make sure that there is a retriever, where one is needed."""
        if self.retrieves and self.retriever is None:
            raise InputError(f"{type(self).__name__} retrieves: give it a retriever (on the command line, --corpus).")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" not in vars(cls):  # never that of the class it is made from: it is another method
            cls.name = kebab_case(cls.__name__)
        kinds = {each.kind for each in signature(cls.__init__).parameters.values()}
        if Parameter.KEYWORD_ONLY in kinds or Parameter.VAR_KEYWORD not in kinds:
            raise TypeError(
                f"the settings of {cls.__name__} are annotated fields of the class, such as k: int = 3, and its steps "
                "are made in set_up; a constructor takes **settings and passes them on."
            )

    def __repr__(self) -> str:
        """The class with the settings that are not at their defaults and what it searches, not with all its prompts."""
        usual = {name: setting.default for name, setting in settings_of(type(self)).items()}
        shown = [f"{name}={value!r}" for name, value in self.settings.items() if value != usual.get(name)]
        over = f" over {len(self.retriever):,} passages" if isinstance(self.retriever, Sized) else ""
        return f"{type(self).__name__}({', '.join(shown)}){over}"

    async def aforward(self, question: str) -> dspy.Prediction:
        """The method itself; subclasses write it."""
        raise NotImplementedError(f"{type(self).__name__} has no aforward")

    async def acall(self, question: str) -> dspy.Prediction:
        """The prediction for a question, awaited."""
        return await answered(self, question, partial(super().acall, question=question))

    def forward(self, question: str) -> dspy.Prediction:
        """The prediction for a question, for synchronous callers."""
        with dspy.context(send_stream=relayed(dspy.settings.send_stream, blocks=True)):
            return run_in_background(answered(self, question, partial(self.aforward, question)))

    def stream(self, question: str) -> AsyncGenerator[TrajectoryStep | dspy.Prediction, None]:
        """Every step as it is finished, with its "path", and the prediction last.

        What goes wrong is raised after the last step. Who leaves early, by `break` or by being cancelled, cancels the
        question's calls; `contextlib.aclosing` around the iterator waits until they are. `acall(question=...)` is the
        plain asynchronous call.

        Examples:
            >>> import asyncio, dspy
            >>> from multihop import BM25, OneStep, Passage, scripted
            >>> program = OneStep(BM25.build([Passage("1", "Torun", "Torun is a city.")]))
            >>> async def main():
            ...     with dspy.context(lm=scripted([{"answer": "a city"}])):
            ...         async for item in program.stream("What is Torun?"):
            ...             print(item.answer if isinstance(item, dspy.Prediction) else item["step"])
            >>> asyncio.run(main())
            find
            answer
            a city
        """

        async def prediction() -> AsyncGenerator[dspy.Prediction, None]:
            yield await self.acall(question=question)

        return steps_beside(prediction())

    @property
    def step_lms(self) -> dict[str, dspy.BaseLM]:
        """The LMs of the setting `lms`; one that is given by its name is opened when it is first needed."""
        lms = cast(dict[str, Any], self.lms)
        for step, lm in lms.items():
            if isinstance(lm, str):
                lms[step] = dspy.LM(lm)
        return lms

    @property
    def settings(self) -> dict[str, Any]:
        """The values of all settings, as the constructor takes them."""
        values = {name: getattr(self, name) for name in settings_of(type(self))}
        lms = {step: lm if isinstance(lm, str) else lm.model for step, lm in (self.lms or {}).items()} or None
        return {**values, "lms": lms}

    @property
    def fingerprints(self) -> dict[str, str]:
        """For each setting that names a place, such as a folder of weights, the fingerprint of what is there.

        Runs and saved programs are compared by it instead of the name.
        """
        return {}

    def most_calls(self) -> int | None:
        """LM calls a question at most, retries apart, as settings bound them: 12 for `resp`; None if unknown."""
        return int(self.calls) if self.calls.isdigit() else None

    def lm_of(self, predictor: str) -> dspy.BaseLM | None:
        """The LM that a predictor is asked with, by the name DSPy lists it under."""
        own = dict(self.named_predictors())[predictor].lm
        return own or self.step_lms.get(predictor.partition(".")[0]) or dspy.settings.lm

    @property
    def steps(self) -> list[str]:
        """The names of the program's steps, each the attribute that holds a predictor."""
        return [name for name, value in vars(self).items() if isinstance(value, dspy.Module)]

    def check_lms(self) -> None:
        """Refuse LMs for steps that this program does not have, and cloned ones among them."""
        for step in (*(self.lms or ()), *self.cloned):
            if step not in self.steps:
                raise unknown(f"step of {type(self).__name__}", step, self.steps)

    async def ask(
        self,
        predictor: dspy.Module,
        /,
        *,
        check: Callable[[dspy.Prediction], object] | None = None,
        draw: int = 0,
        logprobs: bool = False,
        **inputs: Any,
    ) -> dspy.Prediction:
        """Ask the predictor for its answer; the only way a program calls an LM.

        Passages and hits among the inputs are shown to the LM as "title | text" and recorded by their ids.
        A completion that cannot be parsed, or on which `check` raises ValueError, is asked for again. Inside
        `attempt`, a call that no longer fits the budget is not made. Where a method samples several answers to the same
        inputs, each has a `draw` of its own, from 1 on: it is drawn apart, at a temperature above 0. With `logprobs`,
        the answer has the probabilities of its tokens as `logprobs`, where the LM can tell them.

        Raises:
            OverBudget: Inside `attempt`, when the budget has run out.
            dspy.utils.exceptions.AdapterParseError: No attempt could be parsed.
        """
        branch, reserve, role = current_branch.get(), _reserve.get(), self.role_of(predictor)
        call = Call(
            predictor,
            role,
            lm=self.step_lms.get(role, dspy.settings.lm),
            gate=self.gate,
            retries=self.retries,
            check=check,
            draw=draw,
            logprobs=logprobs,
            cloned=role in self.cloned,
        )
        step = AskStep(step=role, inputs={name: to_record(value) for name, value in inputs.items()})
        branch.steps.append(step)  # its place is decided when it begins
        with watched_step(role, inputs) as work:
            try:
                async with asyncio.timeout(None if reserve is None else branch.account.seconds_left) as limit:
                    texts = {name: render(value) for name, value in inputs.items()}
                    prediction = work.outputs = await call.answer(texts, branch, reserve)
            except BaseException as error:
                step["error"] = OverBudget.__name__ if limit.expired() else type(error).__name__
                if limit.expired():
                    raise OverBudget(f"{branch.account.budget.seconds} seconds") from error
                raise
        step["outputs"] = {name: value for name, value in prediction.toDict().items() if name != "logprobs"}
        tell_listener(step, branch.path)
        return prediction

    async def attempt(self, work: Coroutine[Any, Any, Result], *, reserve: int = 1) -> Result | None:
        """The result of the work; None where the budget does not last for it, or an LM cannot be understood.

        All that a search asks for and finds goes through here; what answers in the end does not. The calls of the work
        are made while they fit the budget, with `reserve` calls left for what comes after.

        Args:
            work: The call, as `ask` or `find` returns it when not awaited, or any coroutine made of such calls.
            reserve: LM calls that the method will still need.

        Examples:
            >>> import dspy
            >>> from multihop import Budget, scripted
            >>> from multihop.runtime import Program
            >>> class Checked(Program):
            ...     retrieves = False
            ...
            ...     def set_up(self):
            ...         self.guess = dspy.Predict("question -> answer")
            ...         self.check = dspy.Predict("question, guess -> answer")
            ...
            ...     async def aforward(self, question):
            ...         guess = await self.ask(self.guess, question=question)
            ...         checking = self.ask(self.check, question=question, guess=guess.answer)
            ...         checked = await self.attempt(checking, reserve=0)
            ...         return guess if checked is None else checked
            >>> with dspy.context(lm=scripted([{"answer": "Paris"}])):
            ...     prediction = Checked(budget=Budget(calls=1))(question="Which city?")
            >>> prediction.answer, prediction.over_budget, prediction.trajectory[-1]
            ('Paris', True, {'step': 'over budget', 'limit': '1 calls'})
        """
        outer = _reserve.set(reserve)
        try:
            return await work
        except OverBudget as limit:
            current_branch.get().account.over_budget = True
            self.record(BudgetStep(step="over budget", limit=str(limit)))
        except AdapterParseError:
            pass  # counted where it happened
        finally:
            _reserve.reset(outer)
        return None

    @property
    def over_budget(self) -> bool:
        """True if the budget has ended the search for the question that is being answered."""
        return current_branch.get().account.over_budget

    def record(self, step: TrajectoryStep | dict[str, Any]) -> None:
        """Put a finished step on the record of the question being answered; `steps.py` has the kinds of step."""
        current_branch.get().note(cast(TrajectoryStep, step))

    async def find(self, query: str, k: int, where: Callable[[Passage], bool] = lambda passage: True) -> list[Hit]:
        """The `k` best hits for the query; concurrent queries go to the retriever as one batch.

        Args:
            query: The words to search for.
            k: The number of hits.
            where: A test of each hit; those that fail it are neither returned nor put on record.

        Raises:
            OverBudget: Inside `attempt`, when the time is over.
        """
        if self.retriever is None:
            raise InputError(f"{type(self).__name__} was built without a retriever.")
        step, branch = FindStep(step="find", query=query, k=k), current_branch.get()
        if _reserve.get() is not None:
            branch.account.check_time()
        branch.steps.append(step)
        branch.account.cost.retrievals += 1
        with watched_retrieval(type(self.retriever).__name__, query, k) as work:
            found = await find_in_batches(self.retriever, query, k)
            hits = work.outputs = [hit for hit in found if where(hit.passage)]
        branch.passages_by_id.update((hit.passage.id, hit.passage) for hit in hits)
        step["hits"] = [{"id": hit.passage.id, "title": hit.passage.title, "score": hit.score} for hit in hits]
        tell_listener(step, branch.path)
        return hits

    def decisions(self, question: str, prediction: dspy.Prediction) -> list[Decision] | None:
        """The planner's decisions on the path that a search chose; None for a program whose every call is on it."""
        return None

    def role_of(self, predictor: dspy.Module) -> str:
        """The name under which this program holds the predictor."""
        role = next((name for name, value in vars(self).items() if value is predictor), None)
        if role is None:
            raise InputError(f"{type(self).__name__} asks a predictor that is not one of its attributes: {predictor}")
        return role
