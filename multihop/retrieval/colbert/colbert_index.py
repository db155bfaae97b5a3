"""Search by late interaction: a vector for every token of every passage, in an index of colbert-ai."""

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self, get_args

from ...base import InputError, MismatchError
from ..corpus import PassageFile, write_passages
from ..corpus_index import CorpusIndex
from ..index_folder import MANIFEST, Manifest, damaged, find_home, open_manifest, reading_index, seal, writing_index
from ..passage import Hit, Passage, Passages
from ..retriever import check_search
from . import plaid
from .token_encoder import TokenEncoder, open_token_encoder

FORMAT = 3


class _ColBERTManifest(Manifest):
    titles: bool
    corpus: str
    checkpoint: str
    checkpoint_place: str


class ColBERT(CorpusIndex):
    """A retriever that ranks by late interaction, with the weights of any ColBERT checkpoint.

    Omar Khattab and Matei Zaharia, "ColBERT: Efficient and Effective Passage Search via Contextualized Late
    Interaction over BERT" (2020); the index is PLAID's (2022), built and read by the package colbert-ai, of the extra
    [colbert]. A passage is indexed as "title | text". Scores are sums over the tokens of the query, and approximate as
    vectors are kept in a few bits a number; `Reranked` scores exactly.
    """

    kind = "colbert"

    def __init__(
        self, passages: Passages, index: plaid.Plaid, encoder: TokenEncoder, *, titles: bool, corpus: str
    ) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages, self._index, self._encoder = passages, index, encoder
        self._settings: dict[str, Any] = {
            "checkpoint": encoder.fingerprint,
            "search": [index.bits, plaid.CELLS, plaid.NEAR, plaid.CANDIDATES],
            "titles": titles,
            "corpus": corpus,
        }

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        bits: plaid.Bits = 4,
        titles: bool = True,
        folder: str | os.PathLike[str] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> "ColBERT":
        """An index of the passages in `folder`, opened from there.

        Args:
            passages: The corpus; it is read once.
            checkpoint: The checkpoint's folder, or its name on the hub, such as "colbert-ir/colbertv2.0".
            bits: The bits in which each number of a vector is kept: 1, 2, 4 or 8. With 2 the index is little more than
                half as large as with 4, and ranks less as the vectors themselves do.
            titles: True to count the title together with the text.
            folder: The folder for the index; an index that is already there is replaced.
            progress: Called now and then with the number of passages encoded.

        Raises:
            InputError: The corpus is empty, has an id twice or something that is no passage; there is no such
                checkpoint, or it is none of ColBERT; a checkpoint or a folder was not given.
            MissingExtraError: The extra [colbert] is not installed.
        """
        if checkpoint is None or folder is None:
            raise InputError(
                "a ColBERT index needs a checkpoint and a folder; build it with `multihop index CORPUS --retriever "
                "colbert --checkpoint CHECKPOINT --to FOLDER` and search FOLDER."
            )
        if bits not in get_args(plaid.Bits):
            raise InputError(f"a ColBERT index keeps numbers in 1, 2, 4 or 8 bits, not {bits!r}.")
        encoder = open_token_encoder(checkpoint, "a ColBERT index")
        with writing_index(folder) as scratch:
            corpus = write_passages(scratch, passages)
            stored = PassageFile(scratch)
            texts = [str(passage) if titles else passage.text for passage in stored]
            plaid.build_plaid(texts, encoder, scratch, bits, progress)
            known = {"checkpoint": encoder.fingerprint, "checkpoint_place": encoder.name}
            seal(scratch, {"kind": cls.kind, "format": FORMAT, **corpus, "titles": titles, **known})
        return cls.load(folder)

    @classmethod
    def load(cls, folder: str | os.PathLike[str], *, checkpoint: str | os.PathLike[str] | None = None) -> Self:
        """The index in `folder`; its passages are left on disk, and its vectors are read into memory.

        Args:
            folder: The index.
            checkpoint: The place of its checkpoint now, if it is no longer where it was.

        Raises:
            InputError: There is no index, or it is damaged, of another kind or version, or made by another checkpoint.
            MissingExtraError: The extra [colbert] is not installed.
        """
        place, folder = Path(folder).expanduser(), find_home(folder)
        manifest = open_manifest(folder, cls.kind, FORMAT, _ColBERTManifest)
        made_by, made_at = manifest.checkpoint, manifest.checkpoint_place
        with reading_index(folder):
            encoder = open_token_encoder(made_at if checkpoint is None else checkpoint, f"{folder}, a ColBERT index,")
            if encoder.fingerprint != made_by:
                raise MismatchError(
                    f"{folder} was made by the checkpoint {made_at} ({made_by}), and {encoder.name} is now another "
                    f"({encoder.fingerprint}); rebuild it with `multihop index --retriever colbert`."
                )
            passages, index = PassageFile(folder), plaid.Plaid(folder)
            if not len(passages) == len(index) == manifest.passages:
                raise damaged(folder, MANIFEST)
            opened = cls(passages, index, encoder, titles=manifest.titles, corpus=manifest.corpus)
            return opened._at(place)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        asked = [query for query in queries if query.strip()]
        vectors = iter(self._encoder.encode_queries(asked) if asked else ())
        return [self._hits(self._index.rank(next(vectors), k)) if query.strip() else [] for query in queries]

    def __repr__(self) -> str:
        return f"ColBERT({len(self)} passages, {self._encoder.name})"
