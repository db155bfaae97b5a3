"""Dense retrieval: an encoder's vectors, all compared with the query's, from memory or from disk."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..base import MismatchError
from ..encoder import Encoder, TextEncoder, open_encoder
from .changing_index import ChangingIndex
from .corpus import CorpusCheck, IdTable, PassageFile, write_passages
from .index_folder import FORMAT, damaged, seal, writing_index
from .passage import Hit, Passage, Passages
from .retriever import check_search
from .vectors.candidates import Approximation, Candidates, check_approximation
from .vectors.nearest import VectorSearch
from .vectors.vector_file import VECTORS, Vectors, VectorWriter, open_vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 1024
"""Passages that are encoded at once."""


class Dense(ChangingIndex):
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

    def __init__(
        self,
        passages: Passages,
        search: VectorSearch,
        encoder: TextEncoder,
        settings: dict[str, Any],
        ids: IdTable | None = None,
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self.encoder = encoder
        self._passages, self._search, self._settings, self._ids = passages, search, settings, ids

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
        if folder is not None:
            with writing_index(folder) as scratch:
                corpus = write_passages(scratch, passages, BLOCK)
                stored, settings = (
                    PassageFile(scratch),
                    settings_of_vectors(encoder, titles, one_vector, approximate, corpus),
                )
                write_vectors(scratch, encode(stored, encoder, titles, one_vector, progress), approximate)
                _seal(scratch, settings, encoder, len(stored))
            return cls.load(folder)
        check, listed = CorpusCheck(), list(passages)
        for _ in check.blocks(listed, BLOCK):
            pass
        check.refuse_duplicates(listed)
        vectors = Vectors.of(list(encode(listed, encoder, titles, one_vector, progress)))
        candidates = None if approximate is None else Candidates.build(vectors.rows, approximate)
        settings = settings_of_vectors(encoder, titles, one_vector, approximate, check.fingerprint)
        return cls(listed, VectorSearch(vectors, candidates), encoder, settings)

    @classmethod
    def of(cls, home: Path, described: Mapping[str, Any], passages: PassageFile, ids: IdTable) -> Self:
        """The index of these passages whose vectors are in a folder, and whose settings are these."""
        encoder = _open_encoder_of(home, described)
        vectors, kind = open_vectors(home), described.get("approximate")
        if len(vectors) != len(passages):
            raise damaged(home, VECTORS)
        candidates = None if kind is None else Candidates.read(home, kind, len(vectors.rows))
        settings = settings_of_vectors(encoder, described["titles"], described["one_vector"], kind, described["corpus"])
        return cls(passages, VectorSearch(vectors, candidates), encoder, settings, ids)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest passages of each query, best first, in the order of the queries."""
        check_search(queries, k)
        if not queries:
            return []
        rankings = self._search.find_best(self.encoder.embed_queries(queries), k)
        return [self._hits(ranking) if query.strip() else [] for query, ranking in zip(queries, rankings, strict=True)]

    def _rewrite(self, scratch: Path, kept: "NDArray[np.int64]", added: Sequence[Passage]) -> None:
        passages = chain(map(self._passages.__getitem__, kept.tolist()), added)
        corpus = write_passages(scratch, passages, BLOCK)
        self.write_like(scratch, kept, added)
        _seal(scratch, {**self._settings, "corpus": corpus}, self.encoder, len(kept) + len(added))

    def write_like(self, folder: Path, kept: "NDArray[np.int64]", added: Sequence[Passage]) -> None:
        """Write the vectors of its passages at some places, and of new ones, into a folder.

        Only texts that it does not have are encoded: a document of another name, say, has the passages that it had.
        """
        import numpy as np

        stored, gone = self._search.vectors, np.setdiff1d(np.arange(len(self)), kept).tolist() if added else []
        known = {self._passages[place][1:]: place for place in gone}
        titles, one_vector = self._settings["titles"], self._settings["one_vector"]
        made = encode([each for each in added if each[1:] not in known], self.encoder, titles, one_vector)
        taken_over = map(stored.at, kept.tolist())
        new = (stored.at(known[each[1:]]) if each[1:] in known else next(made) for each in added)
        write_vectors(folder, chain(taken_over, new), self._settings.get("approximate"))

    def __repr__(self) -> str:
        return f"Dense({len(self)} passages, {self._settings['encoder']})"


def encode(
    passages: Passages | Sequence[Passage],
    encoder: TextEncoder,
    titles: bool,
    one_vector: bool,
    progress: Callable[[int], None] | None = None,
) -> "Iterator[NDArray[np.float32]]":
    """The vectors of each passage: of its text after its title, if that counts."""
    stream, done = iter(passages), 0
    while block := list(islice(stream, BLOCK)):
        tell = None if progress is None else partial(_add_up, progress, done)
        heads = [f"{passage.title}. " if titles and passage.title else "" for passage in block]
        texts = [head + passage.text for head, passage in zip(heads, block, strict=True)]
        if one_vector or not isinstance(encoder, Encoder):
            yield from encoder.embed(texts, progress=tell)[:, None]
        else:
            yield from encoder.embed_passages(texts, list(map(len, heads)), progress=tell)
        done += len(block)


def write_vectors(folder: Path, vectors: "Iterable[NDArray[Any]]", approximate: Approximation | None) -> None:
    """Write the vectors of passages, in their order, and what finds likely ones among them, if that is wanted."""
    stream = iter(vectors)
    with VectorWriter(folder) as writer:
        while block := list(islice(stream, BLOCK)):
            writer.extend(block)
    if approximate is not None:
        Candidates.build(open_vectors(folder).rows, approximate).write(folder)


def _seal(folder: Path, settings: Mapping[str, Any], encoder: TextEncoder, passages: int) -> None:
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


def settings_of_vectors(
    encoder: TextEncoder, titles: bool, one_vector: bool, approximate: str | None, corpus: str
) -> dict[str, Any]:
    """Everything that decides which passages an index finds."""
    if not (isinstance(titles, bool) and isinstance(one_vector, bool) and isinstance(corpus, str)):
        raise ValueError("not the settings of an index")
    settings = {"encoder": encoder.embedding, "titles": titles, "one_vector": one_vector, "corpus": corpus}
    return settings if approximate is None else {**settings, "approximate": approximate}


def _add_up(progress: Callable[[int], None], before: int, done: int) -> None:
    progress(before + done)
