"""`multihop clone`: a step's decisions as training data, a fine-tuned model, and a program driven by it."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ...base import InputError
from ..data_options import CorpusOptions, asked_or_little
from ..output import print_line, tell_result
from ..process import resumable, tell_user
from ..program_options import ProgramOptions
from ..shared_options import AtMost, OutputOptions, Several, Switch, pick


@dataclass(frozen=True, kw_only=True)
class CloneOptions(OutputOptions):
    """The options of `clone`."""

    out: Path
    """The folder: STEP.jsonl and program.json."""
    from_run: Annotated[Path | None, Parameter(name="--from")] = None
    """The folder of a finished run of the program; --corpus is what it searched."""
    from_gold: Switch = False
    """Learn from the answers, supporting paragraphs and hops of the questions."""
    train: Annotated[str | None, Parameter(alias="-q")] = None
    """The questions of --from-gold: "little", a question file or a folder of such files, or a set on the hub; without
    a corpus, by default "little:train". Never the questions you evaluate on."""
    corpus: CorpusOptions = CorpusOptions()
    settings: ProgramOptions = ProgramOptions()
    step: str | None = None
    """The step to imitate; the planner by default."""
    only_right: Switch = False
    """Learn from the questions of the run alone that were answered right."""
    finetune: str | None = None
    """The model to start from; without it only the file is written. A transformers folder and a name on the hub are
    trained on this machine (extra [tune]), openai/MODEL at OpenAI."""
    train_set: Several = None
    """A parameter of the training, as name=value; may be given more than once. At OpenAI such as n_epochs=3 or seed=2.
    On this machine epochs, batch (rows a step), longest (tokens), rank (of LoRA, 16; 0 trains all weights), held_out
    (share of the questions), output=FOLDER (below which the model is left), and any of trl's SFTConfig, such as
    learning_rate or activation_checkpointing."""
    limit: AtMost = None
    """Only the first so many questions."""
    most_rows: AtMost = None
    """Rows at most."""


def clone_command(program: str, /, *, options: CloneOptions) -> None:
    """Imitate a search with one call a step, by fine-tuning.

    With --from, the decisions of a step in a finished run of the program (evaluate) are written as a chat fine-tuning
    file: of a search's planner those on the paths that it chose, of any other step all. With --from-gold they are those
    that the questions' own gold says are right. No LM is asked. With --finetune a model is trained on the file, and the
    program driven by it is saved to program.json. The same command again goes on where it stopped.

    For example:

        multihop clone mzqa --from runs/mzqa --corpus indexes/wiki --out clones/mzqa
        multihop clone mzqa ... --out clones/mzqa --finetune openai/gpt-4o-mini-2024-07-18
        multihop clone mzqa ... --out clones/small --finetune Qwen/Qwen3-0.6B --train-set epochs=1
        multihop clone mzqa --from-gold -q train.jsonl --corpus indexes/wiki --out clones/gold
        multihop clone resp --from runs/resp --corpus indexes/wiki --step judge --only-right --out clones/judge

    Parameters
    ----------
    program
        The program to imitate, by name, as MODULE:CLASS of your own, or as a saved program's file; without a planner,
        name the step to imitate.
    """
    from ...optimize import clone
    from ...runtime import parse_settings

    if (options.from_run is None) != options.from_gold:
        raise InputError(
            "clone learns from a finished run (multihop evaluate ... --out RUN, then --from RUN) or from the gold of "
            "questions (--from-gold): give one of them."
        )
    corpus, settings = options.corpus, options.settings
    saved = settings.read(program)
    named = corpus.corpus or (saved.corpus if saved else None)
    source = asked_or_little(options.train, None if options.from_run else named, "-q", "train")
    questions = corpus.count_questions(source)[0] if options.from_gold else ()
    searched = corpus.to_search(program, saved, source)
    program_to_clone = settings.open(program, saved, corpus.opener(searched, saved, source))
    if options.train is None and options.from_gold:
        tell_user("no --train, so the questions of the little encyclopedia are learned from.")
    with resumable("a training that was begun is kept"):
        cloned = clone(
            program_to_clone,
            from_gold=list(questions),
            start_from=options.finetune,
            options=parse_settings(options.train_set or []),
            corpus=searched if corpus.is_plain else None,
            tell=(lambda line: None) if options.quiet else tell_user,
            **pick(options, "out", "from_run", "step", "only_right", "limit", "most_rows"),
        )
    lines = [f"{cloned.kept} of {cloned.questions} questions kept"]
    lines.append(f"  {cloned.step}: {cloned.rows} conversations in {cloned.file}")
    lines += [] if cloned.artefact is None else [f"model {cloned.model}", f"program {cloned.artefact}"]
    tell_result(options.json, lambda: asdict(cloned), lambda _: print_line("\n".join(lines)))
