"""The questions that a corpus is learned by, made of single sentences; a part of them is held back."""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...base import InputError
from ...data import Question
from ...retrieval import Passage
from .sentence_questions import is_english, sentence_questions

PAGES = 20
"""Pages of a corpus at least: of fewer, nearly all are found by any question."""
FEWEST = 60
"""Questions at least, those held back included."""
HELD_BACK = 3
"""One in so many questions is held back."""


class MadeQuestions(NamedTuple):
    """Questions about a corpus, by what they are for."""

    learned: list[Question]
    held_back: list[Question]
    """Those that decide what ships; none of them begins at a page at which one of the others does."""


def make_questions(
    passages: Sequence[Passage],
    most: int,
    *,
    seed: int = 0,
    watch: Callable[[str], None] = lambda doing: None,
) -> MadeQuestions:
    """At most so many questions about the passages.

    Raises:
        InputError: The corpus is too small or not in English, or gives too few questions.
    """
    if len(passages) < PAGES:
        raise InputError(f"there are {len(passages)} passages, and of fewer than {PAGES} there is nothing to learn.")
    if not is_english(passages[:: max(1, len(passages) // 200)]):
        raise InputError("most of these passages are not in English, the language that the built-in encoder knows.")
    watch("making questions of sentences")
    every = sentence_questions(passages, most, seed)
    if len(every) < FEWEST:
        raise InputError(
            f"only {len(every)} questions could be made of these {len(passages):,} passages, and learning takes "
            f"{FEWEST}: pages of whole sentences give more."
        )
    held_back = [each for each in every if _is_held_back(each)]
    learned = [each for each in every if not _is_held_back(each)]
    return MadeQuestions(learned, held_back)


def _is_held_back(question: Question) -> bool:
    """True for all questions that begin with the same page, or for none of them."""
    return hashlib.blake2b(question.supporting[0].encode(), digest_size=4).digest()[0] % HELD_BACK == 0
