"""The search for one answer as a picture, and as an object: drawn in text where it is printed, a page in a notebook."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from ..base.imports import ShownInNotebooks
from ..evaluation.row import Row
from ..runtime import TrajectoryStep
from .search_rounds import Query, Round, picture_rounds
from .search_tree import FoundPassages, PictureNode, picture_tree

WIDEST = 90
"""Characters of a text that are printed."""


class Picture(TypedDict):
    """The search for one answer."""

    kind: Literal["reviews", "searched", "rounds", "none"]
    """A tree of reviews, a tree of sub-questions or actions, rounds of a chain, or nothing that was searched."""
    root: NotRequired[PictureNode]
    """The root of a tree."""
    rounds: NotRequired[list[Round]]
    """The rounds of a chain."""


def picture_search(trajectory: Sequence[TrajectoryStep], question: str, gold: Collection[str] = ()) -> Picture:
    """The search as a tree where the method made one, else as the rounds of its chain; the root is the question."""
    found = FoundPassages.of(trajectory, gold)
    for step in trajectory:
        if "tree" in step:
            root = picture_tree(step["tree"], found, question)
            return {"kind": "reviews" if "action" in step["tree"] else "searched", "root": root}
    rounds = picture_rounds(trajectory, found)
    return {"kind": "rounds", "rounds": rounds} if rounds else {"kind": "none"}


class DrawnSearch(ShownInNotebooks):
    """The search for an answer as a picture: `prediction.search`, or `run.search(QUESTION)` of a finished run."""

    def __init__(
        self, trajectory: Sequence[TrajectoryStep], question: str = "the question", gold: Collection[str] = ()
    ) -> None:
        """Draw the trajectory of a prediction, with the ids of the passages that are gold in it."""
        self.picture, self.question = picture_search(trajectory, question, gold), question

    @classmethod
    def of_row(cls, row: Row) -> "DrawnSearch":
        """The search of a finished question, with what is gold in it."""
        return cls(row["trajectory"], row["question"], row["supporting"])

    def __repr__(self) -> str:
        """The tree as it grew, or the rounds one after the other."""
        if "root" in self.picture:
            root = self.picture["root"]
            return "\n".join([_head(root), *_hang(_below(root))])
        rounds = [_of_round(number, each) for number, each in enumerate(self.picture.get("rounds", ()), 1)]
        return "\n".join([shorten(self.question, WIDEST), *_hang(rounds)])


def shorten(text: str, longest: int) -> str:
    """The text, or its beginning where it is longer."""
    return text if len(text) <= longest else f"{text[:longest]}…"


Twig = tuple[str, list[Any]]
"""A line, and what hangs below it."""


def _below(node: PictureNode) -> list[Twig]:
    texts: list[Twig] = [(f"{name}: {shorten(text, WIDEST)}", []) for name, text in node["texts"]]
    children: list[Twig] = [(_head(child), _below(child)) for child in node["children"]]
    left_out: list[Twig] = [(f"not followed: {each['title']} ({each['why']})", []) for each in node.get("left_out", ())]
    return [*texts, *children, *left_out]


def _head(node: PictureNode) -> str:
    numbers = [f"{name} {value:.2f}".removesuffix(".00") for name, value in node.get("numbers", {}).items()]
    return " ".join(part for part in (node["mark"], shorten(node["label"], WIDEST), *numbers) if part)


def _of_round(number: int, each: Round) -> Twig:
    first, others = each["queries"][:1], each["queries"][1:]
    head = ": ".join([f"round {number}", *(shorten(query["text"], WIDEST) for query in first)])
    parts = [f"found: {_titles(query)}" for query in first]
    parts += [f"{query['text']} found: {_titles(query)}" for query in others]
    parts += [f"{label['tag']} {label['title']} {', '.join(label['words'])}".rstrip() for label in each["labels"]]
    for answer in each["answers"]:
        fields = [f"{name} {value}" for name, value in answer["outputs"].items()]
        parts.append(" ".join([f"{answer['step']}:", *fields, answer.get("error", "")]).rstrip())
    parts += [f"next, after {following['after']}: {following['query']}" for following in each["next"]]
    return head, [(shorten(part, WIDEST), []) for part in parts]


def _titles(query: Query) -> str:
    return ", ".join(hit["title"] for hit in query["found"])


def _hang(twigs: Sequence[Twig], indent: str = "") -> Iterator[str]:
    """The lines of the twigs, with what leads to each."""
    for place, (head, below) in enumerate(twigs):
        is_last = place == len(twigs) - 1
        yield f"{indent}{'└─ ' if is_last else '├─ '}{head}"
        yield from _hang(below, indent + ("   " if is_last else "│  "))
