"""Search by meaning: the built-in encoder's vectors, every one compared with the query's, from memory or from disk."""

import math
import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..base import MismatchError, writing_folder
from ..encoder import Encoder
from .corpus_check import CorpusCheck, Passages
from .corpus_index import CorpusIndex
from .index_folder import MANIFEST, damaged, index_fingerprint, open_manifest, reading_index, seal
from .passage import Hit, Passage
from .passage_file import PassageFile, PassageWriter
from .retriever import check_search

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KIND = "dense"
FORMAT = 1
VECTORS = "vectors.npy"
_BLOCK = 1024
_COMPARED = 1 << 16
"""Vectors that are compared with the queries at once."""


class Dense(CorpusIndex):
    """A retriever that ranks by the cosine of the query's and the passage's vectors, exactly.

    Vectors are kept in half precision and, where there is a folder, read from it as they are needed. Equal scores are
    ranked in the order of the corpus.

    Examples:
        >>> from multihop.retrieval import Dense, Passage
        >>> retriever = Dense.build([
        ...     Passage("p1", "Danube", "The Danube flows through Vienna and Budapest."),
        ...     Passage("p2", "Etna", "Etna is an active volcano in Sicily."),
        ... ])
        >>> [hit.passage.title for hit in retriever.search(["mountains that erupt"], k=1)[0]]
        ['Etna']
    """

    def __init__(
        self, passages: Passages, vectors: "NDArray[np.float16]", encoder: Encoder, *, titles: bool, corpus: str
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages = passages
        self._vectors = vectors
        self._encoder = encoder
        self._settings: dict[str, Any] = {"encoder": encoder.embedding, "titles": titles, "corpus": corpus}

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        titles: bool = True,
        folder: str | os.PathLike[str] | None = None,
        encoder: Encoder | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "Dense":
        """An index of the passages, in memory, or in `folder` and opened from there.

        Args:
            passages: The corpus; it is read once.
            titles: Whether the title counts together with the text.
            folder: Where the index goes; an index that is already there is replaced.
            encoder: What makes the vectors; the built-in one if not given.
            progress: Called now and then with the number of passages encoded.

        Raises:
            InputError: The corpus is empty, has an id twice or something that is no passage.
        """
        encoder = encoder or Encoder.load()
        if folder is None:
            all_passages: list[Passage] = []
            vectors, corpus = _encode(passages, encoder, titles, all_passages.extend, progress)
            corpus.refuse_duplicates(all_passages)
            return cls(all_passages, vectors, encoder, titles=titles, corpus=corpus.fingerprint)
        with writing_folder(folder, marker=MANIFEST) as scratch:
            import numpy as np

            with PassageWriter(scratch) as writer:
                vectors, corpus = _encode(passages, encoder, titles, writer.extend, progress)
            corpus.refuse_duplicates(PassageFile(scratch))
            np.save(scratch / VECTORS, vectors, allow_pickle=False)
            settings = {"encoder": encoder.embedding, "titles": titles, "corpus": corpus.fingerprint}
            place = {} if encoder is Encoder.load() else {"encoder_folder": str(encoder.folder)}
            seal(scratch, {"kind": KIND, "format": FORMAT, "passages": len(vectors), **settings, **place})
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """The index in `folder`, left on disk and read from there as it is needed.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or version, or made by another encoder.
        """
        import numpy as np

        folder = os.path.expanduser(folder)
        manifest = open_manifest(folder, KIND, FORMAT)
        encoder = Encoder.load(manifest.get("encoder_folder"))
        if manifest.get("encoder") != encoder.embedding:
            raise MismatchError(
                f"{folder} was made by the encoder {manifest.get('encoder')}, and this one is {encoder.embedding}; "
                "rebuild it with `multihop index --retriever dense`."
            )
        with reading_index(folder):
            vectors = np.asarray(np.load(Path(folder) / VECTORS, mmap_mode="r", allow_pickle=False))
            passages = PassageFile(Path(folder))
            if vectors.dtype != np.float16 or vectors.ndim != 2 or not len(vectors) == len(passages):
                raise damaged(folder, VECTORS)
            index = cls(passages, vectors, encoder, titles=manifest["titles"], corpus=manifest["corpus"])
            return index._at(folder)

    @property
    def encoder(self) -> Encoder:
        """What makes the vectors."""
        return self._encoder

    @property
    def fingerprint(self) -> str:
        """Stands for the corpus, the encoder and the settings."""
        return index_fingerprint(KIND, self._settings)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """The `k` nearest passages of each query, best first, in the order of the queries."""
        import numpy as np

        check_search(queries, k)
        if not queries:
            return []
        vectors = self._encoder.embed(queries)
        scores = np.concatenate(
            [
                vectors @ self._vectors[start : start + _COMPARED].astype(np.float32).T
                for start in range(0, len(self), _COMPARED)
            ],
            axis=1,
        )
        return [
            self._hits(row, k, above=-math.inf) if query.strip() else []
            for query, row in zip(queries, scores, strict=True)
        ]

    def __repr__(self) -> str:
        return f"Dense({len(self)} passages, {self._settings['encoder']})"


def _encode(
    passages: Iterable[Passage],
    encoder: Encoder,
    titles: bool,
    keep: Callable[[list[Passage]], None],
    progress: Callable[[int], None] | None,
) -> tuple["NDArray[np.float16]", CorpusCheck]:
    """Go once through the corpus: check it, keep it, encode it."""
    import numpy as np

    corpus, blocks = CorpusCheck(), []
    for block in corpus.blocks(passages, _BLOCK):
        keep(block)
        texts = [f"{title}. {text}" if titles and title else text for _, title, text in block]
        tell = None if progress is None else partial(_add_up, progress, corpus.seen - len(block))
        blocks.append(encoder.embed(texts, progress=tell).astype(np.float16))
    return np.concatenate(blocks), corpus


def _add_up(progress: Callable[[int], None], before: int, done: int) -> None:
    progress(before + done)
