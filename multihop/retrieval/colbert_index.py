"""colbert-ai's PLAID index of passages in a folder: built, and opened to be searched.

Its front, `Indexer` and `Searcher`, is left aside: it starts processes, waits twenty seconds before it replaces
anything, copies the corpus, and takes settings from the machine that trained the checkpoint. The classes behind it
build and read the index; what they compile from C++ to rank is here in PyTorch, with the same results.
"""

import os
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Self, get_args

from ..base import InputError, MismatchError
from ..base.files import FileModel, parsed, read_small
from .colbert_encoder import Tensor, TokenEncoder, best_products, open_token_encoder, torch
from .corpus_index import CorpusIndex, PassageFile, write_passages
from .index_folder import MANIFEST, Manifest, damaged, index_of, opening
from .passage import Hit, Passage, Passages
from .retriever import check_search

Bits = Literal[1, 2, 4, 8]
"""Of each number of a vector, in which its difference from the centroid is kept."""
CELLS = 2
"""Centroids whose passages are looked at, for each token of a query."""
NEAR = 0.45
"""The least score of a centroid that counts at first."""
CANDIDATES = 1024
"""Passages that are compared by their centroids; a quarter of them are compared by their vectors."""
_TOGETHER = 512
"""Candidates whose tokens' scores are held at once."""
_NONE = -9999.0
"""The score of a query's token where a passage has no centroid that counts."""
_SEED = 12345


def build_plaid(
    texts: Sequence[str],
    encoder: TokenEncoder,
    folder: Path,
    bits: Bits,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Write the index of the texts into the folder, always the same for the same texts."""
    from colbert.data import Collection
    from colbert.indexing.collection_indexer import CollectionIndexer
    from colbert.indexing.index_saver import IndexSaver
    from colbert.infra import ColBERTConfig

    class Building(CollectionIndexer):  # type: ignore[misc]
        """Takes any number of passages, down to a single one."""

        def __init__(self) -> None:
            self.verbose, self.rank, self.nranks, self.use_gpu = 0, 0, 1, False
            ours = ColBERTConfig(index_path=str(folder), nbits=bits, rank=0, nranks=1)
            self.config = ColBERTConfig.from_existing(encoder.config, ours)
            self.collection = Collection(data=texts)
            self.encoder = _CorpusEncoder(encoder, progress)
            self.saver = IndexSaver(self.config)

        def _concatenate_and_split_sample(self) -> "tuple[Tensor, Tensor]":
            sample, held_out = super()._concatenate_and_split_sample()
            return sample, held_out if len(held_out) else sample

        def _train_kmeans(self, sample: "Tensor", shared: Any) -> "Tensor":
            import faiss

            count, rounds = min(self.num_partitions, len(sample)), self.config.kmeans_niters
            kmeans = faiss.Kmeans(self.config.dim, count, niter=rounds, seed=123, min_points_per_centroid=1)
            kmeans.train(sample.float().numpy())
            return torch.nn.functional.normalize(torch.from_numpy(kmeans.centroids), dim=-1)

    before = random.getstate()
    try:
        with torch.random.fork_rng(devices=[]), torch.inference_mode():
            random.seed(_SEED)
            torch.manual_seed(_SEED)
            building = Building()
            building.setup()
            building.train([])
            building.index()
            building.finalize()
    finally:
        random.setstate(before)


class _CorpusEncoder:
    """Encodes passages for the index; a first sample that was the whole corpus is not encoded a second time."""

    def __init__(self, encoder: TokenEncoder, progress: Callable[[int], None] | None) -> None:
        self._encoder, self._progress = encoder, progress
        self._texts: Sequence[str] = ()

    def encode_passages(self, texts: Sequence[str]) -> "tuple[Tensor, list[int]]":
        """The vectors of all texts, one after the other, and the number that each text has."""
        if texts != self._texts:
            encoded = self._encoder.encode_passages(texts, self._progress)
            self._lengths, self._texts = list(map(len, encoded)), texts
            self._vectors = torch.cat(encoded).half()  # the precision in which the index takes them
        return self._vectors.float(), self._lengths


class _Config(FileModel, extra="ignore"):
    nbits: Bits


class _Metadata(FileModel, extra="ignore"):
    config: _Config


def _check_plaid(folder: Path) -> None:
    """Refuse what colbert-ai would wait for, or would take all memory for: it tables all rows of so many weights."""
    for path in folder.iterdir():
        with opening(folder, path.name):
            pass
    place = folder / "metadata.json"
    bits = parsed(_Metadata, read_small(place), place, "colbert-ai's").config.nbits
    _, weights = torch.load(folder / "buckets.pt", weights_only=True)
    if len(weights) != 1 << bits:
        raise damaged(folder, place.name)


class Plaid:
    """An index that `build_plaid` wrote, read into memory."""

    def __init__(self, folder: Path) -> None:
        from colbert.search.index_loader import IndexLoader

        _check_plaid(folder)
        index = IndexLoader(str(folder), use_gpu=False)
        self._codec, self._cells, self._lengths = index.codec, index.ivf, index.doclens
        self._codes, self._residuals = index.embeddings.codes, index.embeddings.residuals
        self._ends = self._lengths.cumsum(0)

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def bits(self) -> int:
        """The bits for each number of its vectors."""
        return int(self._codec.nbits)

    def rank(self, query: "Tensor", k: int) -> list[tuple[int, float]]:
        """The positions and scores of at most `k` passages, best first, for the vectors of a query's tokens.

        The passages of the centroids that are nearest to each token are compared by the centroids of their tokens,
        first by those that are near alone, and the best of them by their vectors.
        """
        with torch.inference_mode():
            scores = self._codec.centroids @ query.T
            cells = scores.topk(min(CELLS, len(scores)), dim=0).indices.unique()
            found = self._cells.tensor[_runs(self._cells.offsets[cells], self._cells.lengths[cells])].unique().long()
            near = scores.masked_fill((scores.max(1).values < NEAR).unsqueeze(1), _NONE)
            most = max(CANDIDATES, 4 * k)
            for by_centroid, kept in ((near, most), (scores, most // 4)):
                values = torch.cat([self._by_centroid(by_centroid, block) for block in found.split(_TOGETHER)])
                found = found[values.topk(min(kept, len(found))).indices]
            places, lengths = self._tokens_of(found)
            kept_in_bits = self._codec.Embeddings(self._codes[places], self._residuals[places])
            best = best_products(self._codec.decompress(kept_in_bits) @ query.T, lengths).sort(descending=True)
            return list(zip(found[best.indices[:k]].tolist(), best.values[:k].tolist(), strict=True))

    def _by_centroid(self, scores: "Tensor", passages: "Tensor") -> "Tensor":
        places, lengths = self._tokens_of(passages)
        return best_products(scores[self._codes[places].long()], lengths, _NONE)

    def _tokens_of(self, passages: "Tensor") -> "tuple[Tensor, Tensor]":
        """The places of the passages' tokens, one passage after the other, and how many each has."""
        lengths = self._lengths[passages]
        return _runs(self._ends[passages] - lengths, lengths), lengths


def _runs(starts: "Tensor", lengths: "Tensor") -> "Tensor":
    """The numbers of several runs one after the other, each from its start on."""
    ends = lengths.cumsum(0)
    return torch.repeat_interleave(starts - (ends - lengths), lengths) + torch.arange(int(ends[-1]))


class ColBERTManifest(Manifest):
    """The settings of an index of ColBERT."""

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
    format = 3
    manifest = ColBERTManifest

    def __init__(self, passages: Passages, index: Plaid, encoder: TokenEncoder, *, titles: bool, corpus: str) -> None:
        """The parts of a finished index; use `build` or `load` instead."""
        self._passages, self._index, self.encoder = passages, index, encoder
        self._settings: dict[str, Any] = {
            "checkpoint": encoder.fingerprint,
            "search": [index.bits, CELLS, NEAR, CANDIDATES],
            "titles": titles,
            "corpus": corpus,
        }

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        checkpoint: str | os.PathLike[str] | None = None,
        bits: Bits = 4,
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
        """
        if checkpoint is None or folder is None:
            raise InputError(
                "a ColBERT index needs a checkpoint and a folder; build it with `multihop index CORPUS --retriever "
                "colbert --checkpoint CHECKPOINT --to FOLDER` and search FOLDER."
            )
        if bits not in get_args(Bits):
            raise InputError(f"a ColBERT index keeps numbers in 1, 2, 4 or 8 bits, not {bits!r}.")
        encoder = open_token_encoder(checkpoint, "a ColBERT index")

        def write(scratch: Path) -> dict[str, Any]:
            corpus = write_passages(scratch, passages)
            texts = [str(passage) if titles else passage.text for passage in PassageFile(scratch)]
            build_plaid(texts, encoder, scratch, bits, progress)
            return {**corpus, "titles": titles, "checkpoint": encoder.fingerprint, "checkpoint_place": encoder.name}

        return cls._built_in(folder, write)

    @classmethod
    def of(cls, home: Path, described: Any, passages: PassageFile, encoder: TokenEncoder | None = None) -> Self:
        """The index of these passages whose vectors are in a folder, read into memory, and whose settings are these."""
        index, made_by, made_at = index_of(home), described.checkpoint, described.checkpoint_place
        encoder = encoder or open_token_encoder(made_at, f"{index}, a ColBERT index,")
        if encoder.fingerprint != made_by:
            raise MismatchError(
                f"{index} was made by the checkpoint {made_at} ({made_by}), and {encoder.name} is now another "
                f"({encoder.fingerprint}); rebuild it with `multihop index --retriever colbert`."
            )
        vectors = Plaid(home)
        if len(vectors) != len(passages):
            raise damaged(home, MANIFEST)
        return cls(passages, vectors, encoder, titles=described.titles, corpus=described.corpus)

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        asked = [query for query in queries if query.strip()]
        vectors = iter(self.encoder.encode_queries(asked) if asked else ())
        try:
            return [self._hits(self._index.rank(next(vectors), k)) if query.strip() else [] for query in queries]
        except IndexError as error:  # places that are not there, or centroids that are no numbers
            raise damaged(self._folder or "the index", MANIFEST) from error

    def __repr__(self) -> str:
        return f"ColBERT({len(self)} passages, {self.encoder.name})"
