"""The built-in encoder made again: lessons to a network, the network to files."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..base import missing_extra
from ..encoder.layout import WINDOW
from ..encoder.pages import READING_WINDOW
from .lessons.lesson import Lesson
from .mix import EncoderPart

QUERIES = 1200
"""Tokens that the filter learns from in a step: its inputs are short, and of longer steps there would be few."""


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
    progress: Callable[[int, int, dict[str, float]], None] = lambda done, of, losses: None,
) -> None:
    """Train an encoder on lessons and write its folder; a run that was killed goes on from its last checkpoint.

    Args:
        lessons: The lessons.
        folder: The folder of the encoder; checkpoints are in FOLDER.training until it is finished.
        part: The network that learns; "labeler" and "filter" are those of EfficientRAG, which begin as the judge.
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
        from .trainee import Trainee
    except ImportError as error:
        raise missing_extra("training", "train", error) from None
    scratch = _scratch(folder)
    options: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate, "seed": seed}
    about = {"part": part, "begin": start, "lessons": len(lessons), **options, "precision": precision, "keep": keep}
    about["sources"] = list(sources)
    trainee = Trainee.open(start)
    before = trainee.state(part)
    note_training(scratch, about)
    vectors = trainee.vectors()
    options |= {"window": READING_WINDOW if part == "reader" else WINDOW, "progress": progress}
    if part == "filter":
        options["tokens"] = QUERIES
    train_network(trainee.part(part), vectors, trainee.tokenizer, lessons, scratch, **options)
    trainee.keep(part, before, keep)
    trainee.write(folder, about)
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
