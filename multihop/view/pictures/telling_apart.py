"""Short labels that show where the nodes below one differ, for maps without room for whole ones."""

from collections.abc import Sequence

from .node import PictureNode

FEWEST = 2
"""Words that labels begin with alike, from which on these are left out."""


def tell_children_apart(node: PictureNode) -> None:
    """Give each node of the tree whose label begins like that of a sibling a short one; see `PictureNode.short`."""
    children = node["children"]
    labels = [child["label"] for child in children]
    for place, child in enumerate(children):
        if short := _short(labels, place) or _by_answer(child, labels):
            child["short"] = short
        tell_children_apart(child)


def _short(labels: Sequence[str], place: int) -> str:
    """The label from where it differs from the sibling that it begins most like; empty where it begins unlike all."""
    words = labels[place].split()
    others = [label.split() for at, label in enumerate(labels) if at != place and label != labels[place]]
    alike = max((_alike(words, other) for other in others), default=0)
    return f"…{' '.join(words[alike:])}" if FEWEST <= alike < len(words) else ""


def _alike(words: Sequence[str], other: Sequence[str]) -> int:
    """The words that both begin with."""
    pairs = enumerate(zip(words, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(words), len(other)))


def _by_answer(node: PictureNode, labels: Sequence[str]) -> str:
    """The answer of a node whose label a sibling has too; empty for others."""
    if labels.count(node["label"]) < 2:
        return ""
    return next((f"→ {text}" for name, text in node["texts"] if name == "answer"), "")
