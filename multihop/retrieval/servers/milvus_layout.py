"""The layout of a corpus in Milvus: a collection of passages, with BM25's weights as vectors, and one of notes."""

from collections.abc import Iterator, Sequence
from typing import Any

import ujson

from ...base import InputError, MismatchError
from ..passage import Passage
from ..words.postings import Postings
from .milvus_calls import MilvusCalls, open_pymilvus
from .milvus_terms import TermNote

PLACE, WORDS, MEANING = "place", "words", "meaning"
TEXTS = ("id", "title", "text")
ENCODER_PLACE = frozenset({"encoder_folder", "encoder_options"})
"""The notes on the place of an encoder; its identity is noted apart."""
LONGEST = 65_535
"""Bytes that Milvus keeps of a text."""
_ABOUT = "="
"""The key of the note that describes the collection; no stem is written so."""
_KEYS_AT_ONCE = 1000
_COUNT = "count(*)"
FILLER = 0
"""A place that every passage has and no term: a vector without any would be refused."""
_PASSAGES_AT_ONCE = 1 << 18


class Notes:
    """The collection beside that of the passages, with what describes it and the number of every term."""

    def __init__(self, calls: MilvusCalls) -> None:
        """Nothing is sent yet."""
        self._calls = calls
        self.name = f"{calls.place.collection}_multihop"

    def read_about(self) -> dict[str, Any] | None:
        """The description of the passages' collection; None if there is no collection.

        Raises:
            MismatchError: The notes are somebody else's, or of another version.
        """
        if not is_there(self._calls, self.name):
            return None
        fields = [field["name"] for field in self._calls.ask("describe_collection", self.name)["fields"]]
        if fields != ["key", "value", "unused"]:
            raise MismatchError(
                f"{self._calls.place.uri}#{self.name} is there and was not made by multihop; choose another name."
            )
        found = self._values([_ABOUT])
        return dict(ujson.loads(found[_ABOUT])) if found else None

    def write_about(self, about: dict[str, Any]) -> None:
        """Make the collection of notes, where it is not yet there, and note this first."""
        if not self._calls.ask("has_collection", self.name):
            kinds = open_pymilvus().DataType
            fields: list[tuple[str, Any, dict[str, Any]]] = [
                ("key", kinds.VARCHAR, {"is_primary": True, "max_length": LONGEST}),
                ("value", kinds.VARCHAR, {"max_length": LONGEST}),
                ("unused", kinds.FLOAT_VECTOR, {"dim": 2}),  # a collection without a vector is refused
            ]
            make_collection(self._calls, self.name, fields, {"unused": "FLAT"})
        self.write({_ABOUT: ujson.dumps(about, sort_keys=True)})

    def write_terms(self, stems: Sequence[str], counts: Sequence[int]) -> None:
        """Note the number of each stem, which is its position, and the number of passages that hold it."""
        if self.count() == len(stems) + 1:
            return
        for start in range(0, len(stems), _KEYS_AT_ONCE):
            block = zip(stems[start : start + _KEYS_AT_ONCE], counts[start : start + _KEYS_AT_ONCE], strict=True)
            notes = enumerate(block, start)
            self.write({stem: TermNote(number, count, count).write() for number, (stem, count) in notes})

    def of_terms(self, stems: Sequence[str]) -> list[TermNote | None]:
        """What is noted of each stem; None for one that the corpus never had."""
        found = self._values(stems)
        return [TermNote.read(found[stem]) if stem in found else None for stem in stems]

    def starting_with(self, beginning: str) -> dict[str, str]:
        """All notes that begin so."""
        condition = f'value like "{beginning}%"'
        rows = self._calls.ask(
            "query", self.name, filter=condition, output_fields=["key", "value"], consistency_level="Strong"
        )
        return {row["key"]: row["value"] for row in rows}

    def count(self) -> int:
        """The number of notes."""
        return count_rows(self._calls, self.name)

    def write(self, values: dict[str, str]) -> None:
        """Write notes by their keys."""
        rows = [{"key": key, "value": value, "unused": [0.0, 0.0]} for key, value in values.items()]
        for start in range(0, len(rows), _KEYS_AT_ONCE):
            self._calls.ask("upsert", self.name, rows[start : start + _KEYS_AT_ONCE])

    def _values(self, keys: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            block = list(keys[start : start + _KEYS_AT_ONCE])
            rows = self._calls.ask(
                "get", self.name, ids=block, output_fields=["key", "value"], consistency_level="Strong"
            )
            found |= {row["key"]: row["value"] for row in rows}
        return found


def make_passages(calls: MilvusCalls, *, words: bool, width: int | None) -> None:
    """An empty collection of passages.

    Args:
        calls: The client; its place names the collection.
        words: True if passages are found by their words.
        width: Of the vectors by which they are found by their meaning, if they are.
    """
    kinds = open_pymilvus().DataType
    fields: list[tuple[str, Any, dict[str, Any]]] = [(PLACE, kinds.INT64, {"is_primary": True})]
    fields += [(name, kinds.VARCHAR, {"max_length": LONGEST}) for name in TEXTS]
    indexes = {}
    if words:
        fields.append((WORDS, kinds.SPARSE_FLOAT_VECTOR, {}))
        indexes[WORDS] = "SPARSE_INVERTED_INDEX"
    if width is not None:
        fields.append((MEANING, kinds.FLOAT_VECTOR, {"dim": width}))
        indexes[MEANING] = "FLAT"
    make_collection(calls, calls.place.collection, fields, indexes)


def make_collection(
    calls: MilvusCalls, name: str, fields: Sequence[tuple[str, Any, dict[str, Any]]], indexes: dict[str, str]
) -> None:
    """An empty collection with these fields, and an index by the product of vectors for some of them."""
    client = open_pymilvus().MilvusClient
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False, description="made by multihop")
    for field, kind, options in fields:
        schema.add_field(field, kind, **options)
    parameters = client.prepare_index_params()
    for field, index in indexes.items():
        parameters.add_index(field, index_type=index, metric_type="IP")
    calls.ask("create_collection", name, schema=schema, index_params=parameters, consistency_level="Strong")


def is_there(calls: MilvusCalls, name: str) -> bool:
    """True if there is a collection of that name; it is then also ready to be searched."""
    if not calls.ask("has_collection", name):
        return False
    calls.ask("load_collection", name)
    return True


def count_rows(calls: MilvusCalls, name: str, condition: str = "") -> int:
    """The number of rows of a collection; with a condition, of those that meet it."""
    rows = calls.ask("query", name, filter=condition, output_fields=[_COUNT], consistency_level="Strong")
    return int(rows[0][_COUNT])


def check_texts(number: int, passage: Passage) -> None:
    """Refuse a passage that Milvus cannot keep as it is.

    Raises:
        InputError: A field is too long, or no Unicode text.
    """
    for field, text in zip(TEXTS, passage, strict=True):
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise InputError(
                f"passage {number} ('{passage.id!r:.60}') has half a character in its {field}, which "
                "Milvus does not keep."
            ) from None
        if size > LONGEST:
            raise InputError(
                f"the {field} of passage {number} ('{passage.id:.60}') has {size:,} bytes, "
                f"and Milvus keeps {LONGEST:,}; split it."
            )


def term_place(term: int) -> int:
    """The place in the vectors of the term of that number."""
    return term + 1


def sparse_vectors(postings: Postings, passages: int, first: int = 0) -> Iterator[dict[int, float]]:
    """BM25's weights as a vector for each passage, from the first one asked for, in the order of the corpus."""
    import numpy as np

    data, indices, indptr = postings
    for start in range(first, passages, _PASSAGES_AT_ONCE):
        end = min(start + _PASSAGES_AT_ONCE, passages)
        held = np.flatnonzero((indices >= start) & (indices < end))
        held = held[np.argsort(indices[held], kind="stable")]
        terms = np.searchsorted(indptr, held, side="right") - 1
        bounds = np.searchsorted(indices[held], np.arange(start, end + 1))
        for begin, stop in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            places = [term_place(term) for term in terms[begin:stop].tolist()]
            yield {FILLER: 1.0, **dict(zip(places, data[held[begin:stop]].tolist(), strict=True))}
