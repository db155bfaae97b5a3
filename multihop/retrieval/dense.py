"""Dense retrieval: an encoder's vectors, all compared with the query's, from memory or from disk."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..base import MismatchError
from ..encoder import Encoder, TextEncoder, open_encoder
from .corpus_index import CorpusCheck, CorpusIndex, PassageFile, write_passages
from .index_folder import Manifest, damaged, index_of
from .passage import Hit, Passage, Passages
from .retriever import check_search
from .vectors import BLOCK, VECTORS, Vectors, VectorSearch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class VectorManifest(Manifest):
    """The settings of an index of vectors."""

    encoder: str
    titles: bool
    one_vector: bool
    corpus: str
    encoder_options: dict[str, Any] = {}
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
        self, passages: Passages, search: VectorSearch, encoder: TextEncoder, settings: dict[str, Any]
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
        progress: Callable[[int], None] | None = None,
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
    def of(cls, home: Path, described: Any, passages: PassageFile) -> Self:
        """The index of these passages whose vectors are in a folder, and whose settings are these."""
        encoder = open_encoder(described.encoder_folder, **described.encoder_options)
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

    def _write_again(self, folder: Path, passages: Iterable[Passage]) -> dict[str, Any]:
        return {**write_passages(folder, passages), **self.write_vectors_again(folder)}

    def write_vectors_again(self, folder: Path) -> dict[str, Any]:
        """Write the vectors of the passages in a folder there, by its settings; those of texts that it has are kept."""
        encoding = Encoding(self.encoder, self._settings["titles"], self._settings["one_vector"])
        return encoding.write(folder, known=(self._passages, self._search.vectors))

    def __repr__(self) -> str:
        return f"Dense({len(self)} passages, {self._settings['encoder']})"


class Encoding:
    """The way in which passages become vectors: the encoder, whether titles count, one vector or one a sentence."""

    def __init__(self, encoder: TextEncoder, titles: bool, one_vector: bool) -> None:
        self.encoder = encoder
        self.settings = {"encoder": encoder.embedding, "titles": titles, "one_vector": one_vector}

    def write(
        self,
        folder: Path,
        progress: Callable[[int], None] | None = None,
        known: tuple[Passages, Vectors] | None = None,
    ) -> dict[str, Any]:
        """Write the vectors of the passages in a folder there; returns what the manifest says of them."""
        Vectors.write(folder, self.encode(PassageFile(folder), progress, known))
        return {**self.settings, **self.encoder.place}

    def encode(
        self,
        passages: Passages | Sequence[Passage],
        progress: Callable[[int], None] | None = None,
        known: tuple[Passages, Vectors] | None = None,
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

    def _encode(self, passages: Sequence[Passage], tell: Callable[[int], None] | None) -> "Iterable[Any]":
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
