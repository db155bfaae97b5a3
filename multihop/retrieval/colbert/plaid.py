"""colbert-ai's PLAID index of passages in a folder: built, and opened to be searched.

Its front, `Indexer` and `Searcher`, is left aside: it starts processes, waits twenty seconds before it replaces
anything, copies the corpus, and takes settings from the machine that trained the checkpoint. The classes behind it are
used as they are.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..passage import Passage, Passages
from .token_encoder import TokenEncoder

if TYPE_CHECKING:
    from torch import Tensor

Bits = Literal[1, 2, 4, 8]
"""Of each number of a vector, in which its difference from the centroid is kept."""
CELLS = 2
"""Centroids whose passages are looked at, for each token of a query."""
NEAR = 0.45
"""The least score of a centroid that counts at first."""
CANDIDATES = 1024
"""Passages that are compared by their centroids; a quarter of them are compared by their vectors."""
_SEED = 12345
_HELD_OUT = 0.05
_MOST_HELD_OUT = 50_000


class Texts:
    """Passages as texts, made when they are read; they are gone through twice."""

    def __init__(self, passages: Passages, titles: bool) -> None:
        self._passages, self._titles = passages, titles

    def __len__(self) -> int:
        return len(self._passages)

    def __getitem__(self, position: int) -> str:
        return self._text(self._passages[position])

    def __iter__(self) -> Iterator[str]:
        return map(self._text, self._passages)

    def _text(self, passage: Passage) -> str:
        return str(passage) if self._titles else passage.text


def build_plaid(
    texts: Texts, encoder: TokenEncoder, folder: Path, bits: Bits, progress: Callable[[int], None] | None = None
) -> None:
    """Write the index of the texts into the folder.

    Args:
        texts: The corpus.
        encoder: The encoder that makes the vectors.
        folder: The folder for the files, beside those that are there.
        bits: The bits for each number of a vector.
        progress: Called now and then with how many texts are done.
    """
    from colbert.data import Collection
    from colbert.indexing.collection_indexer import CollectionIndexer
    from colbert.indexing.index_saver import IndexSaver
    from colbert.infra import ColBERTConfig

    class Building(CollectionIndexer):  # type: ignore[misc]
        """Takes any number of passages, down to a single one."""

        def __init__(self) -> None:
            self.verbose, self.rank, self.nranks, self.use_gpu = 0, 0, 1, False
            self.config = ColBERTConfig.from_existing(
                encoder.config, ColBERTConfig(index_path=str(folder), nbits=bits, rank=0, nranks=1)
            )
            self.collection = Collection(data=texts)
            self.checkpoint = encoder.model
            self.encoder = _CorpusEncoder(encoder, len(texts), progress)
            self.saver = IndexSaver(self.config)

        def build(self) -> None:
            with torch.inference_mode():
                self.setup()
                self.train([])
                self.index()
                self.finalize()

        def _concatenate_and_split_sample(self) -> "tuple[Tensor, Tensor]":
            path = folder / "sample.0.pt"
            sample = torch.load(path)
            path.unlink()
            sample = sample[torch.randperm(len(sample))]
            held_out = min(int(_HELD_OUT * len(sample)), _MOST_HELD_OUT)
            return (sample[held_out:], sample[:held_out]) if held_out else (sample, sample)

        def _train_kmeans(self, sample: "Tensor", shared: Any) -> "Tensor":
            import faiss

            count = min(self.num_partitions, len(sample))
            kmeans = faiss.Kmeans(
                self.config.dim, count, niter=self.config.kmeans_niters, seed=123, min_points_per_centroid=1
            )
            kmeans.train(sample.float().numpy())
            return torch.nn.functional.normalize(torch.from_numpy(kmeans.centroids), dim=-1)

    import torch

    with _fixed_random_state():
        Building().build()


class _CorpusEncoder:
    """Encodes passages for the index; where a first sample was the whole corpus, not a second time."""

    def __init__(self, encoder: TokenEncoder, passages: int, progress: Callable[[int], None] | None) -> None:
        self._encoder, self._passages, self._progress = encoder, passages, progress
        self._kept: tuple[Sequence[str], Tensor, list[int]] | None = None

    def encode_passages(self, texts: Sequence[str]) -> "tuple[Tensor, list[int]]":
        """The vectors of all texts, one after the other, and the number that each text has."""
        import torch

        if self._kept and self._kept[0] == texts:
            _, vectors, lengths = self._kept
            self._kept = None
            return vectors.float(), lengths
        encoded = self._encoder.encode_passages(texts, self._progress)
        vectors, lengths = torch.cat(encoded), list(map(len, encoded))
        if len(texts) == self._passages:
            self._kept = texts, vectors.half(), lengths  # in the precision in which the index takes them
        return vectors, lengths


class Plaid:
    """An index that `build_plaid` wrote, read into memory."""

    def __init__(self, folder: Path, encoder: TokenEncoder) -> None:
        """Open it.

        Raises:
            ValueError: Its files are not what they should be.
        """
        from pickle import UnpicklingError

        from colbert.search.index_storage import IndexScorer

        try:
            self._scorer = IndexScorer(str(folder), use_gpu=False)
        except (RuntimeError, UnpicklingError, AssertionError) as error:
            raise ValueError(f"{folder} holds no index of colbert-ai: {error}") from error
        self._encoder = encoder

    def __len__(self) -> int:
        return len(self._scorer.doclens)

    @property
    def bits(self) -> int:
        """The bits for each number of its vectors."""
        return int(self._scorer.codec.nbits)

    def rank(self, query: "Tensor", k: int) -> list[tuple[int, float]]:
        """The positions and scores of at most `k` passages, best first, for the vectors of a query's tokens."""
        from colbert.infra import ColBERTConfig

        cells = min(CELLS, len(self._scorer.codec.centroids))
        limits = ColBERTConfig(ncells=cells, centroid_score_threshold=NEAR, ndocs=max(CANDIDATES, 4 * k))
        config = ColBERTConfig.from_existing(self._encoder.config, limits)
        positions, scores = self._scorer.rank(config, query.unsqueeze(0))
        return list(zip(positions[:k], scores[:k], strict=True))


@contextmanager
def _fixed_random_state() -> Iterator[None]:
    """Make random draws in the block always the same, and leave the draws of others unchanged."""
    import torch

    before = random.getstate()
    with torch.random.fork_rng(devices=[]):
        random.seed(_SEED)
        torch.manual_seed(_SEED)
        try:
            yield
        finally:
            random.setstate(before)
