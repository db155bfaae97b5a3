"""The built-in encoder made again: questions to lessons, lessons to a network, the network to files."""

import random
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from ..base import InputError, missing_extra
from ..data import Question, World
from ..encoder.layout import WINDOW
from ..encoder.pages import READING_WINDOW
from ..retrieval import BM25, Passage
from .lessons.label import Lesson, Tags, lessons
from .lessons.teacher import Teacher

WORLD_SEED = 1000
"""The seed of the world to train on: not that of the demo and of the tests."""
EncoderPart = Literal["judge", "reader", "embed"]
TrainingProgress = Callable[[int, int, dict[str, float]], None]


def all_lessons(
    questions: Iterable[Question],
    passages: Iterable[Passage] = (),
    *,
    world: int = 150,
    most: int | None = None,
    seed: int = 0,
    teacher: Teacher | None = None,
    tags: Tags = "more-needed",
    tell: Callable[[str], None] = lambda line: None,
) -> list[Lesson]:
    """The lessons of questions, and of a generated world.

    Args:
        questions: Training questions, with paragraphs of their own or without.
        passages: The passages among which the paragraphs of those without are looked up, by title.
        world: The number of questions of the world to learn from besides.
        most: The number of all these lessons to draw by lot; all unless told.
        seed: The seed of the choice of negatives and of lessons.
        teacher: See `lessons`; the world needs none.
        tags: See `lessons`.
        tell: Called with a line about the questions whose gold cannot be read.

    Raises:
        InputError: There is nothing to learn from, or a teacher and nothing to ask it.
    """
    asked = list(questions)
    if teacher is not None and not asked:
        raise InputError(
            "a teacher labels questions of files, and none is given: the generated world comes with its labels; "
            "leave out --teacher-lm, or give training questions."
        )
    pool = pool_of(asked, passages)
    made = (
        list(lessons(asked, pool, BM25.build(pool), seed=seed, teacher=teacher, tags=tags, tell=tell)) if pool else []
    )
    if world:
        of_world, pages = world_of(world)
        made += lessons(of_world, pages, BM25.build(pages), seed=seed, tags=tags)
    return some_of(made, most, seed)


def pool_of(questions: Iterable[Question], passages: Iterable[Passage]) -> list[Passage]:
    """The questions' own passages and those of the corpora, each once and with an id that no other has.

    The same paragraph comes with many questions, and ids of different sets may clash.
    """
    own = [passage for question in questions for passage in question.passages]
    texts = {str(passage): passage for passage in [*own, *passages]}
    return [Passage(f"{place}", page.title, page.text) for place, page in enumerate(texts.values())]


def world_of(questions: int) -> tuple[list[Question], list[Passage]]:
    """The questions of a generated world to learn from, and its pages."""
    drawn = World(questions=questions, seed=WORLD_SEED)
    return list(drawn.questions()), list(drawn.passages())


def some_of(made: list[Lesson], most: int | None, seed: int) -> list[Lesson]:
    """So many of the lessons at most, drawn by lot.

    Raises:
        InputError: There are none.
    """
    if not made:
        raise InputError("there is nothing to learn from: no question has its gold paragraphs at hand.")
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)


def train_encoder(
    lessons: Sequence[Lesson],
    folder: Path,
    *,
    part: EncoderPart = "judge",
    start: str | None = None,
    epochs: int = 1,
    learning_rate: float = 1.5e-4,
    precision: str = "int8",
    keep: float = 0.0,
    seed: int = 0,
    sources: Sequence[str] = (),
    progress: TrainingProgress = lambda done, of, losses: None,
) -> None:
    """Train an encoder on lessons and write its folder; a run that was killed goes on from its last checkpoint.

    Args:
        lessons: The lessons.
        folder: The folder of the encoder; checkpoints are in FOLDER.training until it is finished.
        part: "judge", "reader", or "embed": then questions and the paragraphs that help with them are brought together.
        start: The transformer to begin with, a folder or a name on the hub; all-MiniLM-L6-v2 if not given. It should
            embed sentences well. Or the folder of an encoder, or "built-in": then that part of it is trained further,
            and the other stays as it is.
        epochs: The number of passes over all lessons.
        learning_rate: The highest.
        precision: "int8", or "float32".
        keep: The share of what the part was before that it keeps: at the end each weight becomes the mean of before and
            after. It then does what either does, and often better.
        seed: The seed of the order of the lessons.
        sources: The sources that the lessons were made from, for the model card.
        progress: Told how many lessons are done, of how many, and the mean losses.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        InputError: `start` is neither a transformer nor an encoder, or FOLDER.training holds another training.
    """
    try:
        from .network.checkpoint import note_training
        from .network.train import train_network
        from .network.train_embed import train_embedder
        from .trainee import Trainee
    except ImportError as error:
        raise missing_extra("training", "train", error) from None
    scratch = _scratch(folder)
    options: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate, "seed": seed}
    about = {"part": part, "begin": start, "lessons": len(lessons), **options, "precision": precision, "keep": keep}
    trainee = Trainee.open(start)
    before = trainee.state(part)
    note_training(scratch, about | {"sources": list(sources)})
    vectors = trainee.vectors()
    if part == "embed":
        train_embedder(trainee.embed, vectors, trainee.tokenizer, lessons, scratch, **options, progress=progress)
    else:
        network, window = (trainee.reader, READING_WINDOW) if part == "reader" else (trainee.judge, WINDOW)
        options |= {"window": window, "progress": progress}
        train_network(network, vectors, trainee.tokenizer, lessons, scratch, **options)
    trainee.keep(part, before, keep)
    trainee.write(folder, about | {"sources": list(sources)})
    shutil.rmtree(scratch)


def write_checkpoint(folder: Path) -> None:
    """Write the encoder as the last checkpoint of an unfinished training has it; the training may go on meanwhile.

    Args:
        folder: The one that the training will write.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        InputError: There is no checkpoint.
    """
    try:
        from .network.checkpoint import read_about, resume_checkpoint
        from .trainee import Trainee
    except ImportError as error:
        raise missing_extra("training", "train", error) from None
    about = read_about(_scratch(folder))
    trainee = Trainee.open(about["begin"])
    before = trainee.state(about["part"])
    resume_checkpoint(_scratch(folder), trainee.part(about["part"]))
    trainee.keep(about["part"], before, about["keep"])
    trainee.write(folder, about)


def _scratch(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.training")
