"""Several variants of a program compiled, scored on a dev split and compared; the best one kept.

`compile_variants` calls the stages of a compile one after the other; they follow below it in that order.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError, writing
from ..base.texts import say_count
from ..data import Question
from ..evaluation.header import describe_questions, identity
from ..evaluation.metrics import F1
from ..evaluation.report import show_n
from ..evaluation.row import Row
from ..retrieval import fingerprint
from ..runtime import Bill, Program, apart_from_dspy, caching, current_caching
from .artefact import SavedProgram, about_lm, about_tuned, digest_of, note_on_demonstrations, save, tuned_of
from .cloning import base_of, check_base, check_tuned_served
from .compile_options import CompileOptions, Stage
from .compiling import ENOUGH, answered, asking_tuned, calls_a_question, compiled, made_program, put_together, small
from .demonstrations import with_demonstrations
from .finetuning import HOSTS, asked_as, chat_lines, chat_rows, finetune
from .gold_examples import ExamplePool, check_steps, searched_gold, step_examples, steps_without_examples
from .outcomes import Outcome, Study, cheapest_of_the_best, gain_of, why_left_out
from .spending import Spending, Spent
from .tuning_rows import Lessons, unseen
from .variants import FINETUNED, GIVEN, Tools, Variant, check_settings, chosen_variants, variant_named, with_parts
from .work_folder import Pilot, WorkFolder

FROM = {"gold": "gold", "runs": "runs that come out right", "both": "gold and runs that come out right"}
PILOT = 2
"""Training questions that are asked for the estimate."""
_COMPILE_CALLS, _MADE_WITH = "compile calls", "made with"


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

    `TO.work/variants` holds the program that each variant made, such as for `dspy.Ensemble`.

    Args:
        program: The program to compile.
        variants: Names from `VARIANTS`, of installed packages, or MODULE:VARIANT; or variants of your own. Or
            STEP=VARIANT/STEP=VARIANT, to put together steps that different variants made.
        train: Questions to learn from, with gold.
        dev: Questions to choose by; none of them may be in `train`.
        to: The file for the best program; the work is kept beside it, in `TO.work`.
        **options: See `CompileOptions`.

    Raises:
        InputError: The splits overlap, a variant lacks what it needs, the work beside the file is another compile's,
            or another process is at it.
        RunFailed: The LM fails again and again in the same way; what is finished is kept.
    """
    given, learned, held = CompileOptions(**options), list(train), list(dev)
    given = replace(given, validation=list(given.validation))
    chosen = chosen_variants([*variants, *([] if given.demos is None else [GIVEN])], given.seeds)
    used = with_parts(chosen)
    check_settings(used, given.settings)
    if given.demos is None and any(variant.name == GIVEN for variant in used):
        raise InputError(f"the variant '{GIVEN}' needs demonstrations of your own (on the command line, --demos FILE).")
    if given.steps or any(variant.labels for variant in used):
        check_steps(program)
    if any(variant.base == FINETUNED for variant in used):
        check_base(given)
    elif given.finetune:
        raise InputError("finetune names a model to train, and no variant trains one: add finetuned to the variants.")
    _check_splits(learned, held, given.validation)
    if not given.validation and (guided := [variant.name for variant in used if variant.chooses]):
        given.tell(f"{', '.join(guided)}: chosen by the questions that it learns from; --val names others")
    shown = program if given.demos is None else with_demonstrations(program, given.demos)
    described = _described(program, learned, held, given)
    with _opened(to, described, given) as (work, spending):
        compiling = _Compiling(program, shown, learned, held, given, work, spending)
        try:
            examples = compiling.make_examples(chosen)
            expected = compiling.expect(chosen, examples)
            for variant, (to_compile, to_score) in zip(chosen, expected, strict=True):
                if compiling.compile(variant, examples, to_compile):
                    compiling.score(variant, to_score)
        except Spent:
            given.tell(f"{spending.in_all:,} LM calls are used up")
    return compiling.saved(to, chosen, {name: described[name] for name in ("train", "dev")})


def write_rows(
    program: Program,
    file: str | os.PathLike[str],
    *,
    train: Iterable[Question],
    dev: Iterable[Question],
    to: str | os.PathLike[str],
    **options: Any,
) -> int:
    """Write what the variant `finetuned` would learn to a chat file, and return the number of rows.

    From gold no LM is asked; runs are kept in `TO.work`, where `compile_variants` finds them again.
    """
    given, learned, held = CompileOptions(**options), list(train), list(dev)
    given = replace(given, validation=list(given.validation))
    _check_splits(learned, held, given.validation)
    of_gold = given.learn_from == "gold"
    unopened = nullcontext((WorkFolder(to), Spending()))
    with unopened if of_gold else _opened(to, _described(program, learned, held, given), given) as (work, spending):
        try:
            rows, _ = _Compiling(program, program, learned, held, given, work, spending).rows(given.seed)
        except Spent:
            raise InputError(
                f"{spending.in_all:,} LM calls are used up; give the same command again with more."
            ) from None
    with writing(file) as out:
        out.write(chat_lines(rows))
    return len(rows)


def _check_splits(train: list[Question], dev: list[Question], validation: Sequence[Question]) -> None:
    if not train or not dev:
        raise InputError("compiling needs training questions and dev questions; one of the two is empty.")
    asked = {question.question for question in dev}
    for what, learned in (("training", train), ("validation", validation)):
        if both := asked & {question.question for question in learned}:
            raise InputError(
                f"{len(both)} questions are in both the {what} and the dev questions, such as '{min(both)}'; "
                "what is trained on cannot be judged by."
            )


def _described(program: Program, train: list[Question], dev: list[Question], options: CompileOptions) -> dict[str, Any]:
    """All that must be the same for the work to be gone on with, as plain values."""
    known = identity(program, train, [])
    return {
        "program": known["program"],
        "lm": known["lm"],
        "train": describe_questions(train),
        "dev": describe_questions(dev),
        **({"validation": describe_questions(options.validation)} if options.validation else {}),
        **({"settings": options.settings} if options.settings else {}),
        "steps": options.steps,
        "seed": options.seed,
        "writer": options.writer.model if options.writer else None,
        "teacher": options.teacher.model if options.teacher else None,
    }


@contextmanager
def _opened(
    to: str | os.PathLike[str], described: dict[str, Any], options: CompileOptions
) -> Iterator[tuple[WorkFolder, Spending]]:
    """The folder of the work and the count of its calls, while answers are kept there."""
    with (
        WorkFolder(to).opened(described) as work,
        Spending(options.max_calls, ledger=work.path / "calls") as spending,
        Bill(work.path) as bill,
        caching(options.cache or current_caching.get().scope, bill=bill),
        dspy.context(usage_tracker=spending, disable_history=True, num_threads=min(options.concurrency, 16)),
    ):
        yield work, spending


@dataclass(slots=True)
class _Compiling:
    """One compile: its stages, and the outcomes so far."""

    program: Program
    shown: Program
    """The program with the user's own demonstrations, where there are any."""
    train: list[Question]
    dev: list[Question]
    options: CompileOptions
    work: WorkFolder
    spending: Spending
    outcomes: list[Outcome] = field(default_factory=list)
    failed: dict[str, Exception] = field(default_factory=dict)
    searched: dict[str, list[str]] = field(default_factory=dict)
    """What rows of several seeds share, see `Lessons`."""

    def begin(self, what: str, **more: Any) -> Callable[[Row, bool], None]:
        """A stage begins; call what is returned with every row that it scores."""
        before = self.spending.calls
        stage = Stage(what, **more, calls=lambda: self.spending.calls - before)
        self.options.tell(what)
        self.options.watch(stage, None, False)
        return lambda row, earlier: self.options.watch(stage, row, earlier)

    def make_examples(self, chosen: Sequence[Variant]) -> Mapping[str, ExamplePool]:
        """Examples of each step from the gold that can be read, where any are needed; steps without any are named."""
        labels = [variant.labels for variant in with_parts(chosen) if variant.labels]
        if not labels and not self.options.steps:
            return {}
        self.begin(f"making step examples from {len(self.train)} training questions")
        paths = searched_gold(self.program, self.train, seed=self.options.seed, tell=self.options.tell)
        made = step_examples(self.program, paths)
        if without := steps_without_examples(made, paths):
            if not any(pool.examples for pool in made.values()):
                raise InputError(
                    f"{without}; take questions whose set tells them, or a variant that compiles whole runs."
                )
            self.options.tell(without)
        for name, pool in made.items():
            for count in labels if pool.examples else ():
                pool.choose(count, seed=self.options.seed, step=name.partition(".")[0])
        return made

    def expect(self, chosen: Sequence[Variant], examples: Mapping[str, ExamplePool]) -> list[tuple[int, int]]:
        """Estimates of the calls to compile and to score each variant, from those of a question; the sum is told."""
        pilot = self.work.pilot(self.ask_pilot)
        expected, missing = [], 0
        for each in chosen:
            if each.base == FINETUNED:
                to_compile = 0 if self.options.learn_from == "gold" else round(len(self.train) * pilot.cheap)
            elif self.options.steps:
                to_compile = sum(each.runs(min(ENOUGH, pool.questions)) for pool in examples.values())
            else:
                to_compile = round(each.runs(len(self.train)) * pilot.cheap)
            to_score = round(pilot.whole * self.work.unanswered(each.name, self.dev))
            missing += to_score + (0 if self.work.compiled(each.name).exists() else to_compile)
            expected.append((to_compile, to_score))
        self.options.tell(f"expects about {say_count(missing, 'LM call')}")
        return expected

    def ask_pilot(self) -> Pilot:
        """The calls that a question takes, measured by asking a few."""
        self.begin("estimating what it takes, on a few training questions")
        self.spending.check()
        asked = self.train[:PILOT]
        whole = calls_a_question(self.program, asked)
        cheap = calls_a_question(small(self.program), asked) if self.program.small else whole
        return Pilot(whole=whole, cheap=cheap)

    def compile(self, variant: Variant, examples: Mapping[str, ExamplePool], expected: int) -> bool:
        """Compile by the variant and keep the program in its file, unless it is there; False where that failed."""
        made = {part: self.compile(variant_named(part), examples, expected) for part in set(variant.parts.values())}
        if lacking := [part for part, is_made in made.items() if not is_made]:
            self.failed[variant.name] = self.failed[lacking[0]]
            return False
        path, begun = self.work.compiled(variant.name), self.shown if variant.name == GIVEN else self.program
        digest = self.made_with(variant)
        if path.exists():
            if SavedProgram.read(path).about.get(_MADE_WITH) != digest:
                other = "demonstrations" if variant.name == GIVEN else "options of the training or passages"
                raise InputError(f"{path} was made with other {other}; choose another file.")
            return True
        self.begin(f"{variant.name}: {variant.what}", variant=variant.name, expected=expected)
        if variant.optimizer is not None:
            self.spending.check()
        options, before = self.options, self.spending.calls
        try:
            finished, about = self.made(variant, begun, examples, expected)
        except Exception as error:  # whatever an optimizer stumbles over, the other variants are worth having
            self.failed[variant.name] = error
            options.tell(f"{variant.name} is left out: {why_left_out(error)}")
            return False
        if note := note_on_demonstrations(finished):
            options.tell(f"{variant.name}: {note}")
        save(finished, path, about={**about, _COMPILE_CALLS: self.spending.calls - before, _MADE_WITH: digest})
        return True

    def made_with(self, variant: Variant) -> str | None:
        """The digest of what decides a variant and stands nowhere else in the work; None where nothing does."""
        options, searched = self.options, self.program.retriever
        if variant.name == GIVEN:
            return digest_of({name: list(map(dict, each.demos)) for name, each in self.shown.named_predictors()})
        if variant.base == FINETUNED:
            known = None if searched is None else fingerprint(searched)
            decides = [options.finetune, dict(options.training), options.learn_from, options.most_rows, known]
            return digest_of(decides)
        return None

    def made(
        self, variant: Variant, begun: Program, examples: Mapping[str, ExamplePool], expected: int
    ) -> tuple[Program, dict[str, Any]]:
        """The program as the variant makes it, and facts for its file."""
        options, path = self.options, self.work.compiled(variant.name)
        if variant.base == FINETUNED:
            seed, base, output = options.seed + variant.seed, base_of(options), str(self.work.path / "models")
            rows, steps = self.rows(seed, variant.name, expected)
            training = {**({} if base.startswith(HOSTS) else {"output": output}), "seed": seed, **options.training}
            tuned = finetune(base, rows, name=self.program.name, tell=options.tell, **training)
            return asking_tuned(begun, tuned.lm, steps), {"tuned": about_tuned(tuned, path)}
        if variant.parts:
            files = {step: SavedProgram.read(self.work.compiled(part)) for step, part in variant.parts.items()}
            about = {name: each for file in files.values() for name, each in tuned_of(file, path).items()}
            return put_together(begun, {step: made_program(begun, file) for step, file in files.items()}), about
        tools = Tools(
            metric=F1(rules=options.rules),
            writer=apart_from_dspy(options.writer or dspy.settings.lm),
            teacher=options.teacher,
            validation=[question.to_example() for question in options.validation],
            given=options.settings.get(variant.base, {}),
            seed=options.seed + variant.seed,
        )
        asked = [question.to_example() for question in self.train]
        return compiled(begun, variant, tools=tools, questions=asked, steps=examples, step_by_step=options.steps), {}

    def rows(self, seed: int, variant: str | None = None, expected: int | None = None) -> tuple[list[Any], list[str]]:
        """Conversations that the variant `finetuned` learns, and the steps that learn.

        They are the right decisions of every step that is asked and has no LM of its own; none is of a question that is
        held back.
        """
        options, program, count, runs = self.options, self.program, len(self.train), self.work.path / "runs"
        what = f"making rows of {say_count(count, 'training question')}, from {FROM[options.learn_from]}"
        scored = 0 if options.learn_from == "gold" else count
        watch = self.begin(what, variant=variant, questions=scored, expected=expected)
        learned = unseen(self.train, [*self.dev, *options.validation])
        if left := count - len(learned):
            options.tell(f"{left:,} training questions are held back too, by id or wording: left out")
        steps = [each for each in program.steps if each not in (program.lms or {})]
        asked = [each for each in steps if each != program.unasked]
        lessons = Lessons(program, learned, asked, seed, options.most_rows, options.tell, self.searched)
        if options.learn_from != "runs":
            lessons.add_gold()
        if options.learn_from != "gold":
            cheap = small(program)  # as for optimizers
            with dspy.context(lm=options.teacher or dspy.settings.lm):
                answered(cheap, learned, runs, options, watch)
            lessons.add_run(runs, cheap, only_right=True)
        decisions = lessons.drawn()
        if not decisions:
            raise InputError(f"the {len(learned):,} training questions teach no step of {program.name}.")
        rows, taught = chat_rows(program, decisions, lm=asked_as(base_of(options))), {each.step for each in decisions}
        if empty := len(decisions) - len(rows):
            options.tell(
                f"{empty:,} of these answers are one empty text, which cannot be said in plain words: left out"
            )
        return rows, [each for each in steps if each in taught or each == program.unasked]

    def score(self, variant: Variant, expected: int) -> None:
        """Answer the dev split with what the variant made, read from its file whether or not it was just compiled."""
        saved = SavedProgram.read(self.work.compiled(variant.name))
        if asks := bool(self.work.unanswered(variant.name, self.dev)):
            try:
                check_tuned_served(saved)
            except InputError as error:
                self.failed[variant.name] = error
                self.options.tell(f"{variant.name} is left out: {error}")
                return
        what = f"{variant.name}: scoring on {say_count(len(self.dev), 'dev question')}"
        watch = self.begin(what, variant=variant.name, questions=len(self.dev), expected=expected)
        if asks:
            self.spending.check()
        made, folder = made_program(self.program, saved), self.work.run(variant.name)
        run = answered(made, self.dev, folder, self.options, watch)
        outcome = Outcome.of_run(variant.name, run.summary, saved.about.get(_COMPILE_CALLS, 0))
        self.outcomes.append(outcome)
        means = f"f1 {100 * outcome.f1['mean']:.1f}, em {100 * outcome.em['mean']:.1f}"
        self.options.tell(f"{variant.name}: {means}{show_n(outcome.n, len(self.dev))}")

    def saved(self, to: str | os.PathLike[str], asked: Sequence[Variant], questions: Mapping[str, Any]) -> Study:
        """Write the best program to its file, and return the study of all variants that were `asked` for."""
        options, outcomes = self.options, self.outcomes
        if not outcomes and self.failed:
            raise next(iter(self.failed.values()))
        if not outcomes:
            few = f"{options.max_calls:,} LM calls were not enough for one variant"
            raise InputError(f"{few}; give the same command again with more.")
        best, highest = cheapest_of_the_best(outcomes, self.work.run)
        scores = {each.variant: {"f1": each.f1, "em": each.em, "calls": each.calls, "n": each.n} for each in outcomes}
        made = SavedProgram.read(self.work.compiled(best.variant))
        winner, tuned = made_program(self.program, made), tuned_of(made, to)
        lm = dspy.settings.lm if set(winner.steps) - set(winner.cloned) else winner.step_lms[winner.steps[0]]
        about = {"optimizer": best.variant, **about_lm(lm), **questions, "step by step": options.steps, **tuned}
        save(winner, to, corpus=options.corpus, about={**about, "scores": scores})
        skipped = [each.name for each in asked if each.name not in scores and each.name not in self.failed]
        return Study(
            outcomes=outcomes,
            best=best.variant,
            artefact=Path(to),
            highest=highest.variant,
            stopped=bool(skipped),
            calls=self.spending.calls,
            calls_in_all=self.spending.in_all,
            skipped=skipped,
            failed={name: why_left_out(error) for name, error in self.failed.items()},
            gain=gain_of(highest, outcomes, self.work),
        )
