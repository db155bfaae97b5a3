"""Training the embedding: a question next to the paragraphs that help, far from those of other questions."""

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

from ...base import InputError
from ...encoder.layout import borders
from ..lessons.label import Lesson
from ..lessons.next_query import QueryLesson
from .network import Pooling
from .steps import TrainingProgress, like_lengths, take_steps

PAIRS = 64
"""Questions that are told apart at once."""
LONGEST = 160
"""Tokens of a text at most."""
SHARPNESS = 20.0
"""The factor that the cosine is multiplied by."""


class SearchPair(NamedTuple):
    """A question, a paragraph that helps, and one that only looks like it."""

    question: str
    right: str
    wrong: str


def search_pairs(lessons: Iterable[Lesson]) -> Iterator[SearchPair]:
    """Each search with a passage that helps then, and one that does not.

    The search is the question while nothing is known, and the next query after something is.
    """
    for lesson in lessons:
        wrong = [each.pair.passage for each in lesson.candidates if not each.relevant]
        right = [each.pair for each in lesson.candidates if each.relevant]
        written = [_written(query) for query in lesson.queries]
        for pair, misleading in zip(right, wrong, strict=False):
            for text in written if pair.known else [pair.question]:
                yield SearchPair(text, pair.passage, misleading)


def _written(query: QueryLesson) -> str:
    """The next query: the words that it keeps of the question and of what was found."""
    picked = ((query.pair.question, query.asked), (query.pair.passage, query.found))
    return " ".join(text[slice(*span)] for text, spans in picked for span in spans)


def train_embedder(
    network: Pooling,
    vectors: torch.Tensor,
    tokenizer: Tokenizer,
    lessons: Sequence[Lesson],
    folder: Path,
    *,
    epochs: int = 1,
    learning_rate: float = 2e-5,
    seed: int = 0,
    save_every: int = 20,
    progress: TrainingProgress = lambda done, of, losses: None,
) -> None:
    """Train the embedding in place, as `train_network` does; the learning rate falls once, over all passes.

    Raises:
        InputError: No lesson has a paragraph that helps and one that does not.
    """
    pairs = list(search_pairs(lessons))
    if not pairs:
        raise InputError(
            "there is nothing to learn searching from: no lesson has a paragraph that helps and one that does not; "
            "give questions with gold paragraphs."
        )
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    take_steps(
        network,
        ((part, len(part)) for part in _parts(pairs, epochs, seed)),
        lambda worker, part: {"contrast": contrast(worker, vectors, tokenizer, part)},
        folder,
        weights={"contrast": 1.0},
        of=epochs * len(pairs),
        period=epochs * len(pairs),
        learning_rate=learning_rate,
        save_every=save_every,
        progress=progress,
    )


def contrast(
    network: Pooling, vectors: torch.Tensor, tokenizer: Tokenizer, pairs: Sequence[SearchPair]
) -> torch.Tensor:
    """The loss: low where each question's paragraph is told from those of the others and from the misleading ones."""
    texts = [*(pair.right for pair in pairs), *(pair.wrong for pair in pairs)]
    asked = embed(network, vectors, tokenizer, [pair.question for pair in pairs])
    scores = SHARPNESS * asked @ embed(network, vectors, tokenizer, texts).T
    same = torch.tensor([_right_too(pairs, row, texts) for row in range(len(pairs))])
    scores = scores.masked_fill(same.to(scores.device), -1e4)
    return torch.nn.functional.cross_entropy(scores, torch.arange(len(pairs), device=scores.device))


def _right_too(pairs: Sequence[SearchPair], row: int, texts: Sequence[str]) -> list[bool]:
    """For each text, True if it is right for this question too, beside the one of its own pair."""
    right = {pair.right for pair in pairs if pair.question == pairs[row].question}
    return [text in right and place != row for place, text in enumerate(texts)]


def embed(network: Pooling, vectors: torch.Tensor, tokenizer: Tokenizer, texts: Sequence[str]) -> torch.Tensor:
    """The vectors of texts, in their order; those of like length go through the network together, few at a time."""
    first, last = borders(tokenizer)
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    ids = [[first, *each.ids[: LONGEST - 2], last] for each in encoded]
    longest = max(map(len, ids))
    padded = torch.tensor([[*row, *[0] * (longest - len(row))] for row in ids], device=vectors.device)
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in ids], device=vectors.device)
    precision = next(network.parameters()).dtype
    order, made = [], []
    for rows, most in like_lengths(network, mask):
        words = torch.nn.functional.embedding(padded[rows, :most], vectors).to(precision)
        order.append(rows)
        made.append(network(words, mask[rows, :most])[0].float())
    return torch.cat(made)[torch.cat(order).argsort()]


def _parts(pairs: Sequence[SearchPair], epochs: int, seed: int) -> Iterator[list[SearchPair]]:
    for epoch in range(epochs):
        order = list(pairs)
        random.Random(f"{seed} {epoch}").shuffle(order)
        yield from (order[start : start + PAIRS] for start in range(0, len(order), PAIRS))
