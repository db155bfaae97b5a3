"""`multihop train`: the built-in encoder made again, or one of your own."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ..options.amounts import AtLeastOne, AtMost, Proportion
from ..options.single import AsJSON, Quiet


def train_command(
    *questions: str,
    to: Path,
    corpus: Annotated[list[str] | None, Parameter(negative=())] = None,
    lessons: AtMost = None,
    replay: AtMost = None,
    per_paragraph: AtLeastOne = 1,
    described: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    composed: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    part: Literal["judge", "reader", "labeler", "filter", "embed"] = "judge",
    start: str | None = None,
    epochs: AtLeastOne = 1,
    learning_rate: Annotated[float, Parameter(validator=Number(gt=0))] = 1.5e-4,
    precision: Literal["int8", "float32"] = "int8",
    keep: Proportion = 0.0,
    seed: int = 0,
    teacher_lm: str | None = None,
    as_is: Annotated[bool, Parameter(negative=())] = False,
    mean_with: Path | None = None,
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
        multihop train squad.jsonl.gz nq.jsonl.gz musique.train.jsonl.gz --replay 2000 --to reader
        multihop train squad.jsonl.gz nq.jsonl.gz --part embed --start reader --learning-rate 2e-5 --to both
        multihop train squad.jsonl.gz musique.train.jsonl.gz --part reader --start built-in --to with-reader
        multihop train hotpotqa.train.jsonl.gz --part labeler --start built-in --to on-hotpotqa
        multihop train hotpotqa.train.jsonl.gz --part filter --start on-hotpotqa --to on-hotpotqa
        multihop train --as-is --to both
        multihop train --start built-in --mean-with encoder --keep 0.5 --to mean
        multihop train mine.jsonl --start sentence-transformers/all-mpnet-base-v2 --teacher-lm openai/gpt-4o-mini --to e
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
    replay
        How many lessons to draw from the questions of several hops, beside those that teach to read.
    per_paragraph
        How many questions of one paragraph to learn to read from at most.
    described
        How many sentences of the files that teach to read to learn from as well, each with a name in it put as the
        description of what it names.
    composed
        How many questions of several hops to make of the files that teach to read at most, and to learn from as well:
        where one asks about what another answers, its name becomes that question.
    part
        What learns: the judge of passages, the reader of several pages at once, EfficientRAG's labeler, which sees the
        last query and a passage, or its filter, which makes the next query of both, or the embedding that searches; the
        other parts stay as they are.
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
    teacher_lm
        An LM that marks what matters in each gold paragraph and picks the words of the next queries, and takes the
        questions apart whose set does not say how.
    as_is
        Train nothing: write the encoder as the last checkpoint of a training that goes on, or was killed, has it.
    mean_with
        Train nothing: make the part the mean of what it is in `--start` and in this encoder, which was trained apart
        from it, with other seeds or lessons. `--keep` is the share of `--start`.
    """
    import sys

    import dspy
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from ...base import InputError
    from ...base.terminal import Terminal
    from ...data import open_corpus, open_questions
    from ...lms import open_lm
    from ...training.encoder_training import train_encoder, write_checkpoint
    from ...training.lessons.teacher import Teacher
    from ...training.mean import write_mean
    from ...training.mix import efficient_rag_lessons, mixed_lessons, read_items, reader_lessons
    from ..opening.work_line import working

    console, to = Terminal(file=sys.stderr), to.expanduser()
    if as_is and mean_with:
        raise InputError("--as-is writes a checkpoint, and --mean-with a mean; give one of them.")
    if as_is or mean_with:
        if questions:
            option = "--as-is" if as_is else "--mean-with"
            raise InputError(f"{option} trains nothing, so that it takes no questions; leave out {questions[0]}.")
        if mean_with:
            write_mean(to, start, mean_with.expanduser(), part=part, keep=keep, precision=precision)
        else:
            write_checkpoint(to)
        _tell_size(to, json)
        return
    if not questions:
        raise InputError(
            "there is nothing to learn from: name files of training questions, as in the examples of --help."
        )
    items, others = read_items(questions)
    asked_for = {"--replay": replay, "--teacher-lm": teacher_lm, "--described": described, "--composed": composed}
    _check_part(part, {name: value for name, value in asked_for.items() if value}, bool(items))
    all_questions = [question for source in others for question in open_questions(source)]
    pages = [passage for source in corpus or () for passage in open_corpus(source)]
    teacher = Teacher() if teacher_lm else None
    unread: list[str] = []
    with dspy.context(lm=open_lm(teacher_lm) if teacher_lm else None), working("making lessons"):
        shared: dict[str, Any] = {"most": lessons, "seed": seed}
        of_items: dict[str, Any] = {"per_paragraph": per_paragraph, "described": described, "composed": composed}
        if part == "reader":
            examples = reader_lessons(items, all_questions, pages, **of_items, **shared)
        else:
            shared |= {"teacher": teacher, "tell": unread.append}
            if part in ("labeler", "filter"):
                examples = efficient_rag_lessons(part, all_questions, pages, **shared)
            else:
                examples = mixed_lessons(items, all_questions, pages, replay=replay, **of_items, **shared)
    sources = [Path(source).name for source in (*questions, *(corpus or ()))]
    if described:
        sources.append(f"{described} sentences of their paragraphs, with a name put as a description")
    if composed:
        sources.append(f"{composed} questions of several hops made of theirs")
    if teacher_lm:
        sources.append(f"labels by {teacher_lm}")
    for line in unread:
        learned = "nothing is" if part in ("labeler", "filter") else "only single hops are"
        console.print(f"{line}; of them {learned} learned from", highlight=False, markup=False)
    console.print(f"{len(examples):,} lessons from {len(items) + len(all_questions):,} questions")
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


def _check_part(part: str, given: Collection[str], items: bool) -> None:
    """Refuse options, and files that teach to read, of which a part learns nothing."""
    from ...base import InputError

    of_items = ("--replay", "--described", "--composed")
    useless = {"reader": ("--replay", "--teacher-lm"), "labeler": of_items, "filter": of_items}
    learns = {"reader": "where answers are", "labeler": "what each query finds", "filter": "what follows each query"}
    for option in useless.get(part, ()):
        if option in given:
            raise InputError(f"the {part} learns {learns[part]}, for which {option} does nothing; leave it out.")
    if items and part in ("labeler", "filter"):
        raise InputError(
            f"the {part} learns {learns[part]} from questions of several hops; leave out the files that teach to read."
        )


def _tell_size(folder: Path, json: bool) -> None:
    from ..showing.output import print_json, print_line

    size = sum(file.stat().st_size for file in folder.iterdir())
    if json:
        print_json({"folder": folder, "bytes": size})
        return
    print_line(f"wrote {folder}, {size / 1e6:.1f} MB")
