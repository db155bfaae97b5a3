"""`multihop compile`: a program compiled in several ways, compared on a dev split, the best one in a file."""

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..terminal.options import (
    AllowedModules,
    CacheScope,
    InFlight,
    LMSettings,
    OwnDemonstrations,
    ProgramName,
    ProgramSettings,
    QuestionFields,
    RetrieverName,
    RulesName,
    SearchedCorpus,
    SkipBad,
)

if TYPE_CHECKING:
    from ..data import Question, Reading


def compile_command(
    program: ProgramName,
    /,
    *,
    to: Path,
    variants: str = "zero-shot,labeled-3,bootstrapped",
    train: str = "world",
    dev: str = "world",
    corpus: SearchedCorpus = None,
    retriever: RetrieverName = None,
    allow: AllowedModules = None,
    field: QuestionFields = None,
    skip_bad: SkipBad = 0,
    lm: str | None = None,
    teacher_lm: str | None = None,
    writer_lm: str | None = None,
    api_base: str | None = None,
    lm_set: LMSettings = None,
    set_: ProgramSettings = None,
    demos: OwnDemonstrations = None,
    provider: str | None = None,
    train_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    steps: Annotated[bool, Parameter(negative=())] = False,
    rules: RulesName = "hotpotqa",
    max_calls: int | None = None,
    train_limit: int | None = None,
    dev_limit: int | None = None,
    concurrency: InFlight = 32,
    seed: int = 0,
    cache: CacheScope = None,
) -> None:
    """Compile a program in several ways, compare them on a dev split, and save the best.

    Says first about how many LM calls it expects, and shows how it goes on. The same command again goes on where it
    stopped. Where --train and --dev name the same source, its first half is trained on and its second half judged by.

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
        instructions, instructions-copro, instructions-gepa, instructions+demos, simba, better-together (fine-tunes the
        LM), ensemble (a vote of the others, which is scored and not saved), one of an installed package, or
        MODULE:VARIANT of your own; or "all" for those named here that nothing is missing for.
    train
        "world", a question file or a folder of such files, or a set on the hub: what is learned from.
    dev
        The same: what decides between the variants.
    lm
        The LM that the program is compiled for; by default "local", or what the saved program was compiled for.
    teacher_lm
        The LM that makes demonstrations, if another; it also takes training questions apart whose set does not say how,
        for labeled variants and --steps.
    writer_lm
        The LM that writes instructions, if another.
    api_base
        Address of an OpenAI-compatible server, for --lm.
    provider
        Who fine-tunes, for better-together: openai, databricks, or MODULE:CLASS of any DSPy provider.
    train_set
        What the provider is told, as name=value, such as n_epochs=3; may be given more than once.
    steps
        Compile each step alone on what gold says it should answer: one call an example instead of a run.
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
    from functools import partial

    import dspy
    from rich.console import Console

    from ..optimize import compile_variants
    from ..optimize.prompts.named_variants import variants_named
    from ..runtime import parse_settings
    from ..terminal.compiling import StageDisplay
    from ..terminal.inputs import Inputs
    from ..terminal.lm_choice import open_lm_for
    from ..terminal.own_code import importable_from_here
    from ..terminal.results import show_study
    from ..terminal.sources import corpus_to_search, open_lm_named, open_program, quiet, working

    inputs = Inputs(field, skip_bad, questions=[train, dev], corpus=corpus, retriever=retriever)
    searched = corpus_to_search(program, inputs)
    with working("reading the questions"):
        learn = _read(inputs.questions(train), None if train == dev else train_limit)
        held = learn if train == dev else _read(inputs.questions(dev), dev_limit)
    if train == dev:
        half = len(learn) // 2
        learn, held = learn[:half][:train_limit], held[half:][:dev_limit]
    open_lm = partial(
        open_lm_named,
        settings=lm_set,
        api_base=api_base,
        questions=[*learn, *held],
        passages=inputs.passages(searched),
        seed=seed,
    )
    model = open_lm_for(program, lm, open_lm, api_base=api_base)
    teacher, writer = (open_lm_named(name, None, api_base=None) if name else None for name in (teacher_lm, writer_lm))
    wanted = variants_named(variants, given=demos is not None, finetuned=provider is not None)
    importable_from_here(*wanted)
    made = open_program(program, searched, set_, inputs, allow=allow, concurrency=concurrency)
    logging.getLogger("dspy").setLevel(logging.CRITICAL)  # optimizers report at length; the table below is the report
    try:
        with dspy.context(lm=model), StageDisplay(Console(file=sys.stderr)) as stages, quiet():
            study = compile_variants(
                made,
                wanted,
                train=learn,
                dev=held,
                to=to,
                demos=demos,
                provider=provider,
                options=parse_settings(train_set or []),
                steps=steps,
                rules=rules,
                teacher=teacher,
                writer=writer,
                max_calls=max_calls,
                corpus=None if retriever else searched,
                concurrency=concurrency,
                seed=seed,
                cache=cache,
                tell=stages.tell,
                watch=stages.watch,
            )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; {to}.work keeps what is compiled and what is answered, the same command goes on."
        ) from None
    show_study(study, len(held), Console())


def _read(questions: "Reading[Question]", limit: int | None) -> "list[Question]":
    from ..terminal.inputs import tell_skipped

    read = list(islice(questions, limit))
    tell_skipped(questions)
    return read
