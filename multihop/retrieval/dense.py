"""Dense retrieval: an encoder's vectors, all compared with the query's, exactly, from memory or from disk."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from itertools import islice, repeat
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

from ..base import MismatchError
from ..base.imports import NDArray, np
from ..encoder import Encoder, TextEncoder, open_encoder
from .corpus_index import CorpusCheck, CorpusIndex, PassageFile, PlaceScores, write_passages
from .index_folder import Manifest, damaged, index_of, read_column
from .passage import Hit, Passage, Passages, Progress
from .retriever import check_search

VECTORS, FIRSTS = "vectors", "vectors.firsts"
BLOCK = 1024
"""Passages whose vectors are in memory at once while they are written."""
_COMPARED = 1 << 16
"""Vectors that NumPy compares with the queries at once."""
_SMALL = 1 << 24
"""Numbers of all vectors together that are kept in single precision: 64 MiB, of some 11,000 passages."""
_LARGEST = 1 << 31
"""Bytes of vectors that FAISS may hold in memory for its scan; more are read from the disk at each search."""
_FEW = 4
"""Queries up to which this thread alone compares: to wake the threads of BLAS takes longer, and they keep the cores
from others for a while when they are done."""
_MANY = 64
"""Queries that are compared at once, at most."""
_ROUNDING = 2.0**-22
"""The largest error that single precision makes in comparing two products of vectors, for each of the vectors' numbers:
2 times 2**-24, and as much again to be on the safe side."""


class VectorManifest(Manifest):
    """The settings of an index of vectors."""

    encoder: str
    titles: bool
    one_vector: bool
    corpus: str
    encoder_options: dict[Literal["query_prefix", "passage_prefix"], str] = {}
    """The way in which the encoder was used, where its own files do not say it."""


class Dense(CorpusIndex):
    """A retriever that ranks by the cosine of the query's and the passage's vectors, exactly.

    A passage has a vector for each of its sentences, and the nearest of them counts: so one that tells of many things
    is found for each. The vectors are the built-in encoder's, or any sentence encoder's (`open_encoder`), which makes
    one a passage; where that one compares by the product, so does this. They are kept in half precision and, where
    there is a folder, read from it as they are needed. Equal scores are ranked in the order of the corpus.

    Examples:
        >>> from multihop.retrieval import Dense, Passage
        >>> retriever = Dense.build([
        ...     Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
        ...     Passage("p2", "Etna", "Etna is an active volcano in Sicily."),
        ... ])
        >>> [hit.passage.title for hit in retriever.search(["mountains that erupt"], k=1)[0]]
        ['Etna']
    """

    kind = "dense"
    manifest = VectorManifest

    def __init__(
        self, passages: Passages, search: "VectorSearch", encoder: TextEncoder, settings: dict[str, Any]
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self.encoder = encoder
        self._passages, self._search, self._settings = passages, search, settings

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        titles: bool = True,
        one_vector: bool = False,
        folder: str | os.PathLike[str] | None = None,
        encoder: TextEncoder | None = None,
        progress: Progress = None,
    ) -> "Dense":
        """An index of the passages, in memory, or in `folder` and opened from there.

        Args:
            passages: The corpus; it is read once.
            titles: True to count the title together with the text.
            one_vector: Make a vector for each passage, not for each sentence: less room, and a little less is found.
            folder: The folder for the index; an index that is already there is replaced.
            encoder: The encoder that makes the vectors; the built-in one if not given.
            progress: Called now and then with the number of passages encoded.
        """
        encoding = Encoding(encoder or open_encoder(), titles, one_vector)
        if folder is not None:
            return cls._built_in(
                folder, lambda scratch: {**write_passages(scratch, passages), **encoding.write(scratch, progress)}
            )
        check, listed = CorpusCheck(), list(passages)
        for _ in check.blocks(listed, BLOCK):
            pass
        check.table(listed)
        search = VectorSearch(Vectors.of(list(encoding.encode(listed, progress))))
        return cls(listed, search, encoding.encoder, {**encoding.settings, "corpus": check.fingerprint})

    @classmethod
    def of(cls, home: Path, described: Any, passages: PassageFile, encoder: TextEncoder | None = None) -> Self:
        """The index of these passages whose vectors are in a folder, and whose settings are these."""
        encoder = encoder or open_encoder(described.encoder_folder, **described.encoder_options)
        if encoder.embedding != described.encoder:
            raise MismatchError(
                f"{index_of(home)} was made by the encoder {described.encoder}, and this one is {encoder.embedding}; "
                "rebuild it with `multihop index --retriever dense`."
            )
        settings = {name: getattr(described, name) for name in ("encoder", "titles", "one_vector", "corpus")}
        return cls(passages, VectorSearch(Vectors.open(home, len(passages))), encoder, settings)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest passages of each query, best first, in the order of the queries."""
        check_search(queries, k)
        if not queries:
            return []
        asked = self.encoder.embed_queries(queries)
        if asked.shape[1] != self._search.vectors.rows.shape[1]:
            raise damaged(self._folder or "the index", VECTORS)
        rankings = self._search.find_best(asked, k)
        return [self._hits(ranking) if query.strip() else [] for query, ranking in zip(queries, rankings, strict=True)]

    def _write_again(self, folder: Path, passages: Iterable[Passage], progress: Progress = None) -> dict[str, Any]:
        return {**write_passages(folder, passages), **self.write_vectors_again(folder, progress)}

    def write_vectors_again(self, folder: Path, progress: Progress = None) -> dict[str, Any]:
        """Write the vectors of the passages in a folder there, by its settings; those of texts that it has are kept."""
        encoding = Encoding(self.encoder, self._settings["titles"], self._settings["one_vector"])
        return encoding.write(folder, progress, known=(self._passages, self._search.vectors))

    def __repr__(self) -> str:
        return f"Dense({len(self)} passages, {self._settings['encoder']})"


class Encoding:
    """The way in which passages become vectors: the encoder, whether titles count, one vector or one a sentence."""

    def __init__(self, encoder: TextEncoder, titles: bool, one_vector: bool) -> None:
        self.encoder = encoder
        self.settings = {"encoder": encoder.embedding, "titles": titles, "one_vector": one_vector}

    def write(self, folder: Path, progress: Progress = None, known: "Known | None" = None) -> dict[str, Any]:
        """Write the vectors of the passages in a folder there; returns what the manifest says of them."""
        Vectors.write(folder, self.encode(PassageFile(folder), progress, known))
        return {**self.settings, **self.encoder.place}

    def encode(
        self, passages: Passages | Sequence[Passage], progress: Progress = None, known: "Known | None" = None
    ) -> "Iterator[NDArray[np.float32] | NDArray[np.float16]]":
        """The vectors of each passage; those of texts that are among the known passages are taken over."""
        places = {} if known is None else {_content(passage): place for place, passage in enumerate(known[0])}
        stream, done = iter(passages), 0
        while block := list(islice(stream, BLOCK)):
            there = [places.get(_content(passage)) if places else None for passage in block]
            new = [passage for passage, place in zip(block, there, strict=True) if place is None]
            made = iter(self._encode(new, progress and partial(_tell, progress, done)))
            for place in there:
                yield next(made) if place is None or known is None else known[1].at(place)
            done += len(block)

    def _encode(self, passages: Sequence[Passage], tell: Progress) -> "Iterable[Any]":
        """The vectors of each passage, of its text after its title, if that counts."""
        heads = [f"{passage.title}. " if self.settings["titles"] and passage.title else "" for passage in passages]
        texts = [head + passage.text for head, passage in zip(heads, passages, strict=True)]
        if self.settings["one_vector"] or not isinstance(self.encoder, Encoder):
            return self.encoder.embed(texts, progress=tell)[:, None] if texts else ()
        return self.encoder.embed_passages(texts, list(map(len, heads)), progress=tell)


def _content(passage: Passage) -> bytes:
    """A digest of a passage's title and text, by which its vectors are taken over."""
    told = f"{len(passage.title)} {passage.title}{passage.text}"
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _tell(progress: Callable[[int], None], before: int, done: int) -> None:
    progress(before + done)


class Vectors(NamedTuple):
    """The vectors of passages, those of each one after the other; each passage has one or more."""

    rows: "NDArray[np.float16]"
    firsts: "NDArray[np.int64]"
    """The first row of each passage, and after them the number of rows."""

    def at(self, place: int) -> "NDArray[np.float16]":
        """The vectors of the passage at a place."""
        start, end = self.firsts[place : place + 2].tolist()
        return self.rows[start:end]

    @classmethod
    def of(cls, passages: "Sequence[NDArray[Any]]") -> "Vectors":
        """The vectors of passages in memory, in half precision."""
        return cls(np.concatenate(passages).astype(np.float16), _firsts([len(each) for each in passages]))

    @classmethod
    def write(cls, folder: Path, passages: "Iterable[NDArray[Any]]") -> None:
        """Write the vectors of passages to two files, in half precision, as they come."""
        stream, counts = iter(passages), list[int]()
        with (folder / VECTORS).open("wb") as file:
            while block := list(islice(stream, BLOCK)):
                file.write(np.concatenate(block).astype("<f2").tobytes())
                counts += map(len, block)
        _firsts(counts).tofile(folder / FIRSTS)

    @classmethod
    def open(cls, folder: Path, passages: int) -> "Vectors":
        """The vectors of so many passages in a folder, left on disk and read from there as they are needed."""
        numbers, firsts = read_column(folder, VECTORS, "<f2"), read_column(folder, FIRSTS, "<i8")
        if len(firsts) != passages + 1 or firsts[0] != 0 or not (np.diff(firsts) > 0).all():
            raise damaged(folder, FIRSTS)
        if not len(numbers) or len(numbers) % int(firsts[-1]):
            raise damaged(folder, VECTORS)
        return cls(numbers.reshape(int(firsts[-1]), -1), np.array(firsts))


Known = tuple[Passages, Vectors]
"""Passages whose vectors are there already."""


class VectorSearch:
    """Finds the passages whose vectors are nearest to a query: by their highest product; of equals the earlier one.

    A scan of all vectors finds who can be among the first, roughly: its last bits depend on how many vectors it
    compares at once. So these few are multiplied again, one by one and in double precision: a passage's score is the
    same alone and in any batch, in memory and on disk, with FAISS and without.
    """

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self._scan: _NumPyScan | _FAISSScan | None = None

    def __reduce__(self) -> Any:
        return VectorSearch, (self.vectors,)

    def find_best(self, queries: "NDArray[np.float32]", k: int) -> list[PlaceScores]:
        """For each query's vector the `k` nearest passages, best first, equal ones in the order of the corpus."""
        rows, firsts = self.vectors
        if self._scan is None:
            large = rows.size > _SMALL and rows.nbytes <= _LARGEST and find_spec("faiss") is not None
            self._scan = _FAISSScan(rows) if large else _NumPyScan(rows)
        count = min(len(rows), 4 * k * math.ceil(len(rows) / (len(firsts) - 1)))
        slack = _ROUNDING * (rows.shape[1] + 2) * self._scan.longest * np.linalg.norm(queries, axis=1)
        rankings: list[PlaceScores] = []
        for start in range(0, len(queries), _MANY):
            scores, found = self._scan.search(queries[start : start + _MANY], count)
            rankings += map(self._rank, queries[start:], repeat(k), scores, found, slack[start:])
        return rankings

    def _rank(self, query: "NDArray[np.float32]", k: int, scores: Any, found: Any, slack: float) -> PlaceScores:
        """The nearest passages, given the best vectors of a scan, the best first."""
        rows, firsts = self.vectors
        likely = np.arange(len(firsts) - 1)
        while len(found) < len(rows) and (found >= 0).all():
            owners = np.searchsorted(firsts, found, "right") - 1
            _, best_of_each = np.unique(owners, return_index=True)
            if len(best_of_each) >= k:
                floor = scores[np.sort(best_of_each)[k - 1]] - slack
                if scores[-1] < floor:  # none of the others reaches it
                    likely = np.unique(owners[scores >= floor])
                    break
            assert self._scan is not None
            (scores,), (found,) = self._scan.search(query[None], min(len(rows), 4 * len(found)))
        counts = firsts[likely + 1] - firsts[likely]
        starts = np.cumsum(counts) - counts
        own = rows[np.repeat(firsts[likely] - starts, counts) + np.arange(counts.sum())]
        products = (own.astype(np.float64) * query.astype(np.float64)).sum(axis=1).astype(np.float32)
        highest = np.maximum.reduceat(products, starts)
        order = np.argsort(-highest, kind="stable")[:k]
        return list(zip(likely[order].tolist(), highest[order].tolist(), strict=True))


class _NumPyScan:
    """Compares in single precision, block by block; the vectors of a small corpus stay in memory."""

    def __init__(self, rows: "NDArray[np.float16]") -> None:
        self._rows: NDArray[Any] = rows.astype(np.float32) if rows.size <= _SMALL else rows
        self.longest = max(map(_longest, self._blocks()))

    def _blocks(self) -> "Iterable[NDArray[np.float32]]":
        for start in range(0, len(self._rows), _COMPARED):
            yield self._rows[start : start + _COMPARED].astype(np.float32, copy=False)

    def search(self, queries: "NDArray[np.float32]", count: int) -> tuple[Any, Any]:
        """For each query the highest products, best first, and the rows that have them."""
        scores, found = np.empty((len(queries), 0), np.float32), np.empty((len(queries), 0), np.int64)
        start = 0
        for block in self._blocks():
            products = queries @ block.T if len(queries) > _FEW else np.einsum("qd,nd->qn", queries, block)
            scores = np.concatenate([scores, products], axis=1)
            places = np.broadcast_to(np.arange(start, start + len(block)), products.shape)
            found = np.concatenate([found, places], axis=1)
            if scores.shape[1] > count:
                best = np.argpartition(scores, -count, axis=1)[:, -count:]
                scores, found = np.take_along_axis(scores, best, 1), np.take_along_axis(found, best, 1)
            start += len(block)
        order = np.argsort(-scores, axis=1)
        return np.take_along_axis(scores, order, 1), np.take_along_axis(found, order, 1)


class _FAISSScan:
    """FAISS's scan in half precision, of vectors that it holds in memory: ten times as fast as NumPy's."""

    def __init__(self, rows: "NDArray[np.float16]") -> None:
        import faiss

        self._index = faiss.IndexScalarQuantizer(
            rows.shape[1], faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
        )
        faiss.copy_array_to_vector(rows.view("u1").reshape(-1), self._index.codes)
        self._index.ntotal = len(rows)
        self.longest = max(_longest(rows[start : start + _COMPARED]) for start in range(0, len(rows), _COMPARED))

    def search(self, queries: "NDArray[np.float32]", count: int) -> tuple[Any, Any]:
        """For each query the highest products, best first, and the rows that have them."""
        scores, found = self._index.search(queries, count)
        return scores, found


def _longest(rows: "NDArray[Any]") -> float:
    """The length of the longest vector."""
    block = rows.astype(np.float32, copy=False)
    return math.sqrt(np.einsum("ij,ij->i", block, block).max())


def _firsts(counts: Sequence[int]) -> "NDArray[np.int64]":
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(counts, np.int64))])
