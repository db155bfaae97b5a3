"""One training from beginning to end: the model before, the conversations, the loop, the result in its folder."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ....base import writing_folder
from ....base.terminal import muted_errors
from ..chat_file import training_digest
from ..clone_folder import CARD, CloneCard, write_card
from .adapter import with_adapter
from .base_model import BaseModel, open_base
from .checkpoint import Checkpoints, disk_errors
from .conversations import Examples, left_out_line, make_examples
from .loop import Curve, train
from .losses import Losses
from .options import TrainingOptions

PACKAGES = ("multihop", "torch", "transformers", "peft")
LARGE = 400_000_000
"""Weights from which on layers are computed a second time instead of being kept."""


def train_clone(
    model: str,
    rows: Sequence[dict[str, Any]],
    folder: Path,
    *,
    name: str,
    training: str,
    given: Mapping[str, Any],
    tell: Callable[[str], None],
    show: Callable[[str], None],
) -> None:
    """Train the model on the rows and write it with its card to the folder, which is not there before.

    A training that was ended goes on from the folder `FOLDER.training` beside it, which is gone afterwards.

    Args:
        model: A transformers folder, or a name on the hub.
        rows: Conversations of system, user and assistant.
        folder: The folder of the trained model.
        name: The name of the clone.
        training: The digest of the training.
        given: Options by name, see `TrainingOptions`.
        tell: Called with a line about what is done otherwise than was asked.
        show: Called with a line that says how far it is.

    Raises:
        InputError: The model or the rows cannot be trained with; the message says why.
    """
    options = TrainingOptions.of(given)
    base = open_base(model)
    examples = make_examples(base, rows, longest=options.longest, held_out=options.held_out)
    if examples.left_out:
        tell(left_out_line(examples.left_out, len(rows), min(options.longest, base.context or options.longest)))
    data = training_digest("", rows, {})
    settings = {"start_from": model, "base_digest": base.digest, "data": data, **asdict(options)}
    checkpoints = Checkpoints(folder.with_name(f"{folder.name}.training"), settings)
    came_in = base.network.dtype
    losses = _prepared(base, options, examples)
    if not losses.check_packing(examples.trained):
        tell(f"the rows go through {model} one by one: packed, their losses would be others")
    curve = train(losses, examples, options, checkpoints, show)
    card = _card(base, rows, examples, curve, options, name=name, training=training, data=data)
    network = losses.network
    if options.method == "lora" and options.format != "adapter":
        network = network.merge_and_unload()
    with writing_folder(folder, marker=CARD) as scratch, disk_errors(), muted_errors():
        network.to(came_in).save_pretrained(scratch)
        base.tokenizer.save_pretrained(scratch)
        write_card(scratch, card)
    checkpoints.remove()


def _prepared(base: BaseModel, options: TrainingOptions, examples: Examples) -> Losses:
    """The network in the form in which it is trained."""
    import torch

    torch.manual_seed(options.seed)
    network = base.network
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size = sum(weight.numel() for weight in network.parameters())
    if options.method == "full":
        network.float()  # a small step is lost in the rounding of a weight of 16 bits
    again = options.gradient_checkpointing
    if size >= LARGE if again is None else again:
        network.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    if options.method == "lora":
        network = with_adapter(network, options)
    return Losses(network.to(device).train(), precision=options.precision, tokens=options.tokens)


def _card(
    base: BaseModel,
    rows: Sequence[dict[str, Any]],
    examples: Examples,
    curve: Curve,
    options: TrainingOptions,
    *,
    name: str,
    training: str,
    data: str,
) -> CloneCard:
    versions = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return {
        "name": name,
        "start_from": base.name,
        "base_digest": base.digest,
        "conversations": len(rows),
        "held_out": len(examples.held_out),
        "left_out": examples.left_out,
        "data": data,
        "options": asdict(options),
        "training": training,
        "losses": curve.losses,
        "held_out_losses": curve.held_out,
        "kept_step": curve.kept,
        "seconds": round(curve.seconds, 1),
        "tokens": curve.tokens,
        "versions": versions,
    }
