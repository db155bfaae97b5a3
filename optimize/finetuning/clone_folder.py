"""The folder of a model that was cloned on this machine: named after what it is a clone of, and never written over."""

import re
from pathlib import Path
from typing import Any, TypedDict

import ujson

from ...base import InputError, read_small, writing

CARD = "clone.json"
"""The file of a clone's folder that says what it is."""


class CloneCard(TypedDict):
    """A cloned model, as `clone.json` in its folder says it."""

    name: str
    """Its origin: the program whose decisions it learned and the step, such as "mzqa-plan"."""
    start_from: str
    """The model that it was before: a folder, or a name on the hub."""
    base_digest: str
    """A digest of that model's weights, or the commit of the hub."""
    conversations: int
    """The number of conversations that were given."""
    held_out: int
    """The number of them that were not trained on, but looked at."""
    left_out: int
    """The number of them that were too long."""
    data: str
    """A digest of the conversations."""
    options: dict[str, Any]
    """All options of the training."""
    training: str
    """A digest of the model before, of the conversations and of the options as they were given."""
    losses: list[float]
    """The mean loss of a token of each step."""
    held_out_losses: list[list[float]]
    """After so many steps, the mean loss of a token of what is held out."""
    kept_step: int
    """The number of steps after which the weights are those that were kept."""
    seconds: float
    """The time that it took."""
    tokens: int
    """The tokens of the conversations that went through it."""
    versions: dict[str, str]
    """The versions of the packages that trained it."""


def clone_folder(root: Path, name: str, start_from: str, training: str) -> Path:
    """The folder of a clone below `root`: another one for each program, step, model, set of conversations and options.

    Examples:
        >>> from pathlib import Path
        >>> from multihop.optimize.finetuning.clone_folder import clone_folder
        >>> clone_folder(Path("models"), "mzqa-plan", "Qwen/Qwen3-0.6B", "3f2a9c1d52e0").as_posix()
        'models/mzqa-plan-Qwen3-0.6B-3f2a9c1d'
    """
    return root / re.sub(r"[^\w.-]+", "-", f"{name}-{Path(start_from).name}-{training[:8]}")


def is_cloned(folder: Path, training: str) -> bool:
    """True if the folder holds the clone of this very training, False if it holds nothing yet.

    Raises:
        InputError: It holds something else, which nothing is written over.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return False
    card = read_card(folder)
    if card is not None and card["training"] == training:
        return True
    holds = "no clone that was made here"
    if card is not None:
        holds = f"another clone, {card['name']} from {card['start_from']} with {card['conversations']} conversations"
    raise InputError(f"{folder} holds {holds}; name another folder (output=FOLDER), or none.")


def read_card(folder: Path) -> CloneCard | None:
    """The card of the clone in the folder; None where there is none that can be read."""
    try:
        given: Any = ujson.loads(read_small(folder / CARD).decode("utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(given, dict) and given.keys() >= CloneCard.__annotations__.keys()
    card: CloneCard | None = given if whole else None
    return card


def write_card(folder: Path, card: CloneCard) -> None:
    """Write the card of the clone in the folder."""
    with writing(folder / CARD) as file:
        file.write(ujson.dumps(card, ensure_ascii=False, escape_forward_slashes=False, indent=2) + "\n")
