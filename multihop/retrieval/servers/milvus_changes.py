"""Changes of a collection of Milvus that was made here."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import ujson

from ...base import InputError
from ...encoder import TextEncoder
from ..bm25 import text_of_words
from ..dense import encode
from ..passage import Passage
from .milvus_calls import MilvusCalls
from .milvus_layout import FILLER, MEANING, PLACE, TEXTS, WORDS, Notes, check_texts, term_place
from .milvus_terms import TermNote, Weights, count_stems, written_by
from .server_changes import ServerChanges, check_change, corpus_after, in_steps, named_in

_ROWS_AT_ONCE = 256
_ASKED_AT_ONCE = 1000


class CollectionChanges:
    """Changes one collection; each step happens whole, and is seen once the collection's description says so."""

    def __init__(self, calls: MilvusCalls, about: dict[str, Any], encoder: TextEncoder | None) -> None:
        """The client, the collection's newest description, and the encoder that makes its vectors, if it has some."""
        self._calls, self._encoder, self._name = calls, encoder, calls.place.collection
        self.about = about
        self._notes = Notes(calls)
        self._by_words = about["retriever"] != "dense"

    def change(self, ids: list[str], added: list[Passage]) -> None:
        """Remove passages and add others.

        Raises:
            InputError: One is not there, or is there already, or none would be left; nothing is changed.
        """
        if "length" not in self.about:
            raise InputError(
                f"{self._calls.place} was built by an earlier version of multihop and takes no changes; build it anew "
                "under another name."
            )
        for number, passage in enumerate(added, 1):
            check_texts(number, passage)
        found = self.find(named_in(ids, added))
        check_change({id_: place for id_, (place, _) in found.items()}, ids, added, self.about["passages"])
        for some_ids, some in in_steps(ids, added):
            self._step(some_ids, [found[id_] for id_ in some_ids], some)

    def find(self, ids: Sequence[str]) -> dict[str, tuple[int, Passage]]:
        """The places of those of the ids that the collection has, and their passages."""
        found: dict[str, tuple[int, Passage]] = {}
        for start in range(0, len(ids), _ASKED_AT_ONCE):
            block = ujson.dumps(list(ids[start : start + _ASKED_AT_ONCE]), ensure_ascii=False)
            limited = seen_filter(self.about)
            rows = self._calls.ask(
                "query",
                self._name,
                filter=f"id in {block}" + (f" and {limited}" if limited else ""),
                output_fields=[PLACE, *TEXTS],
                consistency_level="Strong",
            )
            found |= {row["id"]: (row[PLACE], Passage(*(row[name] for name in TEXTS))) for row in rows}
        return found

    def _step(self, ids: list[str], removed: list[tuple[int, Passage]], added: list[Passage]) -> None:
        before = ServerChanges.of(self.about) or ServerChanges(self.about["passages"])
        self._clear(before)
        self._describe(changing=True, changes=before.described())
        notes, length = self._count([passage for _, passage in removed], added, before.number)
        self._send(self._rows(added, before.following, notes))
        if notes:
            self._notes.write({stem: note.write() for stem, note in notes.items()})
        after = ServerChanges(before.following + len(added), tuple(place for place, _ in removed), before.number + 1)
        more = {"length": self.about["length"] + length} if self._by_words else {}
        self._describe(
            **more,
            passages=self.about["passages"] + len(added) - len(removed),
            terms=max([self.about["terms"], *(note.number + 1 for note in notes.values())]),
            corpus=corpus_after(self.about["corpus"], ids, added),
            changes=after.described(),
            changing=False,
        )
        self._delete(after.gone)
        self._describe(changes=after._replace(gone=()).described())

    def _clear(self, before: ServerChanges) -> None:
        """Take back what a change that was cut short has left."""
        self._delete(before.gone)
        if self.about.get("changing"):
            self._calls.ask("delete", self._name, filter=f"{PLACE} >= {before.following}")
            left = self._notes.starting_with(written_by(before.number + 1))
            notes = {stem: TermNote.read(value) for stem, value in left.items()}
            self._notes.write(
                {stem: note._replace(now=note.before, change=before.number).write() for stem, note in notes.items()}
            )

    def _count(self, removed: list[Passage], added: list[Passage], change: int) -> tuple[dict[str, TermNote], int]:
        """The notes of all terms that the change touches, after it, and by how much the corpus gets longer."""
        if not self._by_words:
            return {}, 0
        by, length = Counter[str](), 0
        for sign, passages in ((-1, removed), (1, added)):
            for passage in passages:
                counts = count_stems(text_of_words(passage, self.about["titles"]))
                length += sign * counts.total()
                for stem in counts:
                    by[stem] += sign
        known = self._notes.of_terms(list(by))
        notes, following = {}, self.about["terms"]
        for stem, note in zip(by, known, strict=True):
            if note is None:
                note, following = TermNote(following, 0, 0), following + 1
            notes[stem] = note.changed(change, by[stem])
        return notes, length

    def _rows(self, added: list[Passage], first: int, notes: dict[str, TermNote]) -> list[dict[str, Any]]:
        rows = [{PLACE: place, **dict(zip(TEXTS, each, strict=True))} for place, each in enumerate(added, first)]
        if self._by_words:
            weights = Weights(self.about)
            for row, passage in zip(rows, added, strict=True):
                held = weights.vector(passage, notes)
                row[WORDS] = {FILLER: 1.0, **{term_place(number): weight for number, weight in held.items()}}
        if self._encoder is not None and added:
            import numpy as np

            for row, vectors in zip(rows, encode(added, self._encoder, self.about["titles"], True), strict=True):
                row[MEANING] = vectors[0].astype(np.float16).astype(np.float32)
        return rows

    def _send(self, rows: list[dict[str, Any]]) -> None:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            self._calls.ask("upsert", self._name, rows[start : start + _ROWS_AT_ONCE])
        if rows:
            self._calls.ask("flush", self._name)

    def _delete(self, places: Sequence[int]) -> None:
        if places:
            self._calls.ask("delete", self._name, filter=f"{PLACE} in {list(places)}")

    def _describe(self, **more: Any) -> None:
        self.about = {**self.about, **more}
        self._notes.write_about(self.about)


def seen_filter(about: dict[str, Any]) -> str:
    """The condition that passages which are to be seen meet; empty where all are."""
    changes = ServerChanges.of(about)
    if changes is None:
        return ""
    hidden = f" and {PLACE} not in {list(changes.gone)}" if changes.gone else ""
    return f"{PLACE} < {changes.following}{hidden}"
