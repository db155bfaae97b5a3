"""`multihop clone`: a step's decisions as training data, a fine-tuned model, and a program driven by it."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..options.amounts import AtMost
from ..options.corpus import AskedCorpusOptions
from ..options.program import ProgramOptions
from ..options.single import AsJSON, Quiet


def clone_command(
    program: str,
    /,
    *,
    out: Path,
    from_run: Annotated[Path | None, Parameter(name="--from")] = None,
    from_gold: Annotated[bool, Parameter(negative=())] = False,
    train: Annotated[str | None, Parameter(alias="-q")] = None,
    corpus: AskedCorpusOptions = AskedCorpusOptions(),
    settings: ProgramOptions = ProgramOptions(),
    step: str | None = None,
    only_right: Annotated[bool, Parameter(negative=())] = False,
    finetune: str | None = None,
    train_set: Annotated[list[str] | None, Parameter(negative=())] = None,
    model: str | None = None,
    limit: AtMost = None,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Imitate a search with one call a step, by fine-tuning.

    With --from, the decisions of a step in a finished run of the program (evaluate) are written as a chat fine-tuning
    file: of a search's planner those on the paths that it chose, of any other step all. With --from-gold they are those
    that the questions' own gold says are right. No LM is asked. With --finetune a model is trained on the file, and the
    program driven by it is saved to program.json. The same command again goes on where it stopped.

    For example:

        multihop clone mzqa --from runs/mzqa --corpus indexes/wiki --out clones/mzqa
        multihop clone mzqa ... --out clones/mzqa --finetune openai/gpt-4o-mini-2024-07-18
        multihop clone mzqa ... --out clones/small --finetune Qwen/Qwen3-0.6B --train-set rank=16
        multihop clone mzqa ... --out clones/mine --model openai/ft:gpt-4o-mini:mine::abc
        multihop clone mzqa --from-gold -q train.jsonl --corpus indexes/wiki --out clones/gold
        multihop clone resp --from runs/resp --corpus indexes/wiki --step judge --only-right --out clones/judge

    Parameters
    ----------
    program
        The program to imitate, by name, as MODULE:CLASS of your own, or as a saved program's file; without a planner,
        name the step to imitate.
    out
        The folder: STEP.jsonl and program.json.
    from_run
        The folder of a finished run of the program; --corpus is what it searched.
    from_gold
        Learn from the answers, supporting paragraphs and hops of the questions; of more than 500, so many are drawn.
    train
        The questions of --from-gold: "little", a question file or a folder of such files, or a set on the hub; without
        a corpus, by default "little:train". Never the questions you evaluate on.
    step
        The step to imitate; the planner by default.
    only_right
        Learn from the questions of the run alone that were answered right.
    finetune
        The model to start from; without it only the file is written. A transformers folder and a name on the hub are
        trained on this machine (extra [train]), openai/MODEL at OpenAI.
    train_set
        A parameter of the training, as name=value; may be given more than once. At OpenAI such as n_epochs=3 or seed=2.
        On this machine epochs, batch (rows a step), longest (tokens), rank (of LoRA; 0 trains all weights), held_out
        (share of the questions), output=FOLDER (below which the model is left), and any of trl's SFTConfig, such as
        learning_rate or activation_checkpointing.
    model
        A model that was trained already, to be used instead of training one, such as server/planner.
    limit
        Only the first so many questions.
    """
    from dataclasses import asdict

    from ...base import InputError
    from ...optimize import clone
    from ...runtime import parse_settings
    from ..opening.inputs import asked_or_little, tell_user
    from ..opening.sources import corpus_to_search
    from ..opening.this_process import resumable
    from ..showing.output import print_json, print_line

    if (from_run is None) != from_gold:
        raise InputError(
            "clone learns from a finished run (multihop evaluate ... --out RUN, then --from RUN) or from the gold of "
            "questions (--from-gold): give one of them."
        )
    saved = settings.read(program)
    named = corpus.corpus or (saved.corpus if saved else None)
    source = asked_or_little(train, None if from_run else named, "-q", "train")
    inputs = corpus.open(source)
    questions = inputs.count_questions(source)[0] if from_gold else ()
    searched = corpus_to_search(program, saved, inputs)
    program_to_clone = settings.open(program, saved, searched, inputs)
    if train is None and from_gold:
        tell_user("no --train, so the questions of the little encyclopedia are learned from.")
    with resumable("a training that was begun is kept"):
        cloned = clone(
            program_to_clone,
            out=out,
            from_run=from_run,
            from_gold=list(questions),
            step=step,
            only_right=only_right,
            limit=limit,
            start_from=finetune,
            model=model,
            options=parse_settings(train_set or []),
            corpus=searched if inputs.is_plain else None,
            tell=(lambda line: None) if quiet else tell_user,
        )
    if json:
        print_json(asdict(cloned))
        return
    print_line(f"{cloned.kept} of {cloned.questions} questions kept")
    print_line(f"  {cloned.step}: {cloned.rows} conversations in {cloned.file}")
    if cloned.artefact is not None:
        print_line(f"model {cloned.model}\nprogram {cloned.artefact}")
