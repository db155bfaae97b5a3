"""The questions and corpora that come with the library, by the names by which commands take them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..base import unknown
from ..retrieval import Passage
from .question import Question

if TYPE_CHECKING:
    from .little import Little
    from .world import World

WORLD, LITTLE = "world", "little"
CORPUS_OF = {WORLD: WORLD, LITTLE: LITTLE, f"{LITTLE}:train": LITTLE, f"{LITTLE}:dev": LITTLE}
"""The corpus of each source of questions; a corpus is named as all the questions about it."""


class BuiltIn(NamedTuple):
    """A corpus that comes with the library, and the questions about it."""

    title: str
    """Its name in a sentence."""
    what: str
    """Its kind and its use, in words."""
    questions: dict[str, int]
    """The number of questions by split; those of the world are in none."""
    passages: int
    """The number of passages."""


BUILT_IN = {
    LITTLE: BuiltIn(
        "the little encyclopedia",
        "short pages of well-known facts, for a first sight and for demonstrations; no figure made with it is a result",
        {"train": 24, "dev": 16},
        200,
    ),
    WORLD: BuiltIn(
        "the generated world",
        "a fictional encyclopedia, for tests and studies; `multihop world` makes others of any size",
        {"generated": 200},
        3_060,
    ),
}


def is_built_in(source: object) -> bool:
    """True if the source comes with the library.

    Examples:
        >>> from multihop.data.built_in import is_built_in
        >>> is_built_in("little"), is_built_in("little:dev"), is_built_in("little.jsonl")
        (True, True, False)

    Raises:
        InputError: It names a part that there is not.
    """
    name = str(source)
    if name.startswith(f"{LITTLE}:") and name not in CORPUS_OF:
        raise unknown("source in the library", name, CORPUS_OF)
    return name in CORPUS_OF


def built_in_questions(source: str) -> Iterator[Question]:
    """The questions of a source that comes with the library.

    Examples:
        >>> from multihop.data.built_in import built_in_questions
        >>> sum(1 for _ in built_in_questions("little:dev"))
        16
    """
    if source == WORLD:
        return _world().questions()
    return _little().questions(source.partition(":")[2] or None)


def built_in_passages(source: str) -> Iterator[Passage]:
    """The passages of a source that comes with the library; of a part of the questions, those of all of them."""
    return _world().passages() if CORPUS_OF[source] == WORLD else _little().passages()


def _world() -> World:
    from .world import World

    return World(questions=200, seed=0)


def _little() -> Little:
    from .little import Little

    return Little()
