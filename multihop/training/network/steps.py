"""One step of a training: which weights learn, how fast, and in which numbers."""

import math
import time
from functools import lru_cache
from typing import Any

import torch

WARM_UP = 0.06
"""The share of the steps in which the learning rate rises."""
CLEARLY = 0.8
"""From this share of the time of whole numbers on, half-precision ones are not worth their rounding."""


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
