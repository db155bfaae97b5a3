"""The questions that a corpus is learned by, of its exam and of single sentences; a part of them is held back."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ...base import InputError
from ...data import Question
from ...encoder import Encoder
from ...english.details import details
from ...exam import make_exam
from ...exam.rewording import reword_all
from ...retrieval import Passage, RetrieverLike
from .sentence_questions import is_english, sentence_questions

if TYPE_CHECKING:
    import dspy

PAGES = 20
"""Pages of a corpus at least: of fewer, nearly all are found by any question."""
FEWEST = 60
"""Questions at least, those held back included."""
OF_EXAM = 240
"""Questions of the exam at most: each is audited, which takes time."""
HELD_BACK = 3
"""One in so many questions is held back."""


class MadeQuestions(NamedTuple):
    """Questions about a corpus, by what they are for."""

    learned: list[Question]
    """The exam's first."""
    held_back: list[Question]
    """Those that decide what ships, the exam's first; none of them begins at a page at which one of the others does."""
    of_exam: int
    """The number of them, in both, that are the exam's."""
    reworded: int | None = None
    """The number of them that are in an LM's words; None where there is no LM."""


def make_questions(
    passages: Sequence[Passage],
    most: int,
    *,
    retriever: RetrieverLike,
    encoder: Encoder,
    seed: int = 0,
    lm: "dspy.LM | None" = None,
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
    examined: tuple[Question, ...] = ()
    reworded = 0
    with suppress(InputError):  # pages of another kind than an encyclopedia's give no exam
        wanted = min(most, OF_EXAM)
        exam = make_exam(
            passages,
            questions=wanted,
            unanswerable=0,
            seed=seed,
            retriever=retriever,
            encoder=encoder,
            lm=lm,
            watch=watch,
        )
        examined, reworded = exam.questions, exam.reworded
    watch("making questions of sentences")
    single = sentence_questions(passages, most - len(examined), seed)
    if lm is not None:
        single, of_single = reword_all(single, [_names(each.question) for each in single], lm, watch=watch)
        reworded += of_single
    every = [*examined, *single]
    if len(every) < FEWEST:
        raise InputError(
            f"only {len(every)} questions could be made of these {len(passages):,} passages, and learning takes "
            f"{FEWEST}: pages of whole sentences give more."
        )
    held_back = [each for each in every if _is_held_back(each)]
    learned = [each for each in every if not _is_held_back(each)]
    return MadeQuestions(learned, held_back, len(examined), None if lm is None else reworded)


def _is_held_back(question: Question) -> bool:
    """True for all questions that begin with the same page, or for none of them."""
    return hashlib.blake2b(question.supporting[0].encode(), digest_size=4).digest()[0] % HELD_BACK == 0


def _names(text: str) -> list[str]:
    """The names in a question, which its rewording keeps."""
    return [text[each.start : each.end] for each in details(text) if each.kind == "name"]
