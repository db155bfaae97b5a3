"""The steps of a training: which weights learn, how fast, and in which numbers."""

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

import torch

from .checkpoint import resume_checkpoint, save_checkpoint

ABREAST = 16
"""The number of inputs that go through the network at once on a processor, times the bytes of a number."""
WARM_UP = 0.06
"""The share of the steps in which the learning rate rises."""
CLEARLY = 0.8
"""From this share of the time of whole numbers on, half-precision ones are not worth their rounding."""
TrainingProgress = Callable[[int, int, dict[str, float]], None]
"""Told how many examples are done, of how many, and the mean losses."""
Batch = TypeVar("Batch")


def groups(network: torch.nn.Module) -> list[dict[str, Any]]:
    """Weights decay, biases and norms do not; the word table does not learn."""
    for name, value in network.named_parameters():
        value.requires_grad = "word_embeddings" not in name
    learning = [value for value in network.parameters() if value.requires_grad]
    return [
        {"params": [value for value in learning if value.ndim > 1], "weight_decay": 0.01},
        {"params": [value for value in learning if value.ndim == 1], "weight_decay": 0.0},
    ]


def rate(share: float) -> float:
    """The learning rate, as a share of the highest, after that share of the lessons: it rises and then falls to 0.

    Examples:
        >>> from multihop.training.network.steps import rate
        >>> [round(rate(share), 2) for share in (0, 0.03, 0.06, 0.53, 1)]
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return share / WARM_UP if share < WARM_UP else 0.5 * (1 + math.cos(math.pi * (share - WARM_UP) / (1 - WARM_UP)))


def fast_precision(device: torch.device) -> torch.dtype:
    """The numbers to compute with: half-precision ones where they are faster.

    They take half as long on a GPU, on a processor that multiplies matrices of them (AMX), and on some that multiply
    vectors of them; on others that can as well they take longer than whole ones, so that a processor is tried.
    """
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    return torch.bfloat16 if device.type == "cpu" and _half_is_faster() else torch.float32


@lru_cache(maxsize=1)  # one process computes with the same numbers throughout
def _half_is_faster() -> bool:
    if not getattr(torch.cpu, "_is_avx512_bf16_supported", bool)():
        return False
    return _seconds(torch.bfloat16) < CLEARLY * _seconds(torch.float32)


def _seconds(precision: torch.dtype) -> float:
    """The processor's time for a product like those of a layer, whatever others do: the least of several."""
    states, weights = torch.ones(800, 384, dtype=precision), torch.ones(384, 1536, dtype=precision)
    taken = []
    for _ in range(20):
        started = time.process_time()
        states @ weights
        taken.append(time.process_time() - started)
    return min(taken)


def take_steps(
    network: torch.nn.Module,
    batches: Iterable[tuple[Batch, int]],
    losses_of: Callable[[Any, Batch], dict[str, torch.Tensor]],
    folder: Path,
    *,
    weights: Mapping[str, float],
    of: int,
    period: int,
    learning_rate: float,
    save_every: int,
    progress: TrainingProgress,
) -> None:
    """Train a network in place, one step a batch; a run that was killed goes on from its last checkpoint.

    Args:
        network: The network.
        batches: What each step learns from, and how many examples that are.
        losses_of: The losses of the network on a batch, by name.
        folder: The folder of checkpoints.
        weights: How much each loss weighs.
        of: Examples in all.
        period: Examples after which the learning rate begins anew.
        learning_rate: The highest.
        save_every: Steps between two checkpoints.
        progress: Told how many examples are done, of how many, and the mean losses since it was last told.
    """
    optimizer = torch.optim.AdamW(groups(network), lr=learning_rate)
    done = resume_checkpoint(folder, network, optimizer)
    # The worker may compute in half of the network's precision.
    worker = copy.deepcopy(network).to(fast_precision(next(network.parameters()).device)).train()
    told: dict[str, list[float]] = {}
    seen = 0
    for step, (batch, size) in enumerate(batches, 1):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate * rate(seen % period / period)
        seen += size
        if step <= done:
            continue
        losses = losses_of(worker, batch)
        loss = sum((weights[name] * value for name, value in losses.items()), torch.zeros(()))
        loss.backward()  # type: ignore[no-untyped-call]
        step_both(network, worker, optimizer)
        for name, value in losses.items():
            told.setdefault(name, []).append(value.item())
        if step % save_every == 0 or seen == of:
            save_checkpoint(folder, network, optimizer, step)
            progress(seen, of, {name: fmean(values) for name, values in told.items()})
            told = {}
    network.eval()


def like_lengths(network: torch.nn.Module, mask: torch.Tensor) -> Iterator[tuple[torch.Tensor, int]]:
    """The places of inputs of like length that go through the network together, and the longest of them, in tokens.

    They are few at a time on a processor: that halves the time of a step, since a third of a batch would be padding,
    and what a few inputs need stays in its cache.
    """
    lengths = mask.sum(1)
    order = lengths.argsort(stable=True)
    abreast = ABREAST // next(network.parameters()).dtype.itemsize if mask.device.type == "cpu" else len(order)
    for start in range(0, len(order), abreast):
        rows = order[start : start + abreast]
        yield rows, int(lengths[rows].max())


def step_both(network: torch.nn.Module, worker: torch.nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Move the network by the gradients of the worker, which may compute in half of the network's precision."""
    both = zip(network.parameters(), worker.parameters(), strict=True)
    pairs = [(own, half) for own, half in both if own.requires_grad]
    for own, half in pairs:
        own.grad = None if half.grad is None else half.grad.float()
        half.grad = None
    torch.nn.utils.clip_grad_norm_([own for own, _ in pairs], 1.0)
    optimizer.step()
    with torch.no_grad():
        for own, half in pairs:
            half.copy_(own)
