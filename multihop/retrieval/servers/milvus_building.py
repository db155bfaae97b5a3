"""A collection of Milvus filled from a corpus, or finished where it was interrupted."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...base import MismatchError
from ...encoder import TextEncoder
from ..bm25 import BM25
from ..corpus_check import CorpusCheck
from ..dense import BLOCK, encode_blocks
from ..passage import Passage
from .milvus_calls import MilvusCalls
from .milvus_layout import (
    ENCODER_PLACE,
    MEANING,
    PLACE,
    TEXTS,
    WORDS,
    Notes,
    check_texts,
    count_rows,
    is_there,
    make_passages,
    sparse_vectors,
)
from .milvus_place import MilvusPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_ROWS_AT_ONCE = 256
"""Passages in one request: even the longest texts do not exceed the limit of a server."""
_OTHERS = {
    "retriever": "an index for --retriever {}",
    "corpus": "another corpus",
    "encoder": "the vectors of another encoder",
    "titles": "an index with titles={}",
    "k1": "an index with k1={}",
    "b": "an index with b={}",
}


class CollectionBuilder:
    """One collection while it is filled from a corpus that lies, indexed, on this machine."""

    def __init__(self, calls: MilvusCalls, words: BM25, about: dict[str, Any], encoder: TextEncoder | None) -> None:
        """The content of the collection; nothing is sent yet.

        Args:
            calls: The client; its place names the collection.
            words: The corpus, with its terms and their weights.
            about: The collection's description of itself.
            encoder: The encoder that makes vectors, if the collection is to hold some.
        """
        self._calls, self._words, self._about, self._encoder = calls, words, about, encoder
        self._name = calls.place.collection
        self._notes = Notes(calls)
        self._by_words = about["retriever"] != "dense"

    def run(self, progress: Callable[[int], None] | None) -> None:
        """Send all that is missing."""
        import numpy as np

        for number, passage in enumerate(self._words, 1):  # before anything is sent
            check_texts(number, passage)
        self._make_room()
        if self._by_words:
            counts = np.diff(self._words.postings.indptr).tolist()
            self._notes.write_terms(self._words.stems, counts)
        sent = False
        for start, rows in self._missing():
            for first in range(0, len(rows), _ROWS_AT_ONCE):
                self._calls.ask("upsert", self._name, rows[first : first + _ROWS_AT_ONCE])
            if progress:
                progress(start + len(rows))
            sent = True
        if sent:
            self._calls.ask("flush", self._name)
        check_whole(self._calls, self._about)

    def _make_room(self) -> None:
        """Both collections, of this corpus and with these settings."""
        found, there = self._notes.read_about(), is_there(self._calls, self._name)
        if there and found is None:
            raise MismatchError(
                f"{self._calls.place} is there and was not made by multihop; choose another name for the collection."
            )
        if found is not None:
            refuse_others(found, self._about, self._calls.place)
        if found is None:
            self._notes.write_about(self._about)
        if not there:
            make_passages(self._calls, words=self._by_words, width=self._width)

    @property
    def _width(self) -> int | None:
        return None if self._encoder is None else self._encoder.embed_queries(["width"]).shape[1]

    def _missing(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """The rows that are not there yet, a block at a time, each with its first place."""
        first = self._done()
        if first >= len(self._words):
            return
        vectors = sparse_vectors(self._words.postings, len(self._words), first) if self._by_words else None
        for start, (passages, meanings) in zip(range(first, len(self._words), BLOCK), self._blocks(first), strict=True):
            rows = [{PLACE: place, **dict(zip(TEXTS, each, strict=True))} for place, each in enumerate(passages, start)]
            for number, row in enumerate(rows):
                if vectors is not None:
                    row[WORDS] = next(vectors)
                if meanings is not None:
                    row[MEANING] = meanings[number]
            yield start, rows

    def _blocks(self, first: int) -> "Iterator[tuple[Sequence[Passage], NDArray[np.float32] | None]]":
        """The passages from one on, with their vectors: in the blocks and the precision that `Dense` has."""
        import numpy as np

        passages = islice(self._words, first, None)
        if self._encoder is None:
            while block := list(islice(passages, BLOCK)):
                yield block, None
        else:
            encoded = encode_blocks(passages, self._encoder, self._about["titles"], True, CorpusCheck(), None)
            for block, meanings in encoded:
                yield block, np.concatenate(meanings).astype(np.float16).astype(np.float32)

    def _done(self) -> int:
        """The place from which on passages are missing: whole blocks are there or are sent again."""
        there, missing = 0, -(-len(self._words) // BLOCK) + 1
        while missing - there > 1:
            block = (there + missing) // 2
            bound = min(block * BLOCK, len(self._words))
            if count_rows(self._calls, self._name, f"{PLACE} < {bound}") == bound:
                there = block
            else:
                missing = block
        return there * BLOCK


def refuse_others(found: dict[str, Any], about: dict[str, Any], place: MilvusPlace) -> None:
    """Refuse a collection that is of something else; where its encoder lies does not matter.

    Raises:
        MismatchError: It is.
    """
    for name in (*_OTHERS, *(found.keys() | about.keys()) - ENCODER_PLACE):
        if found.get(name) != about.get(name):
            other = _OTHERS.get(name, f"an index with another {name}").format(found.get(name))
            raise MismatchError(f"{place} holds {other}; choose another name for the collection, or drop it there.")


def check_whole(calls: MilvusCalls, about: dict[str, Any]) -> None:
    """Refuse a collection that was not filled to its end.

    Raises:
        MismatchError: Passages or terms are missing.
    """
    name = calls.place.collection
    there = count_rows(calls, name) if is_there(calls, name) else 0
    terms = Notes(calls).count() - 1
    if about.get("changes") is not None:
        return
    if there != about["passages"] or terms != about["terms"]:
        raise MismatchError(
            f"{calls.place} holds {there:,} of {about['passages']:,} passages and {terms:,} of {about['terms']:,} "
            "terms; build it again, which goes on where it ended."
        )
