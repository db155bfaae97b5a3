"""The protocol of text encoders, and any of them opened by its folder or name."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..base import InputError
from .encoder import Encoder
from .sentence_encoder import SentenceEncoder
from .weights import MANIFEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TextEncoder(Protocol):
    """The encoder of a `Dense`, which makes its vectors: the built-in `Encoder`, or any `SentenceEncoder`."""

    @property
    def embedding(self) -> str:
        """An identity that is the same only if all vectors are the same."""
        ...

    @property
    def place(self) -> dict[str, Any]:
        """The values by which an index finds its encoder again, with `open_encoder`."""
        ...

    def embed(self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None) -> "NDArray[np.float32]":
        """A vector for each passage."""
        ...

    def embed_queries(self, queries: Sequence[str]) -> "NDArray[np.float32]":
        """A vector for each query."""
        ...


def open_encoder(
    name: str | os.PathLike[str] | None = None, *, query_prefix: str | None = None, passage_prefix: str | None = None
) -> TextEncoder:
    """The encoder in a folder or of that name on the hub; the built-in one where nothing is named.

    Args:
        name: A folder that `multihop train` has written, or any sentence encoder's; or OWNER/NAME on the hub.
        query_prefix: The text put before a query; an encoder of `multihop train` takes none.
        passage_prefix: The text put before a passage; an encoder of `multihop train` takes none.

    Raises:
        InputError: There is no such encoder, or it does not take a prefix.
        MissingExtraError: It is a sentence encoder, and the extra [encoders] is not installed.

    Examples:
        >>> from multihop.encoder import open_encoder
        >>> open_encoder().embed_queries(["rivers"]).shape
        (1, 384)
    """
    if name is not None and not (Path(name).expanduser() / MANIFEST).is_file():
        return SentenceEncoder(name, query_prefix=query_prefix, passage_prefix=passage_prefix)
    if query_prefix is not None or passage_prefix is not None:
        place = "the built-in encoder" if name is None else f"the encoder in {name}"
        raise InputError(f"{place} takes no prefix; it was trained with what it needs.")
    return Encoder.load(None if name is None else Path(name).expanduser())
