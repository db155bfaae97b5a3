"""Hybrid retrieval: BM25 and dense rankings fused, the first hits optionally reranked by the encoder."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

from ..base import InputError, MismatchError, flush_folder, writing_folder
from ..encoder import Encoder, Pair, TextEncoder
from .bm25 import BM25
from .candidates import Approximation
from .changing_index import ChangingIndex
from .dense import Dense
from .fusion import CONSTANT, fuse
from .index_folder import CHANGED, MANIFEST, damaged, index_fingerprint, read_manifest, seal
from .living.changes_file import HERE, Changes, publish, sweep
from .living.corpus import check_some_left
from .living.packed import PACKED
from .living_index import State
from .passage import Hit, Passage
from .passage_file import LINES
from .retriever import check_search
from .vectors.part_search import VectorSearch
from .words.part_search import PartSearch

FORMAT = 1
PARTS = ("words", "meanings")
"""The folders of the two indexes."""
DEPTH = 50
"""The places of each ranking that count."""


class Hybrid(ChangingIndex):
    """A retriever that fuses BM25's and the vectors' rankings, and may have the encoder judge the first ones.

    Examples:
        >>> from multihop.retrieval import Hybrid, Passage
        >>> retriever = Hybrid.build([
        ...     Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
        ...     Passage("p2", "Etna", "Etna is an active volcano in Sicily."),
        ... ])
        >>> [hit.passage.title for hit in retriever.search(["a river in Vienna"], k=1)[0]]
        ['Danube']
    """

    kind = "hybrid"
    format = FORMAT

    def __init__(
        self,
        words: BM25,
        meanings: Dense,
        *,
        rerank: int = 0,
        encoder: Encoder | None = None,
    ) -> None:
        """Two indexes of the same corpus.

        Args:
            words: Ranks by the words.
            meanings: Ranks by the vectors.
            rerank: The number of first fused hits that the encoder judges and orders anew.
            encoder: The encoder that judges; the built-in one if not given.
        """
        if rerank < 0:
            raise InputError(f"rerank is a number of hits, 0 or more, not {rerank}.")
        self._both = words, meanings
        self._begin()
        self._manifest: dict[str, Any] | None = None
        self._rerank = rerank
        self._judge = encoder or Encoder.load()

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        titles: bool = True,
        one_vector: bool = False,
        rerank: int = 0,
        folder: str | os.PathLike[str] | None = None,
        encoder: TextEncoder | None = None,
        approximate: Approximation | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Hybrid":
        """Both indexes of the passages, in memory, or in `folder` and opened from there; see `Dense.build`."""
        build_dense = partial(
            Dense.build,
            titles=titles,
            one_vector=one_vector,
            encoder=encoder,
            approximate=approximate,
            progress=progress,
        )
        if folder is None:
            words = BM25.build(passages, titles=titles)
            return cls(words, build_dense(words), rerank=rerank, encoder=_judge_of(encoder))
        with writing_folder(folder, marker=MANIFEST) as scratch:
            words = BM25.build(passages, titles=titles, folder=scratch / "words")
            meanings = build_dense(words, folder=scratch / "meanings")
            share_passages(scratch, HERE)
            parts = {"words": words.fingerprint, "meanings": meanings.fingerprint}
            seal(scratch, {"kind": cls.kind, "format": FORMAT, "passages": len(words), "rerank": rerank, **parts})
        return cls.load(folder)

    @classmethod
    def _opened(cls, folder: Path, manifest: dict[str, Any]) -> Self:
        changes = manifest.get("changes") or {}
        if not isinstance(changes, dict):
            raise damaged(folder, MANIFEST)
        words = BM25._open(folder / "words", Changes.of(changes.get("words"), folder))
        meanings = Dense._open(folder / "meanings", Changes.of(changes.get("meanings"), folder))
        # Where they have changed since, all passages would have to be read for their fingerprints.
        known = [manifest.get(name) for name in PARTS]
        if not changes and [words.fingerprint, meanings.fingerprint] != known:
            raise damaged(folder, MANIFEST)
        opened = cls(words, meanings, rerank=manifest["rerank"], encoder=_judge_of(meanings.encoder))._at(folder)
        opened._manifest = manifest
        return opened

    def get(self, ids: Sequence[str]) -> dict[str, Passage]:
        """Those of the passages with these ids that are there, by their ids."""
        return self._both[0].get(ids)

    def _change_once(self, ids: Iterable[str], added: list[Passage]) -> None:
        words, meanings = self._both
        places = words._state.corpus.find_all(ids)  # the same in both, which have the same parts
        check_some_left(len(words) + len(added) - len(places))
        self._publish(words._plan(places, added), meanings._plan(places, added))

    @property
    def _is_loose(self) -> bool:
        return self._both[0]._is_loose

    def _settle(self) -> Any:
        words, meanings = self._both
        self._publish(words._plan_settled(), meanings._plan_settled())
        words, meanings = self._both
        return None if words._state.corpus.is_whole else (words._state, meanings._state)

    def _made_whole(self, before: Any) -> Any:
        words, meanings = self._both
        return words._made_whole(before[0]), meanings._made_whole(before[1])

    def _take_whole(self, before: Any, made: Any) -> None:
        words, meanings = self._both
        self._publish(words._plan_whole(before[0], made[0]), meanings._plan_whole(before[1], made[1]))

    def _publish(self, words: State[PartSearch], meanings: State[VectorSearch]) -> None:
        """From here on both indexes are in these states."""
        before = self._both
        if words is before[0]._state:
            return
        if self._folder is not None:
            assert self._manifest is not None
            for name in set(words.changes.parts) - set(before[0]._state.changes.parts):
                share_passages(self._folder, name)
            for part in PARTS:
                flush_folder(self._folder / part, files=False)
            both = {"words": words.changes._asdict(), "meanings": meanings.changes._asdict()}
            changed = {"format": FORMAT + CHANGED, "passages": len(words.corpus), "changes": both}
            publish(self._folder, {**self._manifest, **changed})
            self._manifest = read_manifest(self._folder)
        self._both = before[0]._with(words), before[1]._with(meanings)

    def _refresh(self) -> bool:
        if self._folder is None or read_manifest(self._folder) == self._manifest:
            return False
        fresh = type(self).load(self._folder)
        if [index._lasting for index in fresh._both] != [index._lasting for index in self._both]:
            raise MismatchError(f"{self._folder} now holds an index with other settings; open it anew.")
        self._both, self._manifest, self._rerank = fresh._both, fresh._manifest, fresh._rerank
        return True

    def _sweep(self) -> None:
        assert self._folder is not None
        words, meanings = self._both
        sweep(self._folder / "words", words._state.changes, self._folder)
        sweep(self._folder / "meanings", meanings._state.changes, self._folder)

    @property
    def encoder(self) -> TextEncoder:
        """The encoder that makes the vectors."""
        return self._both[1].encoder

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides which passages are found: both indexes, and the way their rankings are fused."""
        words, meanings = self._both
        parts = {"words": words.fingerprint, "meanings": meanings.fingerprint}
        fused = {**parts, "constant": CONSTANT, "depth": DEPTH, "rerank": self._rerank}
        return {**fused, "encoder": self._judge.fingerprint} if self._rerank else fused

    @property
    def fingerprint(self) -> str:
        """Identifies the corpus and the settings."""
        return index_fingerprint(self.kind, list(self.settings.values()))

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        depth = max(k, DEPTH)
        words, meanings = self._both  # of one moment
        by_words, by_meaning = words.search(queries, depth), meanings.search(queries, depth)
        rankings = [fuse(*both)[: max(k, self._rerank)] for both in zip(by_words, by_meaning, strict=True)]
        if self._rerank:
            rankings = self._rerank_all(queries, rankings)
        return [ranking[:k] for ranking in rankings]

    def passage(self, place: int) -> Passage:
        """The passage at a place of the corpus."""
        return self._both[0].passage(place)

    def __iter__(self) -> Iterator[Passage]:
        """The passages, in the order of the corpus."""
        return iter(self._both[0])

    def __len__(self) -> int:
        """The number of passages."""
        return len(self._both[0])

    def _rerank_all(self, queries: Sequence[str], rankings: Sequence[list[Hit]]) -> list[list[Hit]]:
        """The first hits by how relevant the encoder finds them; the others after them, as they were."""
        heads = [ranking[: self._rerank] for ranking in rankings]
        pairs = [Pair(query, str(hit.passage)) for query, head in zip(queries, heads, strict=True) for hit in head]
        judged = iter(self._judge.judge(pairs))
        ordered = []
        for ranking, head in zip(rankings, heads, strict=True):
            scored = [Hit(hit.passage, 1 + next(judged).relevant) for hit in head]
            ordered.append([*sorted(scored, key=lambda hit: -hit.score), *ranking[len(head) :]])
        return ordered

    def __repr__(self) -> str:
        return f"Hybrid({len(self)} passages, rerank={self._rerank})"


def share_passages(folder: Path, part: str) -> None:
    """Keep the passages of a part once, if it is a folder: both indexes hold the same, byte for byte."""
    if part.endswith(PACKED):
        return
    (folder / "meanings" / part / LINES).unlink()
    os.link(folder / "words" / part / LINES, folder / "meanings" / part / LINES)
    flush_folder(folder / "meanings" / part, files=False)


def _judge_of(encoder: TextEncoder | None) -> Encoder | None:
    """The encoder that reads hits again: the one that makes the vectors, if it can judge, else the built-in one."""
    return encoder if isinstance(encoder, Encoder) else None
