"""A ColBERT checkpoint, opened by colbert-ai: a vector for every token of a text, and hits ordered anew by them.

colbert-ai is given what transformers 5 expects of a model, and nothing to print. What it would compile from C++ in the
first minutes is left aside: `colbert_index` ranks in PyTorch. Importing it decides how every later process is started
and how tokenizers use threads; that is put back.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..base import DamagedFileError, InputError, NotCopied, needing_extra
from ..base.concurrency import BatchCache
from ..base.errors import first_line
from ..base.files import FiniteJson, parsed
from ..base.imports import LazyModule
from ..encoder.hub import model_fingerprint, model_folder, quiet_transformers
from .index_folder import index_fingerprint
from .passage import Hit
from .retriever import RetrieverLike, as_retriever, check_search, fingerprint

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch, Tensor = LazyModule("torch"), None  # the type is named in quotes alone

DEPTH = 50
"""Hits that are ordered anew, by default."""
_BATCH = 32
_REMEMBERED = 2048
"""Passages whose vectors are kept: branches of a search find the same ones again. About 100 MB."""
_VARIABLES = ("TOKENIZERS_PARALLELISM", "GIT_PYTHON_REFRESH")
_ready = False
_importing = Lock()


def import_colbert(what: str = "ColBERT") -> None:
    """Import colbert-ai and PyTorch, once, and change `colbert` into what this package can use."""
    global _ready
    with _importing:
        if _ready:
            return
        with needing_extra(what, "colbert"), _restoring_process():
            import colbert  # noqa: F401
            import faiss  # noqa: F401 - builds the index
        _replace()
        _silence()
        _ready = True


@contextmanager
def _restoring_process() -> Iterator[None]:
    """Put back what colbert-ai sets for the whole process, and let it load on a machine without git."""
    started_by = multiprocessing.get_start_method(allow_none=True)
    before = {name: os.environ.get(name) for name in _VARIABLES}
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    try:
        yield
    finally:
        multiprocessing.set_start_method(started_by, force=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _replace() -> None:
    from colbert.infra.config.settings import RunSettings
    from colbert.modeling import base_colbert, checkpoint
    from colbert.modeling.colbert import ColBERT
    from colbert.search.strided_tensor import StridedTensor

    # A GPU, where there is one, runs the transformer; the rest would need its compiler.
    RunSettings.total_visible_gpus = 0
    ColBERT.loaded_extensions = StridedTensor.loaded_extensions = True  # which are compiled otherwise, and not used
    class_factory = base_colbert.class_factory

    def completed(name: str) -> Any:
        class Completed(class_factory(name)):  # type: ignore[misc]
            def __init__(self, config: Any, colbert_config: Any) -> None:
                super().__init__(config, colbert_config)
                self.post_init()  # as transformers 5 asks of a model

        return Completed

    def half_precision() -> Any:
        return torch.autocast("cuda") if torch.cuda.is_available() else nullcontext()

    base_colbert.class_factory = completed
    # Its manager of half precision has a scaler, which only training uses and which warns.
    checkpoint.MixedPrecisionManager = lambda activated: SimpleNamespace(context=half_precision)


def _silence() -> None:
    """Make `print` and tqdm's progress bars silent, in colbert-ai's own modules only."""
    for name, module in list(sys.modules.items()):
        if name == "colbert" or name.startswith("colbert."):
            module.print = lambda *_, **__: None  # type: ignore[attr-defined]
            bars = getattr(module, "tqdm", None)
            if bars is not None:
                module.tqdm = _without_bar if callable(bars) else SimpleNamespace(tqdm=_without_bar)  # type: ignore[attr-defined]


def _without_bar(items: Any, **_: Any) -> Any:
    return items


class TokenEncoder:
    """The transformer of a ColBERT checkpoint, for one thread after the other; `open_token_encoder` opens each once."""

    def __init__(self, name: str, folder: str, fingerprint: str) -> None:
        """`name` is the folder, whole, or the one on the hub."""
        from colbert.infra import ColBERTConfig
        from colbert.modeling.checkpoint import Checkpoint

        self.name, self.fingerprint = name, fingerprint
        self._lock = Lock()
        try:
            with quiet_transformers(), torch.random.fork_rng(devices=[]):  # weights are drawn before they are read
                # Named anew, since the checkpoint names the model that it was trained from, which is on the hub.
                config = ColBERTConfig(checkpoint=folder, model_name=folder)
                self.model = Checkpoint(folder, colbert_config=config, verbose=0)
        except Exception as error:  # transformers has many, and lines of advice after the first
            raise DamagedFileError(f"{name} cannot be opened: {first_line(error).rstrip('.')}.") from error

    @property
    def config(self) -> Any:
        """The settings that the checkpoint was trained with, as colbert-ai has them."""
        return self.model.colbert_config

    def encode_queries(self, queries: Sequence[str]) -> "Tensor":
        """Query by token by dimension; each has as many tokens as the checkpoint gives a query."""
        with self._lock:
            encoded: Tensor = self.model.queryFromText(list(map(_encodable, queries)), bsize=_BATCH, to_cpu=True)
        return encoded.float()

    def encode_passages(self, texts: Sequence[str], progress: Callable[[int], None] | None = None) -> "list[Tensor]":
        """For each text, token by dimension; texts of like length are encoded together, so that little is padded."""
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        encoded: list[Any] = [None] * len(texts)
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            batch = [_encodable(texts[place]) for place in places]
            with self._lock:
                vectors, lengths = self.model.docFromText(batch, bsize=_BATCH, keep_dims="flatten", to_cpu=True)
            for place, each in zip(places, vectors.split(lengths), strict=True):
                encoded[place] = each
            if progress:
                progress(start + len(places))
        return encoded


def best_products(scores: "Tensor", lengths: "Tensor", least: float = 0.0) -> "Tensor":
    """For each passage, the sum over the query's tokens of the best product with a token of its own.

    `scores` has a row for each token, of all passages one after the other, and a column for each of the query's tokens;
    `lengths` the number of tokens of each passage; `least` is the product where a passage has no better one.
    """
    if not len(lengths):  # which the next line would refuse
        return scores.new_zeros(0)
    return torch.segment_reduce(scores, "max", lengths=lengths, axis=0, initial=least).sum(1)


def match(query: "Tensor", passages: "Sequence[Tensor]") -> list[float]:
    """The score of each passage for the vectors of a query's tokens, by the vectors of its own as they are."""
    lengths = torch.tensor(list(map(len, passages)))
    scores: list[float] = best_products(torch.cat(list(passages)).float() @ query.T, lengths).tolist()
    return scores


def open_token_encoder(name: str | os.PathLike[str], what: str = "ColBERT") -> TokenEncoder:
    """The encoder of a checkpoint, by its folder or its name on the hub, such as "colbert-ir/colbertv2.0"."""
    import_colbert(what)
    folder = model_folder(name, "checkpoint")
    if not ((folder / "artifact.metadata").is_file() and (folder / "config.json").is_file()):
        raise InputError(
            f"{name} is no ColBERT checkpoint: it has no artifact.metadata, which colbert-ai writes beside config.json "
            "and the weights; a sentence encoder goes with --retriever dense --encoder."
        )
    config = folder / "config.json"
    if "auto_map" in parsed(dict[str, FiniteJson], config.read_bytes(), config, "a transformer's config.json"):
        raise InputError(
            f"{name} brings code of its own ('auto_map' in its config.json), which is never run; "
            "take a checkpoint of an architecture that transformers has."
        )
    known = str(folder) if Path(name).expanduser().is_dir() else str(name)
    return _open(known, str(folder), model_fingerprint(folder))


_open = lru_cache(maxsize=2)(TokenEncoder)


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which texts from JSON may have and tokenizers do not take."""
    return text.encode("utf-8", "replace").decode()


class Reranked(NotCopied):
    """A retriever whose first hits a ColBERT checkpoint orders anew, by exact late interaction.

    Needs the extra [colbert]. Nothing is indexed: the vectors of what was found are made when it is found.
    """

    def __init__(self, retriever: RetrieverLike, checkpoint: str | os.PathLike[str], *, depth: int = DEPTH) -> None:
        """The retriever with a checkpoint after it.

        Args:
            retriever: Finds the hits.
            checkpoint: The checkpoint's folder, or its name on the hub, such as "colbert-ir/colbertv2.0".
            depth: The number of hits for each query that it is asked for; if more are wanted, it is asked for as many.
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
        """One over what its retriever searches now; itself if that has not changed."""
        retriever = getattr(self.retriever, "latest", lambda: self.retriever)()
        if retriever is self.retriever:
            return self
        return Reranked(retriever, self._encoder.name, depth=self.depth)

    def __reduce__(self) -> Any:
        return partial(Reranked, depth=self.depth), (self.retriever, self._encoder.name)

    def __repr__(self) -> str:
        return f"Reranked({self.retriever!r}, {self._encoder.name})"
