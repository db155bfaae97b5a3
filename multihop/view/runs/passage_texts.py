"""The texts of the passages that a page names, looked up in the corpus that was searched."""

from collections.abc import Iterable
from typing import Any

from ...base import MismatchError
from ...retrieval import Passage
from .question_record import passages_of

LONGEST = 4_000
"""Characters of a passage that are shown."""

PassageTexts = dict[str, tuple[str, str]]
"""Title and text by id."""


def read_texts(wanted: set[str], corpus: Iterable[Passage]) -> PassageTexts:
    """Title and text of each passage that is wanted and there, in one pass through the corpus.

    Raises:
        MismatchError: The corpus has none of them, so that it is another one.
    """
    found = {each.id: (each.title, shorten(each.text)) for each in corpus if each.id in wanted}
    if wanted and not found:
        raise MismatchError(
            f"none of the {len(wanted):,} passages of the run is in the corpus, such as '{min(wanted)}'; "
            "give --corpus the one that was searched."
        )
    return found


def add_texts(record: Any, texts: PassageTexts) -> None:
    """Put into a question's record the texts of its passages, and their titles where it knew only ids."""
    record["texts"] = {}
    for passage in passages_of(record):
        title, text = texts.get(passage["id"], ("", ""))
        if passage["title"] == passage["id"] and title:
            passage["title"] = title
        if text:
            record["texts"][passage["id"]] = text


def shorten(text: str, longest: int = LONGEST) -> str:
    """The text, or its beginning where it is longer."""
    return text if len(text) <= longest else f"{text[:longest]}…"
