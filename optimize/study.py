"""Several variants of a program compiled, scored on a dev split and compared; the best one kept."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dspy
import ujson
from dspy.utils.exceptions import AdapterParseError

from ..base import InputError
from ..base.texts import say_count
from ..data import Question
from ..evaluation import default_metrics, evaluate
from ..evaluation.header import describe_questions, identity
from ..evaluation.metrics import F1
from ..evaluation.stopping import check_ending
from ..runtime import Bill, Cost, CostRecord, Program, Scope, apart_from_dspy, caching, current_caching
from .artefact import SavedProgram, about_lm, save
from .compiling import ENOUGH, compiled, made_program, small
from .demonstrations import Demonstrations, with_demonstrations
from .gold_examples import ExamplePool, check_steps, searched_gold, step_examples, steps_without_examples
from .outcomes import FEWEST, Gain, Outcome, gain_of, outcome_of_run, outcome_of_vote
from .stages import Spending, Spent, Stages, Tell, WatchStage
from .variants import ENSEMBLE, GIVEN, Tools, Variant, chosen_variants
from .work_folder import Pilot, WorkFolder

PILOT = 2
"""Training questions that are asked for the estimate."""
_COMPILE_CALLS, _MADE_WITH = "compile calls", "made with"


@dataclass(frozen=True, slots=True)
class Study:
    """All variants compared, and the best of them in a file."""

    outcomes: list[Outcome]
    best: str
    """The variant with the highest F1; of equals, the one with fewer calls. Never the ensemble, which is no program."""
    artefact: Path
    stopped: bool = False
    """True if the calls ran out before every variant was done."""
    calls: int = 0
    """LM calls that this invocation made."""
    calls_in_all: int = 0
    """LM calls of all invocations that went on with the same work."""
    skipped: list[str] = field(default_factory=list)
    """Variants that were not finished."""
    gain: Gain | None = None
    """The gain of the best variant over zero-shot; None where zero-shot is the best or was not scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """The options of a compile."""

    demos: "Demonstrations | str | os.PathLike[str] | None" = None
    """Demonstrations of your own, by step, or the JSON file that holds them, see `with_demonstrations`; with them, the
    variant `given` is one of the variants."""
    steps: bool = False
    """Compile each step alone on what gold says it should answer, instead of runs of the whole program."""
    rules: str = "hotpotqa"
    """The set whose official rules score the answers."""
    teacher: dspy.LM | None = None
    """The LM that makes demonstrations, where it is not the configured one."""
    writer: dspy.LM | None = None
    """The LM that writes instructions, where it is not the configured one."""
    max_calls: int | None = None
    """LM calls at most, in all invocations of this compile; then the best of what is finished is saved."""
    corpus: str | None = None
    """The corpus that the retriever was opened from, for the saved program to open again."""
    concurrency: int = 32
    """Questions in flight at once."""
    seed: int = 0
    """Draws the demonstrations that are made from gold, and is that of the optimizers."""
    cache: Scope | None = None
    """The kept answers that are used, see `caching`."""
    tell: Tell | None = None
    """Called with a line for every stage, and for every variant's score."""
    watch: WatchStage | None = None
    """Called with every `Stage` as it begins, and with every row that it scores; see `WatchStage`."""


def compile_variants(
    program: Program,
    variants: Sequence[str | Variant],
    *,
    train: Iterable[Question],
    dev: Iterable[Question],
    to: str | os.PathLike[str],
    **options: Any,
) -> Study:
    """Compile the program in each way, score each on the dev split, and save the best.

    The same call again goes on where it stopped: what is compiled is not compiled again, what is answered is not asked
    again. Optimizers see training questions only; the dev split decides between variants, so a score on it is a little
    too good for the winner.

    The variant `ensemble` lets the others vote on what they answered, without a call of its own. It is scored like
    them and never saved: load the files in `TO.work/variants` and give them to `dspy.Ensemble`.

    Args:
        program: The program to compile.
        variants: Names from `VARIANTS`, of installed packages, or MODULE:VARIANT; or variants of your own.
        train: Questions to learn from, with gold.
        dev: Questions to choose by; none of them may be in `train`.
        to: The file for the best program; the work is kept beside it, in `TO.work`.
        **options: See `CompileOptions`.

    Raises:
        InputError: The splits overlap, a variant lacks what it needs, the work beside the file is another compile's,
            or another process is at it.
        RunFailed: The LM fails again and again in the same way; what is finished is kept.
    """
    given, learn, held = CompileOptions(**options), list(train), list(dev)
    chosen, voters = _chosen(variants, given.demos)
    if given.steps or any(variant.labels for variant in chosen):
        check_steps(program)
    _check_splits(learn, held)
    shown = program if given.demos is None else with_demonstrations(program, given.demos)
    described = _described(program, learn, held, given)
    with (
        WorkFolder(to).opened(described) as work,
        Spending(given.max_calls, ledger=work.ledger) as spending,
        Bill(work.path) as bill,
        caching(given.cache or current_caching.get().scope, bill=bill),
        dspy.context(usage_tracker=spending, disable_history=True, num_threads=min(given.concurrency, 16)),
    ):
        compiling = _Compiling(program, shown, learn, held, given, work, Stages(spending, given.tell, given.watch))
        try:
            compiling.run(chosen, vote=bool(voters))
        except Spent:
            compiling.stages.tell(f"{spending.in_all:,} LM calls are used up")
    asked = [variant.name for variant in chosen] + [ENSEMBLE] * bool(voters)
    return compiling.saved(to, asked, {name: described[name] for name in ("train", "dev")})


@dataclass(slots=True)
class _Compiling:
    """One compile: its stages, and the outcomes so far."""

    program: Program
    shown: Program
    """The program with demonstrations of one's own, where there are any."""
    train: list[Question]
    dev: list[Question]
    options: CompileOptions
    work: WorkFolder
    stages: Stages
    outcomes: list[Outcome] = field(default_factory=list)

    def run(self, chosen: Sequence[Variant], *, vote: bool) -> None:
        """All stages one after the other."""
        made = self.make_examples(chosen)
        pilot = self.work.pilot or self.ask_pilot()
        compiling = {each.name: self.calls_to_compile(each, made, pilot) for each in chosen}
        scoring = {each.name: round(pilot.whole * self.work.unanswered(each.name, self.dev)) for each in chosen}
        missing = sum(calls for name, calls in compiling.items() if not self.work.compiled(name).exists())
        self.stages.tell(f"expects about {say_count(missing + sum(scoring.values()), 'LM call')}")
        for variant in chosen:
            self.compile(variant, made, compiling[variant.name])
            self.keep(self.score(variant, scoring[variant.name]))
        if vote:
            self.keep(outcome_of_vote(self.outcomes, self.dev, self.work))

    def keep(self, outcome: Outcome) -> None:
        """Keep an outcome, and tell it."""
        self.outcomes.append(outcome)
        self.stages.tell(outcome.in_a_line(self.dev))

    def make_examples(self, chosen: Sequence[Variant]) -> Mapping[str, ExamplePool]:
        """Examples of each step from the gold that can be read, where any are needed; steps without any are named.

        Raises:
            InputError: A variant needs more than there are; nothing has been paid for.
        """
        labels = [variant.labels for variant in chosen if variant.labels]
        if not labels and not self.options.steps:
            return {}
        self.stages.begin(f"making step examples from {len(self.train)} training questions")
        paths = searched_gold(self.program, self.train, seed=self.options.seed, tell=self.stages.tell)
        made = step_examples(self.program, paths)
        if without := steps_without_examples(made, paths):
            if not any(pool.examples for pool in made.values()):
                raise InputError(
                    f"{without}; take questions whose set tells them, or a variant that compiles whole runs."
                )
            self.stages.tell(without)
        for name, pool in made.items():
            for count in labels if pool.examples else ():
                pool.choose(count, seed=self.options.seed, step=name.partition(".")[0])
        return made

    def ask_pilot(self) -> Pilot:
        """The calls that a question takes, measured by asking a few, and noted."""
        self.stages.begin("estimating what it takes, on a few training questions")
        self.stages.spending.check()
        asked = self.train[:PILOT]
        whole = calls_a_question(self.program, asked)
        cheap = calls_a_question(small(self.program), asked) if self.program.small else whole
        return self.work.note_pilot(Pilot(whole=whole, cheap=cheap))

    def calls_to_compile(self, variant: Variant, made: Mapping[str, ExamplePool], pilot: Pilot) -> int:
        """An estimate of the calls that compiling by the variant takes."""
        if self.options.steps:
            return sum(variant.runs(min(ENOUGH, pool.questions)) for pool in made.values())
        return round(variant.runs(len(self.train)) * pilot.cheap)

    def compile(self, variant: Variant, made: Mapping[str, ExamplePool], expected: int) -> None:
        """Compile the program by the variant and keep what comes of it in its file, unless it is there already.

        Raises:
            InputError: The file was made with other demonstrations of one's own.
        """
        path, begun = self.work.compiled(variant.name), self.shown if variant.name == GIVEN else self.program
        digest = _digest_of_demos(begun) if variant.name == GIVEN else None
        if path.exists():
            if SavedProgram.read(path).about.get(_MADE_WITH) != digest:
                raise InputError(f"{path} was made with other demonstrations; choose another file.")
            return
        options, spending = self.options, self.stages.spending
        self.stages.begin(f"{variant.name}: {variant.what}", variant=variant.name, expected=expected)
        if variant.optimizer is not None:
            spending.check()
        before = spending.calls
        writer = apart_from_dspy(options.writer or dspy.settings.lm)
        tools = Tools(
            metric=F1(rules=options.rules), writer=writer, teacher=options.teacher, threads=16, seed=options.seed
        )
        examples = [question.to_example() for question in self.train]
        finished = compiled(begun, variant, tools=tools, questions=examples, steps=made, step_by_step=options.steps)
        path.parent.mkdir(parents=True, exist_ok=True)
        save(finished, path, about={_COMPILE_CALLS: spending.calls - before, _MADE_WITH: digest})

    def score(self, variant: Variant, expected: int) -> Outcome:
        """Answer the dev split with what the variant made, as it is in its file: interrupted or not, it is the same."""
        path = self.work.compiled(variant.name)
        what = f"{variant.name}: scoring on {say_count(len(self.dev), 'dev question')}"
        watch = self.stages.begin(what, variant=variant.name, questions=len(self.dev), expected=expected)
        if self.work.unanswered(variant.name, self.dev):
            self.stages.spending.check()
        run = evaluate(
            made_program(self.program, path),
            self.dev,
            out=self.work.run(variant.name),
            metrics=default_metrics(rules=self.options.rules),
            concurrency=self.options.concurrency,
            progress=False,
            watch=watch,
        )
        check_ending(run.rows(), run.folder)
        return outcome_of_run(variant.name, run.summary, SavedProgram.read(path).about.get(_COMPILE_CALLS, 0))

    def saved(self, to: str | os.PathLike[str], asked: Sequence[str], questions: Mapping[str, Any]) -> Study:
        """The best program in its file, and the study of all that were `asked` for."""
        options, spending = self.options, self.stages.spending
        if not self.outcomes:
            few = f"{options.max_calls:,} LM calls were not enough for one variant"
            raise InputError(f"{few}; give the same command again with more.")
        best = max((outcome for outcome in self.outcomes if not outcome.voters), key=lambda outcome: outcome.rank)
        scores = {
            each.variant: {"f1": each.f1, "em": each.em, "calls": each.calls, "n": each.n} for each in self.outcomes
        }
        about = {"optimizer": best.variant, **about_lm(dspy.settings.lm), **questions, "step by step": options.steps}
        winner = made_program(self.program, self.work.compiled(best.variant))
        save(winner, to, corpus=options.corpus, about={**about, "scores": scores})
        skipped = [name for name in asked if name not in scores]
        return Study(
            self.outcomes,
            best.variant,
            Path(to),
            bool(skipped),
            spending.calls,
            spending.in_all,
            skipped,
            gain_of(best, self.outcomes, self.work),
        )


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


def _described(program: Program, train: list[Question], dev: list[Question], options: CompileOptions) -> dict[str, Any]:
    """All that must be the same for the work to be gone on with, as plain values."""
    known = identity(program, train, [])
    return {
        "program": known["program"],
        "lm": known["lm"],
        "train": describe_questions(train),
        "dev": describe_questions(dev),
        "steps": options.steps,
        "seed": options.seed,
        "writer": options.writer.model if options.writer else None,
        "teacher": options.teacher.model if options.teacher else None,
    }


def _digest_of_demos(program: Program) -> str:
    """The digest of the demonstrations of one's own, which stand nowhere else in the work."""
    shown = {name: [dict(demo) for demo in predictor.demos] for name, predictor in program.named_predictors()}
    return hashlib.blake2b(ujson.dumps(shown, sort_keys=True).encode(), digest_size=16).hexdigest()


def _chosen(variants: Sequence[str | Variant], demos: Any) -> tuple[list[Variant], list[Variant]]:
    """The variants to compile, and those among them that vote: all if an ensemble is asked for, else none.

    Raises:
        InputError: One is unknown, or lacks what it needs.
    """
    every = chosen_variants([*variants, *([GIVEN] if demos is not None else [])])
    chosen = [variant for variant in every if variant.name != ENSEMBLE]
    names = {variant.name for variant in every}
    if demos is None and GIVEN in names:
        raise InputError(f"the variant '{GIVEN}' needs demonstrations of your own (on the command line, --demos FILE).")
    if ENSEMBLE in names and len(chosen) < FEWEST:
        raise InputError(f"an ensemble is a vote of at least {FEWEST} other variants; name more than {len(chosen)}.")
    return chosen, chosen if ENSEMBLE in names else []


def _check_splits(train: list[Question], dev: list[Question]) -> None:
    if not train or not dev:
        raise InputError("compiling needs training questions and dev questions; one of the two is empty.")
    both = {question.question for question in train} & {question.question for question in dev}
    if both:
        raise InputError(
            f"{len(both)} questions are in both the training and the dev questions, such as '{min(both)}'; "
            "what is trained on cannot be judged by."
        )
