"""A vector for every token of a text, and the scores of passages for a query by such vectors."""

from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from ...base import DamagedFileError
from ...base.errors import first_line
from .checkpoint import LateCheckpoint, find_checkpoint
from .library import import_colbert, quiet_transformers

if TYPE_CHECKING:
    from torch import Tensor

_BATCH = 32
_opened: "WeakValueDictionary[tuple[str, str], TokenEncoder]" = WeakValueDictionary()
_sharing = Lock()


class TokenEncoder:
    """The transformer of a ColBERT checkpoint, opened when it is first asked.

    Safe to be asked by several threads: one after the other, since each uses all cores.
    """

    def __init__(self, checkpoint: LateCheckpoint) -> None:
        self.checkpoint = checkpoint
        self._lock = Lock()

    @cached_property
    def config(self) -> Any:
        """colbert-ai's own settings: the checkpoint's, and nothing of the machine that trained it."""
        from colbert.infra import ColBERTConfig

        folder = self.checkpoint.folder
        return ColBERTConfig(**self.checkpoint.settings, checkpoint=folder, model_name=folder)

    @cached_property
    def model(self) -> Any:
        """colbert-ai's model."""
        from colbert.modeling.checkpoint import Checkpoint

        try:
            with quiet_transformers():
                return Checkpoint(self.checkpoint.folder, colbert_config=self.config, verbose=0)
        except Exception as error:  # transformers has many, and lines of advice after the first
            raise DamagedFileError(
                f"{self.checkpoint.name} cannot be opened: {first_line(error).rstrip('.')}."
            ) from error

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

    def match(self, query: "Tensor", passages: "Sequence[Tensor]") -> list[float]:
        """The score of each passage for a query: over the query's tokens, the sum of the best product with a token."""
        import torch
        from colbert.modeling.colbert import colbert_score_packed

        lengths = torch.tensor([len(each) for each in passages])
        with torch.inference_mode():
            scores: list[float] = colbert_score_packed(
                query.unsqueeze(0), torch.cat(list(passages)).float(), lengths, self.config
            ).tolist()
        return scores


def open_token_encoder(name: Any, what: str = "ColBERT") -> TokenEncoder:
    """The encoder of a checkpoint, by its folder or its name on the hub; its weights are in memory once.

    Raises:
        MissingExtraError: The extra [colbert] is not installed.
        InputError: There is no such checkpoint.
    """
    import_colbert(what)
    checkpoint = find_checkpoint(name)
    key = (checkpoint.folder, checkpoint.fingerprint)
    with _sharing:
        return _opened.setdefault(key, TokenEncoder(checkpoint))


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which texts from JSON may have and tokenizers do not take."""
    return text.encode("utf-8", "replace").decode()
