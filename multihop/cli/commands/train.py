"""`multihop train`: EfficientRAG's labeler and filter, and the other parts of an encoder, learned from questions."""

import random
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ... import data
from ...base import InputError, needing_extra
from ...base.terminal import Terminal
from ..output import print_line, tell_result
from ..process import working
from ..shared_options import AtLeastOne, AtMost, OutputOptions, Proportion, Several, pick


@dataclass(frozen=True, kw_only=True)
class TrainOptions(OutputOptions):
    """The options of `train`."""

    to: Path
    """The folder to write. Checkpoints are in a folder of this name with `.training` after it until it is finished."""
    corpus: Several = None
    """Corpora in which gold paragraphs are looked up by title if they do not come with their question."""
    part: Literal["judge", "reader", "labeler", "filter"] = "judge"
    """The part that learns: EfficientRAG's labeler, which sees the last query and a passage, or its filter, which makes
    the next query of both; the judge of passages, or the reader of several pages at once. The others stay as they
    are."""
    start: str | None = None
    """The transformer to begin with, a folder or a name on the hub, all-MiniLM-L6-v2 by default; or an encoder's
    folder, or `built-in`, to train it further."""
    lessons: AtMost = None
    """Lessons to draw at random, for a shorter training; all by default."""
    hold_back: Proportion = 0.0
    """The share of the questions to measure the loss with, ten times in a training. The best of these states becomes
    the encoder, and the training ends after three that are no better."""
    epochs: AtLeastOne = 1
    """Times that all lessons are seen."""
    learning_rate: Annotated[float, Parameter(validator=Number(gt=0))] = 1.5e-4
    """The highest learning rate."""
    seed: int = 0
    """Draws the lessons and their order."""


def train_command(*questions: str, options: TrainOptions) -> None:
    """Train a part of an encoder: EfficientRAG's labeler or filter, a judge, or a reader.

    It needs the extra [train]. After a kill, the same command goes on from the last checkpoint.

    For example:

        multihop train hotpotqa.train.jsonl.gz --part labeler --start built-in --to on-hotpotqa
        multihop train hotpotqa.train.jsonl.gz --part filter --start on-hotpotqa --to on-hotpotqa
        multihop evaluate efficientrag --set weights=on-hotpotqa --out runs/on-hotpotqa
        multihop train musique.extra.jsonl.gz --corpus musique.corpus.jsonl.gz --to encoder
        multihop train mine.jsonl --start built-in --learning-rate 5e-5 --hold-back 0.05 --to mine
        multihop train squad.jsonl.gz musique.train.jsonl.gz --part reader --start built-in --to with-reader
        multihop evaluate ranked-rag --lm local --lm-set weights=mine --set weights=mine --out runs/mine

    Parameters
    ----------
    questions
        Files of training questions, of one hop or several: with paragraphs of their own, or with the titles of their
        gold paragraphs. Those that say that none of their paragraphs answers teach that too.
    """
    if not questions:
        raise InputError(
            "there is nothing to learn from: name files of training questions, as in the examples of --help."
        )
    made, measured = _lessons(questions, options)
    with needing_extra("training", "train"):
        from ...training.trainer import TrainingOptions, train_encoder
    training = TrainingOptions(**pick(options, "part", "start", "epochs", "learning_rate", "seed"))
    sources = [Path(source).name for source in (*questions, *(options.corpus or ()))]
    folder = options.to.expanduser()
    with redirect_stdout(sys.stderr):  # the Trainer tells its losses there
        train_encoder(made, folder, training, held_back=measured, sources=sources, quiet=options.quiet)
    size = sum(file.stat().st_size for file in folder.iterdir())
    told = f"wrote {folder}, {size / 1e6:.1f} MB"
    tell_result(options.json, lambda: {"folder": folder, "bytes": size}, lambda _: print_line(told))


def _lessons(questions: Sequence[str], options: TrainOptions) -> tuple[Sequence[Any], Sequence[Any]]:
    """The lessons to learn from, and those to measure with, of a share of the questions that is drawn at random."""
    from ...training.lessons import make_lessons

    part, seed = options.part, options.seed
    asked = [question for source in questions for question in data.open_questions(source)]
    pages = [passage for source in options.corpus or () for passage in data.open_corpus(source)]
    size = max(1, round(options.hold_back * len(asked))) if options.hold_back else 0
    drawn = random.Random(seed).sample(asked, len(asked)) if size else asked
    with working("making lessons"):
        made = make_lessons(part, drawn[size:], pages, most=options.lessons, seed=seed)
        measured = make_lessons(part, drawn[:size], pages, seed=seed) if size else []
    Terminal(file=sys.stderr).print(
        f"{len(made):,} lessons from {len(asked):,} questions, {len(measured):,} to measure with"
    )
    return made, measured
