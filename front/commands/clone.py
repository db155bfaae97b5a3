"""`multihop clone`: the best paths of a program as training data, a fine-tuned planner, and a program driven by it."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def clone(
    program: str,
    /,
    *,
    out: Path,
    train: Annotated[str, Parameter(alias="-q")] = "world",
    corpus: Annotated[str, Parameter(alias="-c")] = "world",
    lm: str = "local",
    api_base: str | None = None,
    lm_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None,
    step: Annotated[list[str] | None, Parameter(negative=())] = None,
    best: float = 0.5,
    finetune: str | None = None,
    provider: str | None = None,
    train_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    model: str | None = None,
    limit: int | None = None,
    concurrency: int = 32,
) -> None:
    """Imitate a search with one call a step: fine-tune its planner on the best paths it found.

    Runs the program on training questions, keeps the paths that led to the right answer, and writes each state with the
    decision that followed as a chat fine-tuning file. With --finetune the job is started and waited for, and the
    program driven by the resulting model is saved to program.json. The same command again goes on where it stopped.

    For example:

        multihop clone mzqa -q train.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --limit 100 --out clones/mzqa
        multihop clone mzqa ... --out clones/mzqa --finetune openai/gpt-4o-mini-2024-07-18
        multihop clone ircot ... --out clones/ircot --finetune Qwen/Qwen3-0.6B --provider local --train-set epochs=3
        multihop clone lats ... --out clones/lats --model openai/ft:gpt-4o-mini:mine::abc

    Parameters
    ----------
    program
        The program to imitate; it must have a planner.
    out
        The folder: run/, one STEP.jsonl for each step, model.json, program.json.
    train
        "world", a question file, or a set on the hub. Never the questions you evaluate on.
    corpus
        "world", a corpus file, or an index folder.
    lm
        The LM that drives the search.
    api_base
        Address of an OpenAI-compatible server.
    lm_set
        A parameter of the LM as name=value, such as temperature=0.1; may be given more than once.
    set_
        A setting of the program as name=value; may be given more than once.
    step
        A step to write a file for; the planner unless told; may be given more than once.
    best
        The share of paths to keep, by value, of questions without a known answer.
    finetune
        The model to start from; without it only the files are written.
    provider
        Who trains: openai, databricks, local (extra [train]), or MODULE:CLASS of any DSPy provider.
    train_set
        What the provider is told, as name=value, such as n_epochs=3; may be given more than once.
    model
        A model that was trained already, to be used instead of training one.
    limit
        Only the first so many questions.
    concurrency
        Questions, and LM calls, in flight at once.
    """
    import dspy
    from rich.console import Console

    from ..optimize import clone
    from ..programs.settings import parse_settings
    from .live import Progress
    from .sources import Questions, open_lm_named, open_program

    questions = Questions(train)
    driver = open_lm_named(lm, lm_set, api_base=api_base, questions=questions, corpus=corpus)
    made = open_program(program, corpus, set_, concurrency=concurrency)
    with dspy.context(lm=driver), Progress(program, min(len(questions), limit or len(questions))) as progress:
        done = clone(
            made,
            questions,
            out=out,
            steps=step,
            best=best,
            model=model,
            start_from=finetune,
            provider=provider,
            options=parse_settings(train_set or []),
            corpus=corpus,
            concurrency=concurrency,
            limit=limit,
            watch=progress.watch,
        )
    console = Console()
    console.print(f"{done.kept} of {done.questions} questions kept")
    for name, path in done.files.items():
        console.print(f"  {name}: {done.rows[name]} conversations in {path}", highlight=False)
    if done.artefact is not None:
        console.print(f"model {done.model}\nprogram {done.artefact}", highlight=False)
