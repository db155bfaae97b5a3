"""Text encoders, which make the vectors of a `Dense`: any that sentence-transformers opens, and each by its name."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import ujson

from ..base import InputError, NotCopied, needing_extra
from ..base.errors import first_line
from ..base.imports import NDArray, np
from .encoder import Encoder
from .hub import model_fingerprint, model_folder, quiet_transformers
from .weights import MANIFEST

_TOGETHER = 256
"""Texts between two reports of progress; sentence-transformers sorts them by length and encodes 32 at a time."""


class SentenceEncoder(NotCopied):
    """Makes vectors of texts with an encoder that others have trained: E5, Contriever, BGE, or one of your own.

    Needs the extra [encoders]. The encoder's own files say how it is used: its pooling, the prompts of queries and
    passages, the longest text, and whether vectors are compared by their cosine or their product.
    """

    def __init__(
        self, name: str | os.PathLike[str], *, query_prefix: str | None = None, passage_prefix: str | None = None
    ) -> None:
        """The encoder of that name.

        Args:
            name: Its folder, or its name on the hub, such as "intfloat/e5-base-v2".
            query_prefix: The text put before a query, instead of the one that its files name.
            passage_prefix: The text put before a passage.
        """
        with needing_extra(f"the encoder {name}", "encoders"):
            from sentence_transformers import SentenceTransformer
        folder = model_folder(name, "encoder")
        self._name = str(folder) if Path(name).expanduser().is_dir() else str(name)
        self._options: dict[str, Any] = {"query_prefix": query_prefix, "passage_prefix": passage_prefix}
        given = {"query": query_prefix, "document": passage_prefix}
        prompts = {key: prefix for key, prefix in given.items() if prefix is not None}
        try:
            with quiet_transformers():
                self._model = SentenceTransformer(str(folder), prompts=prompts, local_files_only=True)
        except Exception as error:  # there are many: no weights, a module of one's own code, a cut file
            raise InputError(
                f"the encoder {name} cannot be opened by sentence-transformers: {first_line(error).rstrip('.')}."
            ) from error
        if passage_prefix is None:  # sentence-transformers itself goes by "document" alone
            known = self._model.prompts
            known["document"] = next((known[key] for key in ("document", "passage", "corpus") if known.get(key)), "")
        # Contriever's vectors are compared by their product, which nothing in its folder says.
        contriever = getattr(self._model.config, "architectures", None) == ["Contriever"]
        self._similarity = "dot" if contriever else self._model.similarity_fn_name
        if self._similarity not in ("cosine", "dot"):
            raise InputError(
                f"the encoder {name} compares vectors by {self._similarity}, and an index by their cosine or product."
            )
        self._one_at_a_time = Lock()  # its tokenizer does not take two threads
        digest = blake2b(ujson.dumps([model_fingerprint(folder), self._options]).encode(), digest_size=8)
        self.embedding = f"{Path(self._name).name}-{digest.hexdigest()}"
        """The encoder's identity, made of its files and of how they are used: all that its vectors depend on."""

    @property
    def place(self) -> dict[str, Any]:
        """The values by which an index finds its encoder again."""
        given = {name: prefix for name, prefix in self._options.items() if prefix is not None}
        return {"encoder_folder": self._name, "encoder_options": given}

    def embed(self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None) -> "NDArray[np.float32]":
        """A vector for each passage, of length 1 where vectors are compared by their cosine.

        `progress` is called now and then with the number of texts that are done.
        """
        blocks = []
        for start in range(0, len(texts), _TOGETHER):
            blocks.append(self._encode(self._model.encode_document, texts[start : start + _TOGETHER]))
            if progress:
                progress(min(start + _TOGETHER, len(texts)))
        return np.concatenate(blocks) if blocks else np.empty((0, 0), np.float32)

    def embed_queries(self, queries: Sequence[str]) -> "NDArray[np.float32]":
        """A vector for each query."""
        return self._encode(self._model.encode_query, queries)

    def _encode(self, encode: Callable[..., Any], texts: Sequence[str]) -> "NDArray[np.float32]":
        with self._one_at_a_time:
            # Halves of surrogate pairs, which texts from JSON may have, are not taken by tokenizers.
            encodable = [text.encode("utf-8", "replace").decode() for text in texts]
            made = encode(encodable, show_progress_bar=False, normalize_embeddings=self._similarity == "cosine")
        return np.asarray(made, np.float32)

    def __reduce__(self) -> Any:
        return partial(SentenceEncoder, **self._options), (self._name,)

    def __repr__(self) -> str:
        return f"SentenceEncoder({self._name})"


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
        name: A folder that `multihop train` has written, or any sentence encoder's; or OWNER/NAME on the hub. A
            sentence encoder needs the extra [encoders].
        query_prefix: The text put before a query; an encoder of `multihop train` takes none.
        passage_prefix: The text put before a passage; an encoder of `multihop train` takes none.

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
