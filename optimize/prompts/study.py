"""Several variants of a program compiled, scored on a dev split and compared; the best one kept."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dspy

from ...base import InputError
from ...base.texts import say_count
from ...data import Question
from ...evaluation import default_metrics, evaluate
from ...evaluation.journal.header import describe_questions, identity
from ...evaluation.metrics import F1
from ...evaluation.stopping import check_ending
from ...runtime import Bill, Program, Scope, apart_from_dspy, caching, current_caching
from ..artefact import about_artefact, save
from ..compiled_for import about_lm
from .choosing import ExamplePool
from .demonstrations import Demonstrations, with_demonstrations
from .estimate import Pilot, ask_pilot, known_pilot
from .making import COMPILE_CALLS, check_made_with, made_program, make
from .outcomes import FEWEST, Gain, Outcome, gain_of, outcome_of_run, outcome_of_vote
from .stages import Spending, Spent, Stages, Tell, WatchStage
from .steps import check_steps, scenes_for, step_examples, untold
from .variants import ENSEMBLE, GIVEN, Tools, Variant, chosen_variants
from .work_folder import WorkFolder


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


def compile_variants(
    program: Program,
    variants: Sequence[str | Variant],
    *,
    train: Iterable[Question],
    dev: Iterable[Question],
    to: str | os.PathLike[str],
    demos: "Demonstrations | str | os.PathLike[str] | None" = None,
    steps: bool = False,
    rules: str = "hotpotqa",
    teacher: dspy.LM | None = None,
    writer: dspy.LM | None = None,
    max_calls: int | None = None,
    corpus: str | None = None,
    concurrency: int = 32,
    seed: int = 0,
    cache: Scope | None = None,
    tell: Tell | None = None,
    watch: WatchStage | None = None,
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
        demos: Demonstrations of your own, by step, or the JSON file that holds them, see `with_demonstrations`; with
            them, the variant `given` is one of the variants.
        steps: Compile each step alone on what gold says it should answer, instead of runs of the whole program.
        rules: The set whose official rules score the answers.
        teacher: The LM that makes demonstrations, where it is not the configured one.
        writer: The LM that writes instructions, where it is not the configured one.
        max_calls: LM calls at most, in all invocations of this compile; then the best of what is finished is saved.
        corpus: The corpus that the retriever was opened from, for the saved program to open again.
        concurrency: Questions in flight at once.
        seed: Draws the demonstrations that are made from gold, and is that of the optimizers.
        cache: The kept answers that are used, see `caching`.
        tell: Called with a line for every stage, and for every variant's score.
        watch: Called with every `Stage` as it begins, and with every row that it scores; see `WatchStage`.

    Raises:
        InputError: The splits overlap, a variant lacks what it needs, the work beside the file is another compile's,
            or another process is at it.
        RunFailed: The LM fails again and again in the same way; what is finished is kept.
    """
    chosen, voters = _chosen(variants, demos)
    if steps or any(variant.labels for variant in chosen):
        check_steps(program)
    learn, held = list(train), list(dev)
    _check_splits(learn, held)
    given = None if demos is None else with_demonstrations(program, demos)
    known = identity(program, learn, [])
    described = {
        "program": known["program"],
        "lm": known["lm"],
        "train": describe_questions(learn),
        "dev": describe_questions(held),
        "steps": steps,
        "seed": seed,
        "writer": writer.model if writer else None,
        "teacher": teacher.model if teacher else None,
    }
    outcomes: list[Outcome] = []
    with (
        WorkFolder(to).opened(described) as work,
        Spending(max_calls, ledger=work.ledger) as spending,
        Bill(work.path) as bill,
        caching(cache or current_caching.get().scope, bill=bill),
        dspy.context(usage_tracker=spending, disable_history=True, num_threads=min(concurrency, 16)),
    ):
        asking = apart_from_dspy(writer or dspy.settings.lm)
        stages = Stages(spending, tell, watch)
        try:
            made: dict[str, ExamplePool] = {}
            if steps or any(variant.labels for variant in chosen):
                stages.begin(f"making step examples from {len(learn)} training questions")
                made = _step_examples(program, learn, seed, stages)
                _check_labels(chosen, made, seed)
            pilot = _pilot(program, learn, work, stages)
            to_compile = {each.name: pilot.to_compile(each, learn, made, steps=steps) for each in chosen}
            to_score = {each.name: round(pilot.whole * work.unanswered(each.name, held)) for each in chosen}
            missing = sum(calls for name, calls in to_compile.items() if not work.compiled(name).exists())
            stages.tell(f"expects about {say_count(missing + sum(to_score.values()), 'LM call')}")
            tools = Tools(metric=F1(rules=rules), writer=asking, teacher=teacher, threads=16, seed=seed)
            scoring = {"metrics": default_metrics(rules=rules), "concurrency": concurrency}
            for variant in chosen:
                path, expected = work.compiled(variant.name), to_compile[variant.name]
                begun = given if variant.name == GIVEN and given is not None else program
                check_made_with(path, variant, begun)
                if not path.exists():
                    make(
                        begun, variant, path, tools=tools, train=learn, made=made, steps=steps, stages=stages,
                        expected=expected,
                    )  # fmt: skip
                outcomes.append(_score(program, variant, held, scoring, work, stages, to_score[variant.name]))
            if voters:
                outcomes.append(outcome_of_vote(outcomes, held, work))
                stages.tell(outcomes[-1].in_a_line(held))
        except Spent:
            stages.tell(f"{spending.in_all:,} LM calls are used up")
    if not outcomes:
        raise InputError(
            f"{max_calls:,} LM calls were not enough for one variant; give the same command again with more."
        )
    done = {outcome.variant for outcome in outcomes}
    asked = [variant.name for variant in chosen] + [ENSEMBLE] * bool(voters)
    skipped = [name for name in asked if name not in done]
    alone = [outcome for outcome in outcomes if not outcome.voters]
    best = max(alone, key=lambda outcome: outcome.rank)
    winner = made_program(program, work.compiled(best.variant))
    about = {
        "optimizer": best.variant,
        **about_lm(dspy.settings.lm),
        "train": described["train"],
        "dev": described["dev"],
        "step by step": steps,
        "scores": {each.variant: {"f1": each.f1, "em": each.em, "calls": each.calls, "n": each.n} for each in outcomes},
    }
    save(winner, to, corpus=corpus, about=about)
    return Study(
        outcomes, best.variant, Path(to), bool(skipped), spending.calls, spending.in_all, skipped,
        gain=gain_of(best, outcomes, work),
    )  # fmt: skip


def _pilot(program: Program, train: list[Question], work: WorkFolder, stages: Stages) -> Pilot:
    """The cost of one question, as an earlier invocation noted it, or measured by asking a few."""
    known = known_pilot(work.path)
    if known is None:
        stages.begin("estimating what it takes, on a few training questions")
        stages.spending.check()
        known = ask_pilot(program, train, work.path)
    return known


def _score(
    program: Program,
    variant: Variant,
    dev: list[Question],
    options: dict[str, Any],
    work: WorkFolder,
    stages: Stages,
    expected: int,
) -> Outcome:
    """Answer the dev split with what the variant made, as it is in its file: interrupted or not, it is the same."""
    path = work.compiled(variant.name)
    finished = made_program(program, path)
    what = f"{variant.name}: scoring on {say_count(len(dev), 'dev question')}"
    scored = stages.begin(what, variant=variant.name, questions=len(dev), expected=expected)
    if work.unanswered(variant.name, dev):
        stages.spending.check()
    run = evaluate(finished, dev, out=work.run(variant.name), progress=False, watch=scored, **options)
    check_ending(run.rows(), run.folder)
    known = about_artefact(path)
    outcome = outcome_of_run(variant.name, run.summary, known.get(COMPILE_CALLS, 0))
    stages.tell(outcome.in_a_line(dev))
    return outcome


def _step_examples(program: Program, train: list[Question], seed: int, stages: Stages) -> dict[str, ExamplePool]:
    """Examples of each step from the gold that can be read; steps without any are named."""
    scenes = scenes_for(program, train, seed=seed, tell=stages.tell)
    made = step_examples(program, scenes)
    if line := untold(made, scenes):
        stages.tell(line)
    return made


def _check_labels(variants: Sequence[Variant], made: Mapping[str, ExamplePool], seed: int) -> None:
    """Refuse a variant that too few examples were made for, before anything is paid for."""
    for variant in variants:
        for name, pool in made.items() if variant.labels else ():
            if pool.examples:
                pool.choose(variant.labels, seed=seed, step=name.partition(".")[0])


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
