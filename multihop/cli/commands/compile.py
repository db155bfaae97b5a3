"""`multihop compile`: a program compiled in several ways, compared on a dev split, the best one in a file."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..options.amounts import AtMost
from ..options.corpus import AskedCorpusOptions
from ..options.lm import LMOptions
from ..options.program import ShownProgramOptions
from ..options.single import AsJSON, CacheScope, InFlight, PricesFile, ProgramName, Quiet, RulesName

if TYPE_CHECKING:
    from ...data import Question, Reading


def compile_command(
    program: ProgramName,
    /,
    *,
    to: Path,
    variants: str = "zero-shot,labeled-3,bootstrapped",
    train: str | None = None,
    dev: str | None = None,
    corpus: AskedCorpusOptions = AskedCorpusOptions(),
    lm: str | None = None,
    teacher_lm: str | None = None,
    writer_lm: str | None = None,
    lms: LMOptions = LMOptions(),
    settings: ShownProgramOptions = ShownProgramOptions(),
    steps: Annotated[bool, Parameter(negative=())] = False,
    rules: RulesName = "hotpotqa",
    max_calls: AtMost = None,
    prices: PricesFile = None,
    train_limit: AtMost = None,
    dev_limit: AtMost = None,
    concurrency: InFlight = 32,
    seed: int = 0,
    cache: CacheScope = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Compile a program in several ways, and save the best.

    Says first about how many LM calls it expects, and shows how it goes on. The same command again goes on where it
    stopped. Where --train alone is given, its first half is learned from and its second half decides.

    For example:

        multihop compile tor --train train.jsonl --dev dev.jsonl -c indexes/wiki --lm openai/gpt-4o-mini --to tor.json
        multihop compile tor ... --variants labeled-5,random-search --teacher-lm openai/gpt-4.1 --to tor-taught.json
        multihop compile resp ... --demos shots.json --variants zero-shot,given --to resp.json
        multihop compile mzqa ... --steps --variants labeled-3,instructions-gepa --max-calls 5000 --to mzqa.json
        multihop ask "..." --program tor.json

    Parameters
    ----------
    to
        The file for the best program; the work is kept beside it, in FILE.work.
    variants
        Ways to compile, separated by commas: zero-shot, labeled-1/3/5/15, given (--demos), bootstrapped, random-search,
        instructions, instructions-copro, instructions-gepa, instructions+demos, simba, ensemble (a vote of the others,
        which is scored and not saved), finetuned (the LM itself, where its provider trains it), one of an installed
        package, or MODULE:VARIANT of your own; or "all" for those named here, but finetuned, that nothing is missing
        for.
    train
        "little", a question file or a folder of such files, or a set on the hub: what is learned from; without a
        corpus, by default the 24 questions of "little:train".
    dev
        The same: what decides between the variants; by default the second half of --train, or "little:dev".
    lm
        The LM that the program is compiled for; by default "local", or what the saved program was compiled for.
    teacher_lm
        The LM that makes demonstrations, if another. Its server is not that of --api-base, but its own, as
        NAME@ADDRESS.
    writer_lm
        The LM that writes instructions, if another; likewise.
    steps
        Compile each step alone on what gold says it should answer: one call an example instead of a run. Steps of
        which gold says nothing, as those that ask sub-questions on HotpotQA, stay as they are.
    max_calls
        LM calls at most, over all times this command is issued; then the best of what is finished is saved.
    train_limit
        Only the first so many training questions.
    dev_limit
        Only the first so many dev questions.
    seed
        Draws the demonstrations that are made from gold, and is that of the optimizers.
    """
    import logging
    import sys
    from dataclasses import asdict

    import dspy

    from ...base.terminal import Terminal, muted
    from ...optimize import compile_variants
    from ...optimize.variants import variants_named
    from ...runtime import priced_by
    from ..opening.compiling import StageDisplay
    from ..opening.inputs import tell_user
    from ..opening.lm_choice import open_lm_for
    from ..opening.sources import corpus_to_search
    from ..opening.this_process import heap_at_rest, importable_from_here, resumable
    from ..opening.work_line import working
    from ..showing.output import print_json
    from ..showing.study_results import show_study

    with priced_by(prices):
        saved = settings.read(program)
        learned, decides = _sources(train, dev, corpus.corpus or (saved.block.corpus if saved else None))
        inputs = corpus.open(learned, decides)
        searched = corpus_to_search(program, saved, inputs)
        with working("reading the questions"):
            train_questions = _read(inputs.questions(learned), None if learned == decides else train_limit)
            dev_questions = train_questions if learned == decides else _read(inputs.questions(decides), dev_limit)
        if learned == decides:
            half = len(train_questions) // 2
            train_questions, dev_questions = train_questions[:half][:train_limit], dev_questions[half:][:dev_limit]
        known = lms.open(decoding=settings.decoding())
        model = open_lm_for(saved, lm, known)
        known.check_used()
        teacher, writer = (known.open_alone(name, on_server=False) for name in (teacher_lm, writer_lm))
        known.check_served(kept=Path(f"{to}.work"))
        names = variants_named(variants, given=settings.demos is not None)
        importable_from_here(*names)
        program_to_compile = settings.open(program, saved, searched, inputs, concurrency=concurrency)
        if train is None:
            told = f"{len(train_questions)} questions of the little encyclopedia are learned from"
            tell_user(f"no --train, so {told}, and {len(dev_questions)} others decide.")
        logging.getLogger("dspy").setLevel(logging.CRITICAL)  # optimizers report at length; the table is the report
        with (
            resumable(f"{to}.work keeps what is compiled and what is answered"),
            dspy.context(lm=model),
            StageDisplay(Terminal(file=sys.stderr)) as stages,
            muted(),
            heap_at_rest(),
        ):
            study = compile_variants(
                program_to_compile,
                names,
                train=train_questions,
                dev=dev_questions,
                to=to,
                demos=settings.demos,
                steps=steps,
                rules=rules,
                teacher=teacher,
                writer=writer,
                max_calls=max_calls,
                corpus=searched if inputs.is_plain else None,
                concurrency=concurrency,
                seed=seed,
                cache=cache,
                tell=stages.tell,
                watch=stages.watch,
            )
        if json:
            print_json(asdict(study))
        else:
            show_study(study, len(dev_questions), Terminal())


def _sources(train: str | None, dev: str | None, searched: str | None) -> tuple[str, str]:
    """The questions to learn from and those that decide: as given, or the two splits of the little encyclopedia."""
    from ...base import InputError
    from ..opening.inputs import asked_or_little

    if train is None and dev is not None:
        raise InputError(f"--dev {dev} is given and nothing to learn from: name training questions with --train FILE.")
    learned = asked_or_little(train, searched, "--train", "train")
    return learned, dev or train or asked_or_little(None, searched, "--dev", "dev")


def _read(questions: "Reading[Question]", limit: int | None) -> "list[Question]":
    from ..opening.inputs import tell_skipped

    result = list(islice(questions, limit))
    tell_skipped(questions)
    return result
