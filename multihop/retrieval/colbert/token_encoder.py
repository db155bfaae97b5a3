"""A ColBERT checkpoint: it makes a vector for every token of a text, and scores passages for a query by them."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ...base import DamagedFileError, InputError
from ...base.errors import first_line
from ...base.typed_files import FiniteJson, parsed
from ...encoder.hub import model_fingerprint, model_folder, quiet_transformers
from .library import import_colbert

if TYPE_CHECKING:
    from torch import Tensor

_BATCH = 32
_opened: "WeakValueDictionary[tuple[str, str, str], TokenEncoder]" = WeakValueDictionary()
_opening = Lock()


class TokenEncoder:
    """The transformer of a ColBERT checkpoint; use `open_token_encoder`, which opens each once.

    Safe to be asked by several threads: one after the other, since each uses all cores.
    """

    def __init__(self, name: str, folder: str, fingerprint: str) -> None:
        """Load the weights in a folder; the name is the folder, whole, or the one on the hub."""
        import torch
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
        """For each text, token by dimension.

        Args:
            texts: In any order; those of like length are encoded together, so that little is padded.
            progress: Called now and then with the number of texts done.
        """
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

    Args:
        scores: Token by query's token; the tokens of all passages one after the other.
        lengths: The number of tokens of each passage.
        least: The product where a passage has no better one.
    """
    import torch

    if not len(lengths):  # which the next line would refuse
        return scores.new_zeros(0)
    return torch.segment_reduce(scores, "max", lengths=lengths, axis=0, initial=least).sum(1)


def match(query: "Tensor", passages: "Sequence[Tensor]") -> list[float]:
    """The score of each passage for the vectors of a query's tokens, by the vectors of its own as they are."""
    import torch

    lengths = torch.tensor(list(map(len, passages)))
    scores: list[float] = best_products(torch.cat(list(passages)).float() @ query.T, lengths).tolist()
    return scores


def open_token_encoder(name: str | os.PathLike[str], what: str = "ColBERT") -> TokenEncoder:
    """The encoder of a checkpoint, by its folder or its name on the hub, such as "colbert-ir/colbertv2.0".

    Raises:
        MissingExtraError: The extra [colbert] is not installed.
        InputError: There is no such checkpoint, or it is a model of another kind, or it is damaged.
    """
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
    key = (known, str(folder), model_fingerprint(folder))
    with _opening:
        encoder = _opened.get(key) or TokenEncoder(*key)
        return _opened.setdefault(key, encoder)


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which texts from JSON may have and tokenizers do not take."""
    return text.encode("utf-8", "replace").decode()
