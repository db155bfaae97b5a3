"""`multihop clone`: the best paths of a program as training data, a fine-tuned planner, and a program driven by it."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.amounts import AtMost, Proportion
from ..options.corpus import AskedCorpusOptions
from ..options.lm import LMOptions
from ..options.program import ProgramOptions
from ..options.single import AsJSON, CacheScope, InFlight, Quiet


def clone_command(
    program: str,
    /,
    *,
    out: Path,
    train: Annotated[str | None, Parameter(alias="-q")] = None,
    corpus: AskedCorpusOptions = AskedCorpusOptions(),
    lm: str | None = None,
    lms: LMOptions = LMOptions(),
    settings: ProgramOptions = ProgramOptions(),
    from_run: Annotated[Path | None, Parameter(name="--from")] = None,
    from_gold: Annotated[bool, Parameter(negative=())] = False,
    step: Annotated[list[str] | None, Parameter(negative=())] = None,
    only_right: Annotated[bool, Parameter(negative=())] = False,
    best: Proportion = 1.0,
    finetune: str | None = None,
    provider: str | None = None,
    train_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    model: str | None = None,
    limit: AtMost = None,
    concurrency: InFlight = 32,
    cache: CacheScope = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Imitate a search with one call a step, by fine-tuning.

    Runs the program on training questions, keeps the path that it chose for each, and writes each state with the
    decision that followed as a chat fine-tuning file. With --from nothing is run: any step is learned from the journal
    of a finished run, so that a small LM judges, say, as a large one did. With --from-gold no LM is asked: what the
    questions' own gold says is right at each state is learned. With --finetune the job is started and waited
    for, and the program driven by the resulting model is saved to program.json. The same command again goes on where it
    stopped.

    For example:

        multihop clone mzqa -q train.jsonl --corpus indexes/wiki --lm openai/gpt-4o-mini --limit 100 --out clones/mzqa
        multihop clone mzqa ... --out clones/mzqa --finetune openai/gpt-4o-mini-2024-07-18
        multihop clone mzqa ... --out clones/right --only-right
        multihop clone ircot ... --out clones/ircot --finetune Qwen/Qwen3-0.6B --train-set method=lora
        multihop clone lats ... --out clones/lats --model openai/ft:gpt-4o-mini:mine::abc
        multihop clone mzqa -q train.jsonl --corpus indexes/wiki --from-gold --out clones/gold
        multihop clone resp --corpus indexes/wiki --from runs/resp --step judge --only-right --out clones/judge

    Parameters
    ----------
    program
        The program to imitate, by name, as MODULE:CLASS of your own, or as a saved program's file; without a planner,
        name the step to imitate.
    out
        The folder: run/, one STEP.jsonl for each step, model.json, program.json.
    train
        "little", a question file or a folder of such files, or a set on the hub; without a corpus, by default
        "little:train". Never the questions you evaluate on.
    lm
        The LM that drives the search; by default "local", or what the saved program was compiled for.
    from_run
        The folder of a finished run of the program (evaluate), in the place of questions; --corpus is what it searched.
    from_gold
        Learn from the answers, supporting paragraphs and hops of the questions; of more than 500, so many are drawn.
    limit
        Only the first so many questions.
    step
        A step to write a file for; the planner by default; may be given more than once.
    only_right
        Keep only the paths that led to a right answer.
    best
        The share of the paths to keep, by the value that the search gave them, such as 0.5.
    finetune
        The model to start from; without it only the files are written. A transformers folder and a name on the
        hub are trained on this machine (extra [train]), others where they are hosted.
    provider
        Who trains: openai, databricks, local, or MODULE:CLASS of any DSPy provider; by default who has the model.
    train_set
        A parameter of the training, as name=value; may be given more than once. Hosted, such as n_epochs=3. On this
        machine: method=full or lora (rank, alpha, targets), format=folder or adapter (of lora), epochs, learning_rate,
        batch, tokens (at once), longest, warmup, clip, decay, held_out (share of the questions), check_every (steps),
        patience, gradient_checkpointing, precision=auto, bf16 or fp32, seed, output=FOLDER.
    model
        A model that was trained already, to be used instead of training one, such as server/planner.
    """
    from dataclasses import asdict

    import dspy

    from ...base import InputError
    from ...evaluation.progress import Progress
    from ...optimize import clone
    from ...runtime import parse_settings
    from ..opening.inputs import asked_or_little, tell_user
    from ..opening.lm_choice import open_lm_for
    from ..opening.sources import corpus_to_search
    from ..opening.this_process import heap_at_rest, resumable
    from ..opening.work_line import TrainingLine
    from ..showing.output import print_json, print_line

    asks = from_run is None and not from_gold
    if lm is not None and not asks:
        raise InputError(f"{'--from-gold' if from_gold else '--from'} asks nothing, so it takes no --lm.")
    saved = settings.read(program)
    named = corpus.corpus or (saved.block.corpus if saved else None)
    source = asked_or_little(train, None if from_run else named, "-q", "train")
    inputs = corpus.open(source)
    questions, count = inputs.count_questions(source) if from_run is None else ((), 0)
    searched = corpus_to_search(program, saved, inputs)
    driver = None
    if asks:
        known = lms.open(decoding=settings.decoding())
        driver = open_lm_for(saved, lm, known)
        known.check_used()
        known.check_served(kept=out)
    program_to_clone = settings.open(program, saved, searched, inputs, concurrency=concurrency)
    if train is None and from_run is None:
        tell_user(f"no --train, so {count} questions of the little encyclopedia are learned from.")
    with (
        resumable(f"{out} keeps what is answered"),
        dspy.context(lm=driver),
        Progress(program, min(count, limit or count), lines=asks) as progress,
        heap_at_rest(),
        TrainingLine(progress.console) as line,
    ):
        cloned = clone(
            program_to_clone,
            questions,
            out=out,
            from_run=from_run,
            from_gold=from_gold,
            steps=step,
            only_right=only_right,
            best=best,
            model=model,
            start_from=finetune,
            provider=provider,
            options=parse_settings(train_set or []),
            corpus=searched if inputs.is_plain else None,
            concurrency=concurrency,
            limit=limit,
            cache=cache,
            watch=progress.watch,
            tell=None if quiet else progress.console.print,
            show=None if quiet else line.show_due,
        )
    if json:
        print_json(asdict(cloned))
        return
    print_line(f"{cloned.kept} of {cloned.questions} questions kept")
    for name, path in cloned.files.items():
        print_line(f"  {name}: {cloned.rows[name]} conversations in {path}")
    if cloned.artefact is not None:
        print_line(f"model {cloned.model}\nprogram {cloned.artefact}")
