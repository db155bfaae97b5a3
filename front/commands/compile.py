"""`multihop compile`: a program compiled in several ways, compared on a dev split, the best one in a file."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def compile(  # noqa: A001 - the command's name
    program: str,
    /,
    *,
    to: Path,
    variants: str = "zero-shot,labeled-3,bootstrapped",
    train: str = "world",
    dev: str = "world",
    corpus: Annotated[str, Parameter(alias="-c")] = "world",
    lm: str = "local",
    teacher_lm: str | None = None,
    writer_lm: str | None = None,
    api_base: str | None = None,
    lm_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None,
    steps: Annotated[bool, Parameter(negative=())] = False,
    rules: str = "hotpotqa",
    max_calls: int | None = None,
    train_limit: int | None = None,
    dev_limit: int | None = None,
    concurrency: int = 32,
    seed: int = 0,
) -> None:
    """Compile a program in several ways, compare them on a dev split, and save the best.

    Says first about how many LM calls it expects. The same command again goes on where it stopped. Where --train and
    --dev name the same source, its first half is trained on and its second half judged by.

    For example:

        multihop compile tor --train train.jsonl --dev dev.jsonl -c indexes/wiki --lm openai/gpt-4o-mini --to tor.json
        multihop compile tor ... --variants zero-shot,labeled-5,random-search --teacher-lm openai/gpt-4.1 --to tor.json
        multihop compile mzqa ... --steps --variants labeled-3,instructions-gepa --max-calls 5000 --to mzqa.json
        multihop ask "..." --program tor.json

    Parameters
    ----------
    program
        A program's name; `multihop programs` lists them.
    to
        The file for the best program; the work is kept beside it, in FILE.work.
    variants
        Ways to compile, separated by commas: zero-shot, labeled-1/3/5/15, bootstrapped, random-search, instructions,
        instructions-copro, instructions-gepa, instructions+demos, simba; or "all".
    train
        "world", a question file, or a set on the hub: what is learned from.
    dev
        The same: what decides between the variants.
    corpus
        "world", a corpus file, or an index folder.
    lm
        The LM that the program is compiled for.
    teacher_lm
        The LM that makes demonstrations, if another.
    writer_lm
        The LM that writes instructions, if another.
    api_base
        Address of an OpenAI-compatible server, for --lm.
    lm_set
        A parameter of the LM as name=value; may be given more than once.
    set_
        A setting of the program as name=value; may be given more than once.
    steps
        Compile each step alone on what gold says it should answer: one call an example instead of a run.
    rules
        Whose official rules score the answers: hotpotqa, 2wikimultihopqa or musique.
    max_calls
        LM calls at most; then the best of what is finished is saved.
    train_limit
        Only the first so many training questions.
    dev_limit
        Only the first so many dev questions.
    concurrency
        Questions in flight at once.
    seed
        Of the optimizers.
    """
    import logging
    import sys
    from itertools import islice

    import dspy
    from rich.console import Console

    from ..data import open_questions
    from ..optimize import VARIANTS, compile_variants
    from .results import show_study
    from .sources import open_lm_named, open_program, quiet, working

    learn = list(islice(open_questions(train), None if train == dev else train_limit))
    held = list(islice(open_questions(dev), None if train == dev else dev_limit))
    if train == dev:
        half = len(learn) // 2
        learn, held = learn[:half][:train_limit], held[half:][:dev_limit]
    model = open_lm_named(lm, lm_set, api_base=api_base, questions=[*learn, *held], corpus=corpus, seed=seed)
    teacher, writer = (open_lm_named(name, None, api_base=None) if name else None for name in (teacher_lm, writer_lm))
    made = open_program(program, corpus, set_, concurrency=concurrency)
    logging.getLogger("dspy").setLevel(logging.ERROR)  # optimizers report at length; the table below is the report
    err = Console(file=sys.stderr)
    with dspy.context(lm=model), working(f"compiling {program}"), quiet():
        study = compile_variants(
            made,
            list(VARIANTS) if variants == "all" else [name.strip() for name in variants.split(",")],
            train=learn,
            dev=held,
            to=to,
            steps=steps,
            rules=rules,
            teacher=teacher,
            writer=writer,
            max_calls=max_calls,
            corpus=corpus,
            concurrency=concurrency,
            seed=seed,
            tell=lambda message: err.print(message, highlight=False),
        )
    show_study(study, len(held), Console())
