"""`multihop train`: the built-in encoder made again, or one of your own."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from pydantic import Field

from ..runtime import Count


def train_command(
    *questions: str,
    to: Path,
    corpus: Annotated[list[str] | None, Parameter(negative=())] = None,
    world: Annotated[int, Field(ge=0)] = 150,
    lessons: Count | None = None,
    start: str | None = None,
    epochs: Count = 1,
    learning_rate: Annotated[float, Field(gt=0)] = 1.5e-4,
    precision: Literal["int8", "float32"] = "int8",
    seed: int = 0,
    teacher_lm: str | None = None,
) -> None:
    """Train the encoder behind `local`, `efficientrag` and the dense retriever, and write its folder.

    It needs the extra [train]. After a kill, the same command goes on from the last checkpoint.

    For example:

        multihop train hotpotqa.train.jsonl.gz musique.train.jsonl.gz --to encoder
        multihop train musique.extra.jsonl.gz --corpus musique.corpus.jsonl.gz --to encoder
        multihop train mine.jsonl --start built-in --learning-rate 5e-5 --to encoder
        multihop train mine.jsonl --start sentence-transformers/all-mpnet-base-v2 --teacher-lm openai/gpt-4o-mini --to e
        multihop evaluate efficientrag --lm local --lm-set weights=encoder --set weights=encoder --out runs/own-encoder

    Parameters
    ----------
    questions
        Files of training questions: with paragraphs of their own, or with the titles of their gold paragraphs.
    to
        The folder to write.
    corpus
        Corpora in which gold paragraphs are looked up by title if they do not come with their question.
    world
        How many questions of a generated world to learn from as well.
    lessons
        How many of all lessons to draw at random, for a shorter training; all by default.
    start
        The transformer to begin with, a folder or a name on the hub, all-MiniLM-L6-v2 by default; or an encoder's
        folder, or `built-in`, to train its heads further.
    epochs
        How often all lessons are seen.
    learning_rate
        The highest learning rate.
    precision
        How the weights are stored and computed with.
    seed
        The same seed gives the same lessons in the same order.
    teacher_lm
        An LM that takes the questions apart whose set does not say how.
    """
    import sys

    import dspy
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from ..data import open_corpus, open_questions
    from ..models import open_lm
    from ..optimize.training.encoder_training import all_lessons, train_encoder
    from ..optimize.training.teacher import Teacher
    from ..terminal.sources import working

    console, to = Console(file=sys.stderr), to.expanduser()
    asked = [question for source in questions for question in open_questions(source)]
    pages = [passage for source in corpus or () for passage in open_corpus(source)]
    teacher = Teacher() if teacher_lm else None
    unread: list[str] = []
    with dspy.context(lm=open_lm(teacher_lm) if teacher_lm else None), working("making lessons"):
        chosen = all_lessons(asked, pages, world=world, most=lessons, seed=seed, teacher=teacher, tell=unread.append)
    sources = [Path(source).name for source in (*questions, *(corpus or ()))]
    if world:
        sources.append(f"{world} questions of a generated world")
    if teacher_lm:
        sources.append(f"labels by {teacher_lm}")
    for line in unread:
        console.print(f"{line}; of them only single hops are learned from", highlight=False, markup=False)
    console.print(f"{len(chosen):,} lessons from {len(asked):,} questions and {world} of the world")
    columns = (TextColumn("training {task.completed:,} of {task.total:,}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=epochs * len(chosen))

        def progress(done: int, of: int, losses: dict[str, float]) -> None:
            bar.update(task, completed=done)
            line = "  ".join(f"{name} {loss:.3f}" for name, loss in losses.items())
            bar.console.print(f"{done:>8,} of {of:,}  {line}", highlight=False)

        train_encoder(
            chosen, to, start=start, epochs=epochs, learning_rate=learning_rate, precision=precision, seed=seed,
            sources=sources, progress=progress,
        )  # fmt: skip
    size = sum(file.stat().st_size for file in to.iterdir()) / 1e6
    Console().print(f"wrote {to}, {size:.1f} MB", highlight=False, soft_wrap=True)
