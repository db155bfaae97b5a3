"""Passages, hits, which are passages with their scores, rankings fused, and what searches return read as hits."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import chain, islice, zip_longest
from typing import Any, NamedTuple, Protocol

from ..base import InputError
from ..base.english import BAR, find_words, split_quoted_title, split_title

Progress = Callable[[int], None] | None
"""Called now and then with the number of passages that are done; None where nobody looks."""
_CONSTANT = 10
"""The larger it is, the less the first places count beside those after them; with 10 more is found than with the
paper's 60."""
_TEXT = ("text", "long_text", "page_content", "contents")
"""The fields of a record for its text: ours, DSPy's, LangChain's, and those of FlashRAG's server."""


class Passage(NamedTuple):
    """One paragraph of a corpus.

    Examples:
        >>> from multihop.retrieval import Passage
        >>> print(Passage("p1", "Ada Lovelace", "She wrote the first program."))
        Ada Lovelace | She wrote the first program.
    """

    id: str
    """Unique within its corpus."""
    title: str
    """The page it comes from; may be empty."""
    text: str
    """The paragraph itself."""

    def __str__(self) -> str:
        """The passage as a prompt shows it: title and text on one line."""
        return f"{self.title}{BAR}{self.text}" if self.title else self.text

    @property
    def name(self) -> str:
        """The title without what is in brackets: "Emma" for "Emma (novel)"."""
        return self.title.split(" (")[0]

    def is_named_in(self, text: str) -> bool:
        """True if the text holds the page's name as whole words, in any case."""
        return len(self.name) > 2 and bool(find_words(self.name, text))


class Passages(Protocol):
    """Passages by position: a list, or a file that reads like one."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> Passage: ...
    def __iter__(self) -> Iterator[Passage]: ...


class Hit(NamedTuple):
    """A passage a retriever returned, with the score that ranked it."""

    passage: Passage
    score: float


def fuse(*rankings: Sequence[Hit]) -> list[Hit]:
    """The hits of several rankings as one, each passage once: for every ranking that has it, one by its rank and 10.

    For rankings whose scores cannot be compared: Gordon V. Cormack et al., "Reciprocal Rank Fusion Outperforms
    Condorcet and Individual Rank Learning Methods" (2009), which has 60. Of equals the one met first comes first.

    Examples:
        >>> from multihop.retrieval import Hit, Passage, fuse
        >>> po, inn, etna = (Hit(Passage(name, "", ""), 1.0) for name in ("Po", "Inn", "Etna"))
        >>> [hit.passage.id for hit in fuse([po, inn, etna], [etna, inn])]
        ['Etna', 'Inn', 'Po']
    """
    passages = {hit.passage.id: hit.passage for ranking in rankings for hit in ranking}
    scores = dict.fromkeys(passages, 0.0)
    for ranking in rankings:
        for rank, hit in enumerate(ranking, 1):
            scores[hit.passage.id] += 1 / (_CONSTANT + rank)
    ordered = sorted(scores.items(), key=lambda scored: -scored[1])
    return [Hit(passages[name], score) for name, score in ordered]


def by_rank(rankings: Iterable[Sequence[Passage]]) -> list[Passage]:
    """The passages of several rankings, for different questions, each once: all first ones, then all second ones."""
    passages = chain.from_iterable(zip_longest(*rankings))
    return list({passage.id: passage for passage in passages if passage is not None}.values())


def read_rankings(answer: Any, queries: int, name: str, k: int | None = None) -> list[list[Hit]]:
    """A ranking for each query, of `k` hits at most, read from what the retriever of that name returned for several."""
    several = isinstance(answer, Sequence) and not isinstance(answer, str)
    if not several or len(answer) != queries:
        count = f"{len(answer)} rankings" if several else f"a {type(answer).__name__}"
        raise InputError(f"{name} returned {count} for {queries} queries; it must return one ranking per query.")
    return [read_hits(ranking, name, k) for ranking in answer]


def read_hits(answer: Any, name: str, k: int | None = None) -> list[Hit]:
    """The hits for one query, `k` at most, best first, read from what a search returned.

    A text is split where it is written "title | text". A passage without an id gets one that follows from its
    content, and one without a score is scored by its rank.
    """
    listed, scores = _field(answer, "passages", "docs"), _field(answer, "scores")
    if listed is not None:  # a Prediction, as DSPy's retrievers return it
        answer = listed if scores is None else list(zip(listed, scores, strict=False))
    if isinstance(answer, str | bytes | Mapping | Hit | Passage) or not isinstance(answer, Iterable):
        raise InputError(f"{name} returned {_shorten(answer)} for a query; it must return a list of hits, best first.")
    return [_hit(item, rank, name) for rank, item in enumerate(islice(answer, k), 1)]


def _hit(item: Any, rank: int, name: str) -> Hit:
    scored = isinstance(item, tuple) and not isinstance(item, Passage) and len(item) == 2
    score: Any
    found, score = item if scored else (item, None if isinstance(item, Passage | str) else _field(item, "score"))
    passage = _passage(found)
    if passage is None:
        raise InputError(
            f"{name} returned {_shorten(item)} as a hit; "
            "a hit is a Hit, a Passage, a text, (text, score), or a record with its text under 'text' or 'long_text'."
        )
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    return Hit(passage, number if math.isfinite(number) else 1 / rank)


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
    if id_ is None:
        # The length keeps "ab" + "c" apart from "a" + "bc"; half a surrogate pair is not UTF-8, yet texts hold such.
        content = f"{len(title)} {title}{text}".encode("utf-8", "surrogatepass")
        id_ = blake2b(content, digest_size=8).hexdigest()
    return Passage(str(id_), title, text)


def _field(thing: Any, *names: str) -> Any:
    """The first of the fields that the thing has, of a mapping or of an object."""
    for name in names:
        value = thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)
        if value is not None and not callable(value):
            return value
    return None


def _shorten(value: Any) -> str:
    return "None" if value is None else f"the {type(value).__name__} {value!r:.60}"
