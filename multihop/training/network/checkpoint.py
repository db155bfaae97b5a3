"""The state of a training after so many steps, so that a run that was killed goes on."""

from pathlib import Path
from typing import Any

import torch
import ujson

from ...base import InputError, MismatchError, writing

CHECKPOINT = "checkpoint.pt"
ABOUT = "about.json"


def save_checkpoint(folder: Path, network: torch.nn.Module, optimizer: torch.optim.Optimizer, step: int) -> None:
    """Write the state after a step; it replaces the one before only once it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    state = {"network": network.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
    with writing(folder / CHECKPOINT, "wb") as file:
        torch.save(state, file)


def resume_checkpoint(folder: Path, network: torch.nn.Module, optimizer: torch.optim.Optimizer | None = None) -> int:
    """The steps that are done, with everything as it was after them."""
    if not (folder / CHECKPOINT).exists():
        return 0
    state = torch.load(folder / CHECKPOINT, map_location="cpu", weights_only=True)
    network.load_state_dict(state["network"])
    if optimizer is not None:
        optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])


def note_training(folder: Path, about: dict[str, Any]) -> None:
    """Write down what a training learns from, or see that the one that is there learns from the same.

    Raises:
        MismatchError: The folder holds the checkpoint of another training.
    """
    if (folder / ABOUT).is_file():
        earlier = ujson.loads((folder / ABOUT).read_bytes())
        differ = [name for name, value in about.items() if earlier.get(name) != value]
        if differ:
            raise MismatchError(
                f"{folder} holds another training, whose {differ[0]} is {earlier.get(differ[0])!r}, not "
                f"{about[differ[0]]!r}; issue its own command to go on with it, or remove the folder."
            )
        return
    folder.mkdir(parents=True, exist_ok=True)
    with writing(folder / ABOUT) as file:
        file.write(ujson.dumps(about, indent=2, ensure_ascii=False, escape_forward_slashes=False))


def read_about(folder: Path) -> dict[str, Any]:
    """Read the sources that the training in a folder learns from.

    Raises:
        InputError: There is none.
    """
    if not (folder / ABOUT).is_file() or not (folder / CHECKPOINT).is_file():
        raise InputError(f"{folder} holds no checkpoint; a training writes its first one after some minutes.")
    about: dict[str, Any] = ujson.loads((folder / ABOUT).read_bytes())
    return about
