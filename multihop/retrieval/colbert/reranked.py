"""Any retriever's hits, ordered anew by late interaction."""

import os
from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from ...base import InputError
from ...base.concurrency import BatchCache
from ..adapter import as_retriever
from ..index_folder import index_fingerprint
from ..passage import Hit
from ..retriever import RetrieverLike, check_search, fingerprint
from .token_encoder import match, open_token_encoder

if TYPE_CHECKING:
    from torch import Tensor

DEPTH = 50
"""Hits that are ordered anew, by default."""
_REMEMBERED = 2048
"""Passages whose vectors are kept: branches of a search find the same ones again. About 100 MB."""


class Reranked:
    """A retriever whose first hits a ColBERT checkpoint orders anew, by exact late interaction.

    Needs the extra [colbert]. Nothing is indexed: the vectors of what was found are made when it is found.
    """

    def __init__(self, retriever: RetrieverLike, checkpoint: str | os.PathLike[str], *, depth: int = DEPTH) -> None:
        """The retriever with a checkpoint after it.

        Args:
            retriever: Finds the hits.
            checkpoint: The checkpoint's folder, or its name on the hub, such as "colbert-ir/colbertv2.0".
            depth: The number of hits for each query that it is asked for; if more are wanted, it is asked for as many.

        Raises:
            InputError: There is no such checkpoint, or it is none of ColBERT; `depth` is below 1.
            MissingExtraError: The extra [colbert] is not installed.
        """
        if depth < 1:
            raise InputError(f"depth is a number of hits, 1 or more, not {depth}.")
        self.retriever = as_retriever(retriever)
        self.depth = depth
        self._encoder = open_token_encoder(checkpoint, "reranking by ColBERT")
        self._vectors: BatchCache[str, Tensor] = BatchCache(_REMEMBERED)

    @property
    def fingerprint(self) -> str:
        """Stands for the retriever, the checkpoint and the number of hits it orders."""
        return index_fingerprint("reranked", [fingerprint(self.retriever), self._encoder.fingerprint, self.depth])

    def search(self, queries: Sequence[str], k: int) -> list[list[Hit]]:
        """At most `k` hits for each query, best first, in the order of the queries."""
        check_search(queries, k)
        rankings = self.retriever.search(queries, max(k, self.depth))
        texts = [str(hit.passage) for ranking in rankings for hit in ranking]
        vectors = iter(self._vectors.get(texts, self._encoder.encode_passages))
        asked = [place for place, ranking in enumerate(rankings) if ranking]
        ordered: list[list[Hit]] = [[] for _ in rankings]
        encoded = self._encoder.encode_queries([queries[place] for place in asked]) if asked else ()
        for place, query in zip(asked, encoded, strict=True):
            passages = [hit.passage for hit in rankings[place]]
            scores = match(query, list(islice(vectors, len(passages))))
            hits = [Hit(passage, score) for passage, score in zip(passages, scores, strict=True)]
            ordered[place] = sorted(hits, key=lambda hit: -hit.score)[:k]
        return ordered

    def latest(self) -> "Reranked":
        """The same over what its retriever searches now; itself if that has not changed."""
        retriever = getattr(self.retriever, "latest", lambda: self.retriever)()
        if retriever is self.retriever:
            return self
        return Reranked(retriever, self._encoder.name, depth=self.depth)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Reranked":
        return self  # optimizers copy programs, and what is searched must not be copied with them

    def __reduce__(self) -> Any:
        return partial(Reranked, depth=self.depth), (self.retriever, self._encoder.name)

    def __repr__(self) -> str:
        return f"Reranked({self.retriever!r}, {self._encoder.name})"
