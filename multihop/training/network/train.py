"""Training the encoder's heads on lessons: one loop, a fixed seed, checkpoints that a killed run goes on from."""

import copy
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

import torch
from tokenizers import Tokenizer
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ...encoder.heads import TOKENS
from ...encoder.layout import WINDOW
from ..lessons.label import Lesson
from .batches import ANSWERS, IGNORED, Batch, batches
from .checkpoint import resume_checkpoint, save_checkpoint
from .network import Network
from .steps import fast_precision, groups, rate, step_both

ABREAST = 16
"""The number of inputs that go through the network at once on a processor, times the bytes of a number."""
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
    save_every: int = 50,
    progress: Callable[[int, int, dict[str, float]], None] = lambda done, steps, losses: None,
) -> None:
    """Train the network in place.

    Args:
        network: With the transformer to start from.
        vectors: The table of word vectors, one row a token, on the network's device.
        tokenizer: The transformer's tokenizer.
        lessons: The lessons.
        folder: The folder of checkpoints, from which a run that was killed is taken up again.
        epochs: The number of passes over all lessons.
        learning_rate: The highest; with each pass over the lessons it rises at first and then falls to 0.
        seed: The seed of the order of the lessons.
        window: Tokens that the network sees at once.
        save_every: Steps between two checkpoints.
        progress: Told how many lessons are done, of how many, and the mean losses since it was last told.
    """
    optimizer = torch.optim.AdamW(groups(network), lr=learning_rate)
    done = resume_checkpoint(folder, network, optimizer)
    device = next(network.parameters()).device
    precision = fast_precision(device)
    worker = copy.deepcopy(network).to(precision).train()
    told: dict[str, list[float]] = {}
    seen = 0
    for step, batch in enumerate(_epochs(lessons, tokenizer, epochs, seed, window), 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * rate(seen % len(lessons) / len(lessons))
        seen += len(set(batch.group.tolist()))
        if step <= done:
            continue
        batch = Batch(*(each.to(device) for each in batch))
        pooled, tokens = said_of(worker, vectors, batch)
        losses = _losses(pooled.float(), tokens.float(), batch)
        loss = sum((_WEIGHTS[name] * value for name, value in losses.items()), torch.zeros(()))
        loss.backward()  # type: ignore[no-untyped-call]
        step_both(network, worker, optimizer)
        for name, value in losses.items():
            told.setdefault(name, []).append(value.item())
        if step % save_every == 0 or seen == epochs * len(lessons):
            save_checkpoint(folder, network, optimizer, step)
            progress(seen, epochs * len(lessons), {name: fmean(values) for name, values in told.items()})
            told = {}
    network.eval()


def said_of(network: Network, vectors: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """The network's verdicts on a batch: those of each input and of each token.

    Inputs of like length go through together, few at a time: on a processor that halves the time of a step, since a
    third of a batch would be padding, and what a few inputs need stays in its cache.
    """
    lengths = batch.mask.sum(1)
    order = lengths.argsort(stable=True)
    precision = next(network.parameters()).dtype
    pooled, tokens = [], []
    abreast = ABREAST // precision.itemsize if batch.mask.device.type == "cpu" else len(order)
    for start in range(0, len(order), abreast):
        rows = order[start : start + abreast]
        longest = int(lengths[rows].max())
        ids, mask, types = (each[rows, :longest] for each in (batch.ids, batch.mask, batch.types))
        words = torch.nn.functional.embedding(ids, vectors).to(precision)
        verdicts, marks = network(words, types, mask)
        pooled.append(verdicts)
        tokens.append(torch.nn.functional.pad(marks, (0, 0, 0, batch.mask.shape[1] - longest)))
    back = order.argsort()
    return torch.cat(pooled)[back], torch.cat(tokens)[back]


def _epochs(lessons: Sequence[Lesson], tokenizer: Tokenizer, epochs: int, seed: int, window: int) -> Iterator[Batch]:
    for epoch in range(epochs):
        yield from batches(lessons, tokenizer, random.Random(f"{seed} {epoch}"), window=window)


def _losses(pooled: torch.Tensor, tokens: torch.Tensor, batch: Batch) -> dict[str, torch.Tensor]:
    judged = batch.verdicts[:, 0] != IGNORED
    useful, kept, start, end = (tokens[..., TOKENS.index(name)] for name in TOKENS)
    answers, padding = pooled[:, ANSWERS:], batch.types == 0
    losses = {
        "ranking": _ranking(pooled[judged, 0], batch.group[judged], batch.verdicts[judged, 0] == 1),
        "verdicts": binary_cross_entropy_with_logits(pooled[judged, :3], batch.verdicts[judged].float()),
        "useful": _marks(useful, batch.useful),
        "kept": _marks(kept, batch.kept),
    }
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
