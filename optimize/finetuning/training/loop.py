"""The training itself: steps, looks at what is held out, the best weights kept, and a state to go on from."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import ceil
from typing import Any

from ....base.progress_line import brief, clock
from .checkpoint import BEST, STATE, Checkpoints
from .conversations import Example, Examples
from .losses import Losses, answer_tokens
from .options import TrainingOptions
from .packing import packs, steps_of_pass


@dataclass
class Curve:
    """How a training went, or how far it is."""

    losses: list[float] = field(default_factory=list)
    """The mean loss of a token of each step."""
    held_out: list[list[float]] = field(default_factory=list)
    """After so many steps, the loss on what is held out."""
    seconds: float = 0.0
    """The time that it took, without what lay between two sittings."""
    tokens: int = 0
    """The tokens of the rows that went through it."""

    @property
    def best(self) -> int:
        """The place in `held_out` of the least loss."""
        return min(range(len(self.held_out)), key=lambda place: self.held_out[place][1])

    @property
    def kept(self) -> int:
        """The number of steps after which the weights are those of the result."""
        return int(self.held_out[self.best][0]) if self.held_out else len(self.losses)


def learning_rate(step: int, steps: int, options: TrainingOptions) -> float:
    """The learning rate of a step: it rises at first, and falls linearly to 0.

    Examples:
        >>> from multihop.optimize.finetuning.training.loop import learning_rate
        >>> from multihop.optimize.finetuning.training.options import TrainingOptions
        >>> options = TrainingOptions(learning_rate=1.0, warmup=0.5)
        >>> [learning_rate(step, 4, options) for step in range(4)]
        [0.5, 1.0, 1.0, 0.5]
    """
    warm = ceil(options.warmup * steps)
    if step < warm:
        return options.peak * (step + 1) / warm
    return options.peak * (steps - step) / max(1, steps - warm)


def train(
    losses: Losses,
    examples: Examples,
    options: TrainingOptions,
    checkpoints: Checkpoints,
    show: Callable[[str], None],
) -> Curve:
    """Train the network; afterwards it has the best weights.

    Args:
        losses: Measures the network's losses.
        examples: The conversations.
        options: Those of the training.
        checkpoints: Where it goes on, and is left for the next call.
        show: Called after each step with a line that says how far it is.
    """
    import torch

    network = losses.network
    learned = {name: weight for name, weight in network.named_parameters() if weight.requires_grad}
    optimizer = torch.optim.AdamW(learned.values(), lr=0.0, weight_decay=options.decay)
    in_pass = ceil(len(examples.trained) / options.batch)
    steps, every = options.epochs * in_pass, options.check_every or max(1, ceil(in_pass / 2))
    curve = _taken_up(checkpoints, learned, optimizer)
    before, began = curve.seconds, time.monotonic()
    if not curve.losses and examples.held_out:
        curve.held_out.append([0, losses.mean(examples.held_out)])
    network.train()
    while len(curve.losses) < steps and not _is_enough(curve, options):
        number, place = divmod(len(curve.losses), in_pass)
        rows = steps_of_pass(examples.trained, number, batch=options.batch, seed=options.seed)[place]
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(len(curve.losses), steps, options)
        curve.losses.append(_step(losses, rows, learned, optimizer, options))
        curve.tokens += sum(len(row.tokens) for row in rows)
        curve.seconds = before + time.monotonic() - began
        done = len(curve.losses)
        if done % every == 0 or done == steps:
            if examples.held_out:
                curve.held_out.append([done, losses.mean(examples.held_out)])
                if curve.best == len(curve.held_out) - 1:
                    checkpoints.write(BEST, learned)
            curve.seconds = before + time.monotonic() - began
            _leave(checkpoints, learned, optimizer, curve)
        show(progress_line(curve, steps))
    if examples.held_out and curve.kept:
        _put(learned, checkpoints.read(BEST))
    return curve


def progress_line(curve: Curve, steps: int) -> str:
    """A line that says how far a training is.

    Examples:
        >>> from multihop.optimize.finetuning.training.loop import Curve, progress_line
        >>> progress_line(Curve([2.0, 1.0], [[0, 2.5], [2, 1.25]], 4.0, 6000), 10)
        'step 2/10  loss 1.000  held-out 1.250  1.5k tokens/s  0:16 left'
    """
    done, seconds = len(curve.losses), max(curve.seconds, 1e-9)
    parts = [f"step {done:,}/{steps:,}", f"loss {curve.losses[-1]:.3f}"]
    if curve.held_out:
        parts.append(f"held-out {curve.held_out[-1][1]:.3f}")
    left = clock(seconds / done * (steps - done))
    return "  ".join([*parts, f"{brief(round(curve.tokens / seconds))} tokens/s", f"{left} left"])


def _step(
    losses: Losses, rows: Sequence[Example], learned: dict[str, Any], optimizer: Any, options: TrainingOptions
) -> float:
    """Learn from the rows; their mean loss before."""
    import torch

    optimizer.zero_grad(set_to_none=True)
    count, total = answer_tokens(rows), 0.0
    for some in packs(rows, losses.tokens):
        with losses.rounding():
            loss = losses.of_pack(some) / count
        loss.backward()
        total += float(loss.detach())
    torch.nn.utils.clip_grad_norm_(learned.values(), options.clip)
    optimizer.step()
    return total


def _is_enough(curve: Curve, options: TrainingOptions) -> bool:
    """True if what is held out was not learned better for so many looks."""
    return bool(options.patience and curve.held_out and len(curve.held_out) - 1 - curve.best >= options.patience)


def _leave(checkpoints: Checkpoints, learned: dict[str, Any], optimizer: Any, curve: Curve) -> None:
    """Write the state to go on from."""
    import torch

    state = {
        "weights": learned,
        "optimizer": optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "random on the device": torch.cuda.get_rng_state() if torch.cuda.is_available() else None,
        "curve": asdict(curve),
    }
    checkpoints.write(STATE, state)


def _taken_up(checkpoints: Checkpoints, learned: dict[str, Any], optimizer: Any) -> Curve:
    """The state that was left, put in its place; a curve without steps where there is none."""
    import torch

    state = checkpoints.read(STATE)
    if state is None:
        return Curve()
    _put(learned, state["weights"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
    if state["random on the device"] is not None and torch.cuda.is_available():
        torch.cuda.set_rng_state(state["random on the device"])
    return Curve(**state["curve"])


def _put(learned: dict[str, Any], weights: dict[str, Any]) -> None:
    import torch

    with torch.no_grad():
        for name, weight in learned.items():
            weight.copy_(weights[name])
