"""The encoder that an index has learned its corpus with (`multihop adapt`), in a folder inside the index's own."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..base import MismatchError
from ..encoder import Encoder
from ..encoder.maps import holds_maps

if TYPE_CHECKING:
    from ..encoder import TextEncoder

ADAPTED = "adapted"
"""The name of that folder."""


def adapted_encoder(index: str | os.PathLike[str], made_by: "TextEncoder") -> "TextEncoder":
    """The encoder that has learned the corpus of an index; the one that made its vectors, if none has.

    Args:
        index: The folder of the index.
        made_by: The encoder that made its vectors.

    Raises:
        MismatchError: What was learned is over another encoder, or another version of it.

    Examples:
        >>> from multihop.encoder import Encoder
        >>> from multihop.retrieval.adapted_folder import adapted_encoder
        >>> adapted_encoder("no/such/index", Encoder.load())
        Encoder(all-minilm-l6-v2)
    """
    home = Path(index) / ADAPTED
    if not holds_maps(home):
        return made_by
    adapted = Encoder.load(home)
    check_same(adapted, made_by)
    return adapted


def check_same(asks: "TextEncoder", made_by: "TextEncoder") -> None:
    """Refuse an encoder that makes other vectors of passages than those of an index.

    Raises:
        MismatchError: It does.
    """
    if asks.embedding != made_by.embedding:
        raise MismatchError(
            f"the encoder {made_by.embedding} made the index, and {asks.embedding} makes other vectors; forget what "
            f"it has learned with `multihop adapt INDEX --undo`, or delete the folder {ADAPTED}."
        )


def encoder_of(searched: object) -> Encoder:
    """The encoder that programs judge and read with, over what is searched: its adapted one, else the built-in one.

    Examples:
        >>> from multihop.encoder import Encoder
        >>> from multihop.retrieval import Dense, Passage
        >>> from multihop.retrieval.adapted_folder import encoder_of
        >>> encoder_of(Dense.build([Passage("1", "Po", "A river.")])) is Encoder.load()
        True
    """
    own = getattr(searched, "encoder", None)
    return own if isinstance(own, Encoder) and own.is_mapped else Encoder.load()
