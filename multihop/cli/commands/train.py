"""`multihop train`: the built-in encoder made again, or one of your own."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.amounts import AtLeastOne, AtMost, Proportion
from ..options.single import AsJSON, Quiet


def train_command(
    *questions: str,
    to: Path,
    corpus: Annotated[list[str] | None, Parameter(negative=())] = None,
    lessons: AtMost = None,
    per_paragraph: AtLeastOne = 1,
    part: Literal["judge", "reader", "labeler", "filter"] = "judge",
    start: str | None = None,
    epochs: AtLeastOne = 1,
    learning_rate: Annotated[float, Parameter(validator=Number(gt=0))] = 1.5e-4,
    precision: Literal["int8", "float32"] = "int8",
    keep: Proportion = 0.0,
    seed: int = 0,
    as_is: Annotated[bool, Parameter(negative=())] = False,
    json: AsJSON = False,
    quiet: Quiet = False,
) -> None:
    """Train the encoder behind `local` and dense retrieval.

    It is also that of `ranked-rag` and `efficientrag`.

    It needs the extra [train]. After a kill, the same command goes on from the last checkpoint.

    For example:

        multihop train hotpotqa.train.jsonl.gz musique.train.jsonl.gz --to encoder
        multihop train musique.extra.jsonl.gz --corpus musique.corpus.jsonl.gz --to encoder
        multihop train mine.jsonl --start built-in --learning-rate 5e-5 --to encoder
        multihop train squad.jsonl.gz musique.train.jsonl.gz --part reader --start built-in --to with-reader
        multihop train hotpotqa.train.jsonl.gz --part labeler --start built-in --to on-hotpotqa
        multihop train hotpotqa.train.jsonl.gz --part filter --start on-hotpotqa --to on-hotpotqa
        multihop train --as-is --to both
        multihop evaluate ranked-rag --lm local --lm-set weights=encoder --set weights=encoder --out runs/own-encoder

    Parameters
    ----------
    questions
        Files of training questions: with paragraphs of their own, or with the titles of their gold paragraphs. Files
        whose "type" says where in its "paragraphs" an answer is (span, yes, no, none) teach to read; 3 % of their
        questions are never learned from.
    to
        The folder to write.
    corpus
        Corpora in which gold paragraphs are looked up by title if they do not come with their question.
    lessons
        How many of all lessons to draw at random, for a shorter training; all by default.
    per_paragraph
        How many questions of one paragraph to learn to read from at most.
    part
        What learns: the judge of passages, the reader of several pages at once, EfficientRAG's labeler, which sees the
        last query and a passage, or its filter, which makes the next query of both; the other parts stay as they are.
    start
        The transformer to begin with, a folder or a name on the hub, all-MiniLM-L6-v2 by default; or an encoder's
        folder, or `built-in`, to train it further.
    epochs
        How often all lessons are seen.
    learning_rate
        The highest learning rate.
    precision
        How the weights are stored and computed with.
    keep
        The share of what the part was before that it keeps: each weight becomes the mean of before and after.
    seed
        The same seed gives the same lessons in the same order.
    as_is
        Train nothing: write the encoder as the last checkpoint of a training that goes on, or was killed, has it.
    """
    import sys

    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from ...base import InputError
    from ...base.terminal import Terminal
    from ...data import open_corpus
    from ...training.encoder_training import train_encoder, write_checkpoint
    from ...training.mix import make_lessons, open_material
    from ..opening.work_line import working

    console, to = Terminal(file=sys.stderr), to.expanduser()
    if as_is:
        if questions:
            raise InputError(f"--as-is trains nothing, so that it takes no questions; leave out {questions[0]}.")
        write_checkpoint(to)
        _tell_size(to, json)
        return
    if not questions:
        raise InputError(
            "there is nothing to learn from: name files of training questions, as in the examples of --help."
        )
    material = open_material(questions, [passage for source in corpus or () for passage in open_corpus(source)])
    if material.items and part in ("labeler", "filter"):
        raise InputError(f"the {part} learns from questions of several hops; leave out the files that teach to read.")
    with working("making lessons"):
        examples = make_lessons(part, material, per_paragraph=per_paragraph, most=lessons, seed=seed)
    sources = [Path(source).name for source in (*questions, *(corpus or ()))]
    console.print(f"{len(examples):,} lessons from {len(material.questions) + len(material.items):,} questions")
    columns = (TextColumn("training {task.completed:,} of {task.total:,}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=epochs * len(examples))

        def progress(done: int, of: int, losses: dict[str, float]) -> None:
            bar.update(task, completed=done)
            text = "  ".join(f"{name} {loss:.3f}" for name, loss in losses.items())
            bar.console.print(f"{done:>8,} of {of:,}  {text}", highlight=False)

        train_encoder(
            examples, to, part=part, start=start, epochs=epochs, learning_rate=learning_rate, precision=precision,
            keep=keep, seed=seed, sources=sources, progress=progress,
        )  # fmt: skip
    _tell_size(to, json)


def _tell_size(folder: Path, json: bool) -> None:
    from ..showing.output import print_json, print_line

    size = sum(file.stat().st_size for file in folder.iterdir())
    if json:
        print_json({"folder": folder, "bytes": size})
        return
    print_line(f"wrote {folder}, {size / 1e6:.1f} MB")
