"""Results of any retriever, read as hits: hits themselves, passages, texts, or records with a text."""

import math
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ..base import InputError
from ..base.english import split_quoted_title, split_title
from .passage import Hit, Passage

_TEXT = ("text", "long_text", "page_content", "contents")
"""The field of a record for its text: as ours have it, DSPy's, LangChain's, and those of FlashRAG's server."""


def read_rankings(answer: Any, queries: int, name: str) -> list[list[Hit]]:
    """A ranking for each query, read from what the retriever of that name returned for several.

    Raises:
        InputError: There are more or fewer rankings than queries, or one of them cannot be read as hits.
    """
    several = isinstance(answer, Sequence) and not isinstance(answer, str)
    if not several or len(answer) != queries:
        count = f"{len(answer)} rankings" if several else f"a {type(answer).__name__}"
        raise InputError(f"{name} returned {count} for {queries} queries; it must return one ranking per query.")
    return [read_hits(ranking, name) for ranking in answer]


def read_hits(answer: Any, name: str) -> list[Hit]:
    """The hits for one query, best first, read from what a search returned.

    A text is split where it is written "title | text". A passage without an id gets one that follows from its
    content, and one without a score is scored by its rank.

    Raises:
        InputError: It cannot be read as hits.
    """
    listed, scores = _field(answer, "passages", "docs"), _field(answer, "scores")
    if listed is not None:  # a Prediction, as DSPy's retrievers return it
        answer = listed if scores is None else list(zip(listed, scores, strict=False))
    if isinstance(answer, str | bytes | Mapping | Hit | Passage) or not isinstance(answer, Iterable):
        raise InputError(f"{name} returned {_shorten(answer)} for a query; it must return a list of hits, best first.")
    return [_hit(item, rank, name) for rank, item in enumerate(answer, 1)]


def _hit(item: Any, rank: int, name: str) -> Hit:
    scored = isinstance(item, tuple) and not isinstance(item, Passage) and len(item) == 2
    found, score = item if scored else (item, None if isinstance(item, Passage | str) else _field(item, "score"))
    passage = _passage(found)
    if passage is None:
        raise InputError(
            f"{name} returned {_shorten(item)} as a hit; "
            "a hit is a Hit, a Passage, a text, (text, score), or a record with its text under 'text' or 'long_text'."
        )
    number = _number(score)
    return Hit(passage, 1 / rank if number is None else number)


def _passage(item: Any) -> Passage | None:
    """The passage that an item is or describes, or nothing."""
    if isinstance(item, Passage):
        return item if all(type(part) is str for part in item) else None
    if isinstance(item, str):
        id_, title, text = None, None, item
    elif (inner := _field(item, "document")) is not None:  # beside its score, as FlashRAG's server has it
        return _passage(inner)
    else:
        id_, title, text = _field(item, "id", "pid"), _field(item, "title"), _field(item, *_TEXT)
    if not isinstance(text, str) or not (title is None or isinstance(title, str)):
        return None
    if title is None:
        title, text = split_quoted_title(text)
        title, text = (title, text) if title else split_title(text)
    return Passage(_content_id(title, text) if id_ is None else str(id_), title, text)


def _content_id(title: str, text: str) -> str:
    # The length keeps "ab" + "c" apart from "a" + "bc"; half a surrogate pair is not UTF-8, yet texts hold such.
    content = f"{len(title)} {title}{text}".encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=8).hexdigest()


def _field(thing: Any, *names: str) -> Any:
    """The first of the fields that the thing has, of a mapping or of an object."""
    for name in names:
        value = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if value is not None and not callable(value):
            return value
    return None


def _number(value: Any) -> float | None:
    """A finite number, numpy's included, or nothing."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _shorten(value: Any) -> str:
    return "None" if value is None else f"the {type(value).__name__} {value!r:.60}"
