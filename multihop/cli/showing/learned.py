"""Shows in a terminal what an index has learned of its corpus."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from .output import print_line
from .tables import print_table

if TYPE_CHECKING:
    from ...training.adapting.adapting import Learned


def show_learned(learned: "Learned", index: Path, console: Console) -> None:
    """Print the worth of each part on the questions held back, what is kept, and how it is undone."""
    rows = [
        [part, f"{told.before:.1f}", f"{told.after:.1f}", f"{told.gain:+.1f}±{told.error:.1f}", _verdict(learned, part)]
        for part, told in learned.parts.items()
    ]
    if "embedding" not in learned.parts:
        rows = [["embedding", "–", "–", "–", "as it is"], *rows]
    print_table(["part", "recall@5", "learned", "nearer", ""], rows, console)
    print_line(f"{learned.learned:,} questions were learned from, {learned.held_back:,} held back", console)
    if learned.folder is None:
        print_line("nothing helps on the questions held back: nothing is written, the encoder stays as it is", console)
        return
    print_line(f"wrote {learned.folder}", console)
    print_line(f"next: multihop ask QUESTION -p ranked-rag -c {shlex.quote(str(index))}", console)
    print_line(f"undo: multihop adapt {shlex.quote(str(index))} --undo", console)


def learned_as_json(learned: "Learned") -> dict[str, Any]:
    """The same as one JSON value."""
    return {
        "wrote": learned.folder,
        "kept": list(learned.kept),
        "parts": {part: told._asdict() for part, told in learned.parts.items()},
        "learned": learned.learned,
        "held_back": learned.held_back,
    }


def _verdict(learned: "Learned", part: str) -> str:
    return "kept" if part in learned.kept else "dropped"
