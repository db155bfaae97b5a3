"""Training the encoder's heads on lessons: one loop, a fixed seed, checkpoints that a killed run goes on from."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ...encoder.layout import TOKENS, WINDOW
from ..lessons.lesson import Lesson
from .batches import ANSWERS, IGNORED, STEP, Batch, batches
from .network import Network
from .steps import TrainingProgress, like_lengths, take_steps

# How much each head's loss weighs.
_WEIGHTS = {"ranking": 1.0, "verdicts": 1.0, "useful": 0.5, "kept": 0.5, "answer": 0.3, "span": 0.5}


def train_network(
    network: Network,
    vectors: torch.Tensor,
    tokenizer: Tokenizer,
    lessons: Sequence[Lesson],
    folder: Path,
    *,
    epochs: int = 2,
    learning_rate: float = 1e-4,
    seed: int = 0,
    window: int = WINDOW,
    tokens: int = STEP,
    save_every: int = 50,
    progress: TrainingProgress = lambda done, of, losses: None,
) -> None:
    """Train the network in place; a run that was killed goes on from the last checkpoint in the folder.

    `vectors` is the table of word vectors, one row a token, on the network's device. A step learns from so many
    `tokens` at most. With each pass over the lessons the learning rate rises at first, to the one given, and then falls
    to 0.
    """
    device = next(network.parameters()).device

    def losses_of(worker: Network, batch: Batch) -> dict[str, torch.Tensor]:
        on_device = Batch(*(each.to(device) for each in batch))
        pooled, tokens = verdicts_on(worker, vectors, on_device)
        return _losses(pooled.float(), tokens.float(), on_device)

    take_steps(
        network,
        _epochs(lessons, tokenizer, epochs, seed, window, tokens),
        losses_of,
        folder,
        weights=_WEIGHTS,
        of=epochs * len(lessons),
        period=len(lessons),
        learning_rate=learning_rate,
        save_every=save_every,
        progress=progress,
    )


def verdicts_on(network: Network, vectors: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """The network's verdicts on a batch: those of each input and of each token."""
    precision = next(network.parameters()).dtype
    order, pooled, tokens = [], [], []
    for rows, longest in like_lengths(network, batch.mask):
        ids, mask, types = (each[rows, :longest] for each in (batch.ids, batch.mask, batch.types))
        words = torch.nn.functional.embedding(ids, vectors).to(precision)
        verdicts, marks = network(words, types, mask)
        order.append(rows)
        pooled.append(verdicts)
        tokens.append(torch.nn.functional.pad(marks, (0, 0, 0, batch.mask.shape[1] - longest)))
    back = torch.cat(order).argsort()
    return torch.cat(pooled)[back], torch.cat(tokens)[back]


def _epochs(
    lessons: Sequence[Lesson], tokenizer: Tokenizer, epochs: int, seed: int, window: int, tokens: int
) -> Iterator[tuple[Batch, int]]:
    for epoch in range(epochs):
        for batch in batches(lessons, tokenizer, random.Random(f"{seed} {epoch}"), window=window, tokens=tokens):
            yield batch, len(set(batch.group.tolist()))


def _losses(pooled: torch.Tensor, tokens: torch.Tensor, batch: Batch) -> dict[str, torch.Tensor]:
    judged = batch.verdicts[:, 0] != IGNORED
    useful, kept, start, end = (tokens[..., TOKENS.index(name)] for name in TOKENS)
    answers, padding = pooled[:, ANSWERS:], batch.types == 0
    losses = {"useful": _marks(useful, batch.useful), "kept": _marks(kept, batch.kept)}
    if judged.any():  # the filter learns from queries alone
        losses["ranking"] = _ranking(pooled[judged, 0], batch.group[judged], batch.verdicts[judged, 0] == 1)
        losses["verdicts"] = binary_cross_entropy_with_logits(pooled[judged, :3], batch.verdicts[judged].float())
    if (batch.answer != IGNORED).any():
        losses["answer"] = cross_entropy(answers, batch.answer, ignore_index=IGNORED)
    if (batch.start != IGNORED).any():
        inside = [each.masked_fill(padding, -1e4) for each in (start, end)]
        targets = (batch.start, batch.end)
        losses["span"] = sum(
            (
                cross_entropy(logits, target, ignore_index=IGNORED)
                for logits, target in zip(inside, targets, strict=True)
            ),
            torch.zeros(()),
        )
    return losses


def _ranking(scores: torch.Tensor, group: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """For each right one: how surely it is told from the wrong ones of its group."""
    same = group[:, None] == group[None, :]
    rivals = torch.where(same & ~right[None, :], scores[None, :], scores.new_tensor(-1e4)).logsumexp(1)
    surely = torch.nn.functional.softplus(rivals - scores)[right]
    return surely.mean() if len(surely) else scores.new_zeros(())  # a batch may hold nothing that is right


def _marks(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    counted = targets != IGNORED
    if not counted.any():
        return logits.new_zeros(())
    return binary_cross_entropy_with_logits(logits[counted], targets[counted].float())
