"""One program compiled by one variant: end to end on a cheap configuration, or step by step on gold."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import dspy
from dspy.utils.callback import BaseCallback
from dspy.utils.exceptions import AdapterParseError

from ..base import InputError, RunFailed, check_known
from ..data import Question
from ..evaluation import Evaluation, default_metrics, evaluate
from ..evaluation.metrics.answer import f1
from ..evaluation.metrics.metric import Score
from ..evaluation.row import Row, cause_of, failure_of
from ..evaluation.stopping import Streak, as_sentence, check_ending
from ..lms.own_server import PROVIDER
from ..programs.registry import create_again
from ..programs.shared.sub_questions import read_score
from ..runtime import Cost, CostRecord, Gate, Program, ask_alone, run_in_background
from ..runtime.adapters import asking_in_texts
from .artefact import SavedProgram
from .compile_options import CompileOptions
from .gold_examples import ExamplePool
from .loading import load
from .variants import Tools, Variant

LABELS = 4
"""Demonstrations that come straight from gold, where a step is compiled alone."""
ENOUGH = 16
"""Examples of a step that an optimizer is given; more cost calls and teach little."""
ACCEPT = 0.7
"""The score from which a step's answer may become a demonstration."""
_FREE = frozenset({"reasoning", "thought"})
"""Fields in which any wording will do."""


def compiled(
    program: Program,
    variant: Variant,
    *,
    tools: Tools,
    questions: Sequence[dspy.Example] = (),
    steps: Mapping[str, ExamplePool] | None = None,
    step_by_step: bool = False,
) -> Program:
    """A copy of the program with demonstrations and instructions as the variant finds them.

    Whole runs learn from training questions, and single steps from `steps`, see `step_examples`. A program that
    searches is compiled in a small configuration of itself, whose state then goes into the full one. Steps that are
    `cloned` are asked as they were trained, so they keep what they have.
    """
    finished: Program = program.deepcopy()
    free = {name: each for name, each in finished.named_predictors() if _step(name) not in finished.cloned}
    whole_runs = variant.optimizer is not None and not step_by_step
    if variant.labels:
        for name, predictor in free.items():
            if steps and steps[name].examples:
                predictor.demos = steps[name].choose(variant.labels, seed=tools.seed, step=name)
    elif whole_runs and not questions:
        raise InputError("compiling needs training questions, and there are none.")
    elif whole_runs:
        trained = dict(_optimized(small(program), variant, tools, questions).named_predictors())
        for name, predictor in free.items():
            _take_state(predictor, trained[name])
    elif variant.optimizer is not None:
        for name, predictor in free.items():
            if steps and (examples := steps[name].sample(ENOUGH, seed=tools.seed)):
                _compile_step(finished, _step(name), predictor, variant, tools, examples)
    return finished


def put_together(program: Program, parts: Mapping[str, Program]) -> Program:
    """A copy of the program, each of whose steps named here is that of another one."""
    finished: Program = program.deepcopy()
    for name in parts:
        check_known(f"step of {program.name}", name, program.steps)
    for name, predictor in finished.named_predictors():
        if other := parts.get(_step(name)):
            _take_state(predictor, dict(other.named_predictors())[name])
    for step, other in parts.items():
        if step in other.cloned and step not in program.cloned:
            finished = asking_tuned(finished, (other.lms or {})[step], [step])
    return finished


def _step(predictor: str) -> str:
    """The step of a predictor, by the name that DSPy lists it under."""
    return predictor.partition(".")[0]


def calls_a_question(program: Program, questions: Sequence[Question]) -> float:
    """The mean of the LM calls that the questions take."""
    total = 0
    for question in questions:
        cost: CostRecord
        try:
            cost = program(question=question.question).cost
        except AdapterParseError as error:  # it has cost what it has cost
            cost = getattr(error, "cost", Cost().to_dict())
        total += cost["calls"]
    return total / max(1, len(questions))


def answered(
    program: Program,
    questions: Sequence[Question],
    folder: Path,
    options: CompileOptions,
    watch: Callable[[Row, bool], None],
) -> Evaluation:
    """The answers to the questions, with what an earlier invocation asked; ends where all fail in the same way."""
    metrics, at_once = default_metrics(rules=options.rules), options.concurrency
    run = evaluate(program, questions, out=folder, metrics=metrics, concurrency=at_once, progress=False, watch=watch)
    check_ending(run.rows(), run.folder)
    return run


def asking_tuned(program: Program, lm: str, steps: Sequence[str]) -> Program:
    """The program with these steps asking the LM that was trained on them, in the form of its training."""
    lms = {**(program.lms or {}), **dict.fromkeys(steps, lm)}
    twin = _made_again(program, lms=lms, cloned=tuple(dict.fromkeys([*program.cloned, *steps])))
    for name, predictor in twin.named_predictors():
        if _step(name) in steps:
            predictor.demos = []  # none was there to learn from
    return twin


def small(program: Program) -> Program:
    """The program with its search made small; it has the steps, demonstrations and instructions of the large one."""
    return _made_again(program, **program.small)


def _made_again(program: Program, **settings: Any) -> Program:
    """The program with other settings, and with the demonstrations and instructions that it has."""
    twin = create_again(program, **settings)
    for mine, other in zip(twin.predictors(), program.predictors(), strict=True):
        _take_state(mine, other)
    return twin


def made_program(program: Program, saved: SavedProgram) -> Program:
    """The program that a variant made of this one, from its file; a tuned LM is asked where the configured one is."""
    beside = dspy.settings.lm
    lms: dict[str, Any] = {**saved.step_lms, **(program.lms or {})}
    if beside is not None and beside.model.startswith(f"{PROVIDER}/"):
        lms |= {step: beside.copy(model=name) for step, name in saved.served.items()}
    return load(saved, program.retriever, settings={"lms": lms} if lms else {}, program=type(program))


def _take_state(predictor: dspy.Predict, other: dspy.Predict) -> None:
    """Take over demonstrations and instructions; the LM stays."""
    predictor.demos, predictor.signature = list(other.demos), other.signature


class Alone(dspy.Module):
    """One step as a program of its own, for DSPy's optimizers."""

    def __init__(self, step: dspy.Module) -> None:
        super().__init__()
        self.step = step
        self.gate = Gate(64)

    async def aforward(self, **inputs: Any) -> dspy.Prediction:
        """Ask the step."""
        return await ask_alone(self.step, inputs, role="step", gate=self.gate)

    def forward(self, **inputs: Any) -> dspy.Prediction:
        """Ask the step, for callers that wait."""
        return run_in_background(self.aforward(**inputs))


def _compile_step(
    program: Program,
    step: str,
    predictor: dspy.Predict,
    variant: Variant,
    tools: Tools,
    examples: Sequence[dspy.Example],
) -> None:
    """Compile one step alone on its examples, and put what was found into the program's predictor."""
    alone = Alone(getattr(program, step).deepcopy())
    with dspy.context(lm=program.step_lms.get(step, dspy.settings.lm)):
        trained = _optimized(alone, variant, replace(tools, metric=step_metric, labels=LABELS), examples)
    (found,) = trained.predictors()
    _take_state(predictor, found)


def _optimized(module: dspy.Module, variant: Variant, tools: Tools, examples: Sequence[dspy.Example]) -> dspy.Module:
    tools = replace(tools, examples=len(examples))
    optimizer: Any = variant.optimizer(tools) if variant.optimizer else None
    with asking_in_texts(), ended_by_equal_failures():
        trained: dspy.Module = optimizer.compile(module, trainset=list(examples), **variant.arguments_of(tools))
    return trained


def step_metric(gold: Any, pred: Any, trace: Any = None, pred_name: str | None = None, pred_trace: Any = None) -> Score:
    """The mean over the output fields that the example gives: equality for verdicts, shared words for texts."""
    wanted = {name: value for name, value in gold.labels().items() if name not in _FREE}
    scores = {name: _field(name, value, pred) for name, value in wanted.items()}
    missed = [name for name, score in scores.items() if score < ACCEPT]
    wrong = [f"{name} is {pred.get(name)!r} and should be {wanted[name]!r}" for name in missed]
    mean = sum(scores.values()) / len(scores) if scores else 0.0
    return Score(score=mean, feedback="; ".join(wrong) or "everything is as it should be", accept=ACCEPT)


def _field(name: str, wanted: Any, pred: Any) -> float:
    if name != "score":
        return _agreement(wanted, pred.get(name))
    try:
        return 1 - abs(read_score(pred) - float(wanted) / 10)
    except ValueError:
        return 0.0


def _agreement(wanted: Any, said: Any) -> float:
    if said is None:
        return 0.0
    if isinstance(wanted, bool):
        return float(bool(said) == wanted)
    if isinstance(wanted, list):
        found = [max((_agreement(each, other) for other in said), default=0.0) for each in wanted]
        return sum(found) / len(found) if found else float(not said)
    if not str(wanted).strip():
        return float(not str(said).strip())
    return f1(str(said), str(wanted))


class Failing(BaseException):
    """All fails in the same way; not an Exception, so that no optimizer takes it for a question that failed."""


@contextmanager
def ended_by_equal_failures() -> Iterator[None]:
    """A block that ends where the first ten LM calls fail in the same way, or any twenty one after the other."""
    calls = _Calls()
    try:
        with dspy.context(callbacks=[*(dspy.settings.callbacks or ()), calls]):
            yield
    except Failing as error:
        raise RunFailed(str(error)) from error.__cause__
    except Exception as error:
        if (ending := calls.streak.ending) is None:
            raise
        raise RunFailed(_told(*ending)) from error


class _Calls(BaseCallback):  # type: ignore[misc]
    """Hears how each call of an LM ends."""

    def __init__(self) -> None:
        self.streak = Streak("LM calls")
        self.end = ""
        """The sentence with which everything ends, of the call that was once too often; those beside it repeat it."""
        self._lock = threading.Lock()

    def on_lm_end(self, call_id: str, outputs: Any, exception: BaseException | None = None) -> None:
        """Count it, and end everything once that is too often."""
        if exception is not None and not isinstance(exception, Exception):
            return  # it was given up
        failure = None if exception is None else failure_of(exception)
        with self._lock:
            how_often = self.streak.after(failure)
            if failure is None or how_often is None:
                return
            self.end = self.end or _told(cause_of(failure), how_often)
        raise Failing(self.end) from exception


def _told(cause: str, how_often: str) -> str:
    return f"{as_sentence(cause)} {how_often}; the compile was stopped, the same command goes on with it."
