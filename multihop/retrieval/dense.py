"""Dense retrieval: an encoder's vectors, all compared with the query's, from memory or from disk."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base import MismatchError, writing_folder
from ..encoder import Encoder, TextEncoder, open_encoder
from .candidates import Approximation, Candidates, check_approximation
from .corpus_check import CorpusCheck
from .id_table import IdTable
from .index_folder import MANIFEST, damaged, open_manifest, reading_index, seal
from .living.changes_file import Changes
from .living.corpus import CorpusPart, LivingCorpus
from .living_index import LivingIndex, State
from .passage import Hit, Passage
from .passage_file import PassageFile, PassageWriter
from .retriever import check_search
from .vectors.part_search import VectorPart, VectorSearch, join_vectors
from .vectors.vector_file import FIRSTS, VECTORS, Vectors, VectorWriter, open_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
BLOCK = 1024
"""Passages that are encoded at once."""


class Dense(LivingIndex[VectorSearch]):
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

    format = FORMAT

    def __init__(
        self,
        parts: Sequence[CorpusPart],
        encoder: TextEncoder,
        settings: dict[str, Any],
        changes: Changes | None = None,
        manifest: dict[str, Any] | None = None,
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self.encoder = encoder
        self._settings = settings
        self._start(State(LivingCorpus(parts), self._search_of(parts), changes or Changes(), manifest))

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        titles: bool = True,
        one_vector: bool = False,
        folder: str | os.PathLike[str] | None = None,
        encoder: TextEncoder | None = None,
        approximate: Approximation | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Dense":
        """An index of the passages, in memory, or in `folder` and opened from there.

        Args:
            passages: The corpus; it is read once.
            titles: True to count the title together with the text.
            one_vector: Make a vector for each passage, not for each sentence: less room, and a little less is found.
            folder: The folder for the index; an index that is already there is replaced.
            encoder: The encoder that makes the vectors; the built-in one if not given.
            approximate: Compare a query with likely candidates alone, for millions of passages: "hnsw" or "ivf-pq"
                (`Candidates`). Scores are exact all the same; now and then a hit is missed.
            progress: Called now and then with the number of passages encoded.

        Raises:
            InputError: The corpus is empty, has an id twice or something that is no passage, or is too small for
                what `approximate` names.
            MissingExtraError: FAISS is not installed, and `approximate` needs it.
        """
        encoder = encoder or open_encoder()
        if approximate is not None:
            check_approximation(approximate)  # before hours are spent
        corpus = CorpusCheck()
        encoded = encode_blocks(passages, encoder, titles, one_vector, corpus, progress)
        if folder is None:
            all_passages: list[Passage] = []
            made: list[NDArray[np.float32]] = []
            for block, each in encoded:
                all_passages += block
                made += each
            corpus.refuse_duplicates(all_passages)
            vectors = Vectors.of(made)
            candidates = None if approximate is None else Candidates.build(vectors.rows, approximate)
            settings = dense_settings(encoder, titles, corpus.fingerprint, one_vector, approximate)
            part = VectorPart(vectors, candidates)
            return cls(
                [CorpusPart(passages=all_passages, index=part, fingerprint=corpus.fingerprint)], encoder, settings
            )
        with writing_folder(folder, marker=MANIFEST) as scratch:
            with PassageWriter(scratch) as writer, VectorWriter(scratch) as vector_writer:
                for block, each in encoded:
                    writer.extend(block)
                    vector_writer.extend(each)
            corpus.refuse_duplicates(PassageFile(scratch))
            corpus.id_table().write(scratch)
            if approximate is not None:
                Candidates.build(open_vectors(scratch).rows, approximate).write(scratch)
            settings = dense_settings(encoder, titles, corpus.fingerprint, one_vector, approximate)
            seal_dense(scratch, settings, encoder, corpus.seen)
        return cls.load(folder)

    @classmethod
    def _of(
        cls,
        folder: Path,
        parts: Sequence[CorpusPart],
        first: dict[str, Any],
        changes: Changes,
        manifest: dict[str, Any] | None,
    ) -> "Dense":
        encoder = _open_encoder_of(folder, first)
        with reading_index(folder):
            titles, corpus, one_vector = (first[name] for name in ("titles", "corpus", "one_vector"))
            settings = dense_settings(encoder, titles, corpus, one_vector, first.get("approximate"))
        return cls(parts, encoder, settings, changes, manifest)

    @classmethod
    def _read(cls, folder: Path, manifest: dict[str, Any]) -> CorpusPart:
        import numpy as np

        with reading_index(folder):
            vectors, ids, passages = open_vectors(folder), IdTable.read(folder), PassageFile(folder)
            rows, firsts = vectors
            if rows.dtype != np.float16 or rows.ndim != 2 or not len(vectors) == len(passages) == len(ids or passages):
                raise damaged(folder, VECTORS)
            if firsts[-1] != len(rows) or firsts[0] != 0 or not (np.diff(firsts) > 0).all():
                raise damaged(folder, FIRSTS)
            kind = manifest.get("approximate")
            part = VectorPart(vectors, None if kind is None else Candidates.read(folder, kind, len(rows)))
            return CorpusPart(passages=passages, index=part, fingerprint=manifest["corpus"], table=ids)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest passages of each query, best first, in the order of the queries."""
        check_search(queries, k)
        if not queries:
            return []
        state = self._state
        rankings = state.search.find_best(self.encoder.embed_queries(queries), k)
        hits = [[Hit(state.corpus[place], score) for place, score in ranking] for ranking in rankings]
        return [found if query.strip() else [] for query, found in zip(queries, hits, strict=True)]

    def _pack(self, part: CorpusPart) -> "dict[str, NDArray[Any]]":
        return dict(part.index.vectors._asdict())

    @classmethod
    def _unpack(cls, passages: list[Passage], arrays: "dict[str, NDArray[Any]]") -> CorpusPart:
        return CorpusPart(passages=passages, index=VectorPart(Vectors(*(arrays[name] for name in Vectors._fields))))

    def _search_of(self, parts: Sequence[CorpusPart]) -> VectorSearch:
        return VectorSearch([part.index for part in parts], [part.gone for part in parts])

    def _make(self, passages: list[Passage]) -> CorpusPart:
        titles, one_vector = self._settings["titles"], self._settings["one_vector"]
        made: list[NDArray[np.float32]] = []
        for start in range(0, len(passages), BLOCK):
            made += encode(passages[start : start + BLOCK], self.encoder, titles, one_vector)
        return CorpusPart(passages=passages, index=VectorPart(Vectors.of(made)))

    def _without(self, part: CorpusPart, places: list[int]) -> CorpusPart:
        import numpy as np

        return part.without(part.gone._replace(places=np.union1d(part.gone.places, np.array(places, np.int32))))

    def _combine(self, parts: Sequence[CorpusPart], folder: Path | None, *, alone: bool) -> CorpusPart:
        left = LivingCorpus(parts)
        blocks = join_vectors((part.index, part.gone) for part in parts)
        kind = self._settings.get("approximate") if alone else None
        if folder is None:
            vectors = Vectors.of(list(chain.from_iterable(blocks)))
            found = None if kind is None else Candidates.build(vectors.rows, kind)
            return CorpusPart(passages=list(left), index=VectorPart(vectors, found))
        with writing_folder(folder, marker=MANIFEST) as scratch:
            corpus = CorpusCheck()
            with PassageWriter(scratch) as writer, VectorWriter(scratch) as vector_writer:
                for some in corpus.blocks(left, BLOCK):
                    writer.extend(some)
                for each in blocks:
                    vector_writer.extend(each)
            corpus.id_table().write(scratch)
            if kind is not None:
                Candidates.build(open_vectors(scratch).rows, kind).write(scratch)
            settings = {name: value for name, value in self._settings.items() if name != "approximate"}
            settings |= {"corpus": corpus.fingerprint, **({} if kind is None else {"approximate": kind})}
            seal_dense(scratch, settings, self.encoder, corpus.seen)
        return self._read(folder, open_manifest(folder, self.kind, FORMAT))

    def __repr__(self) -> str:
        return f"Dense({len(self)} passages, {self._settings['encoder']})"


def encode_blocks(
    passages: Iterable[Passage],
    encoder: TextEncoder,
    titles: bool,
    one_vector: bool,
    corpus: CorpusCheck,
    progress: Callable[[int], None] | None,
) -> Iterator[tuple[list[Passage], "list[NDArray[np.float32]]"]]:
    """Go once through the corpus, checking it: block by block, with the vectors of each passage."""
    for block in corpus.blocks(passages, BLOCK):
        tell = None if progress is None else partial(_add_up, progress, corpus.seen - len(block))
        yield block, encode(block, encoder, titles, one_vector, tell)


def encode(
    passages: Sequence[Passage],
    encoder: TextEncoder,
    titles: bool,
    one_vector: bool,
    progress: Callable[[int], None] | None = None,
) -> "list[NDArray[np.float32]]":
    """The vectors of each passage: of its text after its title, if that counts."""
    heads = [f"{passage.title}. " if titles and passage.title else "" for passage in passages]
    texts = [head + passage.text for head, passage in zip(heads, passages, strict=True)]
    if one_vector or not isinstance(encoder, Encoder):
        return list(encoder.embed(texts, progress=progress)[:, None])
    return encoder.embed_passages(texts, list(map(len, heads)), progress=progress)


def seal_dense(folder: Path, settings: dict[str, Any], encoder: TextEncoder, passages: int) -> None:
    """Write the manifest of an index whose passages and vectors are in the folder."""
    seal(folder, {"kind": Dense.kind, "format": FORMAT, "passages": passages, **settings, **encoder.place})


def _open_encoder_of(folder: Path, described: Mapping[str, Any]) -> TextEncoder:
    """The encoder that made an index's vectors, opened from the place that the index's manifest names.

    Raises:
        MismatchError: There is another encoder now.
    """
    encoder = open_encoder(described.get("encoder_folder"), **described.get("encoder_options", {}))
    made_by = described.get("encoder")
    if encoder.embedding != made_by:
        raise MismatchError(
            f"{folder} was made by the encoder {made_by}, and this one is {encoder.embedding}; rebuild it with "
            "`multihop index --retriever dense`."
        )
    return encoder


def dense_settings(
    encoder: TextEncoder, titles: bool, corpus: str, one_vector: bool, approximate: str | None = None
) -> dict[str, Any]:
    """Everything that decides which passages an index finds."""
    settings = {"encoder": encoder.embedding, "titles": titles, "one_vector": one_vector, "corpus": corpus}
    return settings if approximate is None else {**settings, "approximate": approximate}


def _add_up(progress: Callable[[int], None], before: int, done: int) -> None:
    progress(before + done)
