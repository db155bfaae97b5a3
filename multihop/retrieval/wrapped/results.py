"""Results of any retriever, read as hits: hits themselves, passages, texts, or records with a text."""

import math
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ...base import InputError
from ...base.english import split_quoted_title, split_title
from ..passage import Hit, Passage

_TEXT = ("long_text", "text", "page_content", "passage", "contents", "content")
_TITLE = ("title",)
_ID = ("id", "_id", "pid", "doc_id", "node_id")
_SCORE = ("score", "similarity")
_INNER = ("document", "node")
"""The fields for the passage itself in a record that also has its score."""
_LISTS = ("passages", "docs")
"""The fields for the passages in a Prediction, as DSPy's retrievers return it."""


def read_rankings(answer: Any, queries: int, name: str) -> list[list[Hit]]:
    """A ranking for each query, read from what a search for several returned.

    Args:
        answer: The value that the retriever returned.
        queries: The number of queries.
        name: The retriever's name, for the error.

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

    Examples:
        >>> from multihop.retrieval.wrapped.results import read_hits
        >>> for hit in read_hits(["Po | A river.", {"long_text": "Etna | A volcano.", "pid": 7}], "mine"):
        ...     print(hit)
        Hit(passage=Passage(id='117f4902b14d2a00', title='Po', text='A river.'), score=1.0)
        Hit(passage=Passage(id='7', title='Etna', text='A volcano.'), score=0.5)
    """
    return [_hit(item, rank, name) for rank, item in enumerate(_items(answer, name), 1)]


def _items(answer: Any, name: str) -> Iterable[Any]:
    """The single things that were found; those of a Prediction together with their ids and scores."""
    for key in _LISTS:
        listed = _field(answer, key)
        if listed is not None:
            texts = list(listed)
            ids = _field(answer, "doc_ids", "pids", "ids")
            scores = _field(answer, "scores", "score")
            if ids is None and scores is None:
                return texts
            return [
                {"text": text, "id": _at(ids, place), "score": _at(scores, place)} if isinstance(text, str) else text
                for place, text in enumerate(texts)
            ]
    if isinstance(answer, str | bytes | Mapping | Hit | Passage) or not isinstance(answer, Iterable):
        raise InputError(f"{name} returned {_shorten(answer)} for a query; it must return a list of hits, best first.")
    return answer


def _hit(item: Any, rank: int, name: str) -> Hit:
    by_rank = 1 / rank
    if isinstance(item, Hit) or (isinstance(item, tuple) and not isinstance(item, Passage) and len(item) == 2):
        passage, score = _passage(item[0]), _score(item[1])
        by_rank = by_rank if score is None else score
    else:
        passage = _passage(item)
        score = None if isinstance(item, str | Passage) else _score(_field(item, *_SCORE))
        by_rank = by_rank if score is None else score
    if passage is None:
        raise InputError(
            f"{name} returned {_shorten(item)} as a hit; "
            "a hit is a Hit, a Passage, a text, or a record with its text under 'text' or 'long_text'."
        )
    return Hit(passage, by_rank)


def _passage(item: Any) -> Passage | None:
    """The passage that an item is or describes, or nothing."""
    if isinstance(item, Passage):
        id_, title, text = item
        return item if type(id_) is type(title) is type(text) is str else _make_passage(id_, title, text)
    if isinstance(item, str):
        return _make_passage(None, None, item)
    inner = _field(item, *_INNER)
    if inner is not None:
        return _passage(inner)
    about = _field(item, "metadata")
    title, id_ = (_first(_field(item, *names), _field(about, *names)) for names in (_TITLE, _ID))
    return _make_passage(id_, title, _field(item, *_TEXT))


def _make_passage(id_: Any, title: Any, text: Any) -> Passage | None:
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


def _first(one: Any, other: Any) -> Any:
    return other if one is None else one


def _score(value: Any) -> float | None:
    """A number, numpy's included, or nothing."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _at(values: Any, place: int) -> Any:
    return values[place] if isinstance(values, Sequence) and place < len(values) else None


def _shorten(value: Any) -> str:
    return "None" if value is None else f"the {type(value).__name__} {value!r:.60}"
