"""Any sentence encoder, by its folder or its name on the hub, which makes the vectors of a `Dense`."""

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ujson

from ...base import DamagedFileError, InputError
from ..session import alike_in_length
from ..weights import file_digest
from .description import PoolingKind, read_description, read_settings_file
from .home import encoder_home, onnx_file, weight_files
from .layers import layer_file, open_layer, through
from .networks import OnnxNetwork, TorchNetwork

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OPTIONS = ("pooling", "similarity", "query_prefix", "passage_prefix")
"""The options that may be given in place of the encoder's own files."""


class SentenceEncoder:
    """Makes vectors of texts with an encoder that others have trained: e5, Contriever, BGE, or one of your own.

    The encoder's own files give the pooling of tokens into a vector, the texts put before queries and passages, and the
    comparison of vectors (`read_description`). An ONNX file runs without PyTorch; other weights need the extra [train].
    """

    def __init__(self, name: str | os.PathLike[str], **options: str | None) -> None:
        """The encoder of that name.

        Args:
            name: Its folder, or its name on the hub, such as "intfloat/e5-base-v2".
            **options: `pooling` ("mean", "cls", "max", "last"), `similarity` ("cosine", "dot"), `query_prefix` and
                `passage_prefix`, where they are to be others than its files say.

        Raises:
            InputError: There is no such encoder, it is damaged, or has a part that is not run here.
            MissingExtraError: It has no ONNX file, and PyTorch is not installed.
        """
        self.folder = encoder_home(name)
        self._name = str(self.folder) if Path(name).expanduser().is_dir() else str(name)
        self.description = read_description(self.folder, **options)
        transformer = self.folder / self.description.transformer
        network = onnx_file(self.folder) or onnx_file(transformer)
        files = [network, *network.parent.glob(f"{network.name}_data")] if network else weight_files(transformer)
        if not files:
            raise InputError(f"{self.folder} holds no encoder: neither encoder.json, nor an ONNX file, nor weights.")
        self._network: OnnxNetwork | TorchNetwork = OnnxNetwork(network) if network else TorchNetwork(transformer)
        layers = [self.folder / name for name in self.description.layers]
        self._layers = [open_layer(home, read_settings_file(home / "config.json")) for home in layers]
        files += [file for home in layers if (file := layer_file(home))]
        tokenizer = transformer / "tokenizer.json"
        self._tokenizer, self._padding = _open_tokenizer(tokenizer, self.description.window)
        digests = [self.description, *(file_digest(file) for file in [*files, tokenizer])]
        digest = hashlib.blake2b(ujson.dumps(digests).encode(), digest_size=8).hexdigest()
        self.embedding = f"{Path(self._name).name}-{digest}"
        """The same only for the same weights, used in the same way: what vectors depend on."""

    @property
    def place(self) -> dict[str, Any]:
        """The values by which an index finds its encoder again."""
        options = {name: getattr(self.description, name) for name in OPTIONS}
        return {"encoder_folder": self._name, "encoder_options": options}

    def embed(self, texts: Sequence[str], *, progress: Callable[[int], None] | None = None) -> "NDArray[np.float32]":
        """A vector for each passage; of length 1 where vectors are compared by their cosine.

        Args:
            texts: The passages.
            progress: Called now and then with the number of texts whose tokens have been read.
        """
        return self._vectors([self.description.passage_prefix + text for text in texts], progress)

    def embed_queries(self, queries: Sequence[str]) -> "NDArray[np.float32]":
        """A vector for each query."""
        return self._vectors([self.description.query_prefix + query for query in queries], None)

    def _vectors(self, texts: list[str], progress: Callable[[int], None] | None) -> "NDArray[np.float32]":
        import numpy as np

        if self.description.lower_case:
            texts = [text.lower() for text in texts]
        inputs = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        lengths = [len(each) for each in inputs]
        vectors: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(texts)
        read_so_far, tokens = 0, max(1, sum(lengths))
        for places in alike_in_length(lengths, self._network.together):
            longest = max(1, lengths[places[-1]])
            ids = np.full((len(places), longest), self._padding, np.int64)
            mask = np.zeros_like(ids)
            for row, place in enumerate(places):
                ids[row, : lengths[place]] = inputs[place]
                mask[row, : lengths[place]] = 1
            output = self._network.run(ids, mask)
            pooled = output  # a network that gives a vector for a text has all its layers inside
            if output.ndim == 3:
                pooled = through(self._layers, pool(output, mask, self.description.pooling))
            for row, place in enumerate(places):
                vectors[place] = pooled[row]
                read_so_far += lengths[place]
            if progress:
                progress(len(texts) * read_so_far // tokens)
        table = np.stack(vectors) if vectors else np.empty((0, 0), np.float32)
        if self.description.similarity == "cosine" and vectors:
            table = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), np.float32(1e-12))
        return table

    def __deepcopy__(self, memo: dict[int, Any]) -> "SentenceEncoder":
        return self

    def __reduce__(self) -> Any:
        return partial(SentenceEncoder, **self.place["encoder_options"]), (self._name,)

    def __repr__(self) -> str:
        return f"SentenceEncoder({self._name})"


def pool(tokens: "NDArray[np.float32]", mask: "NDArray[np.int64]", how: PoolingKind) -> "NDArray[np.float32]":
    """A vector for each text, of those of its tokens that the mask keeps.

    Args:
        tokens: Text by token by number.
        mask: Text by token, 1 for its own tokens, which come first, and 0 for what fills it up.
        how: "mean", "cls" for the first, "last", or "max" of each number.
    """
    import numpy as np

    counts, kept = mask.sum(axis=1), mask[:, :, None].astype(bool)
    pooled: NDArray[np.float32]
    if how == "cls":
        pooled = tokens[:, 0]
    elif how == "last":
        pooled = tokens[np.arange(len(tokens)), np.maximum(counts - 1, 0)]
    elif how == "max":
        pooled = np.where(kept, tokens, -np.inf).max(axis=1)
    else:
        pooled = np.where(kept, tokens, 0).sum(axis=1) / np.maximum(counts, 1).astype(np.float32)[:, None]
    return pooled


def _open_tokenizer(path: Path, window: int) -> tuple[Any, int]:
    """The tokenizer that cuts texts off at the window, and the token that fills them up."""
    from tokenizers import Tokenizer

    if not path.is_file():
        raise InputError(f"{path.parent} has no tokenizer.json, the file of a fast tokenizer; save one there.")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # it has one kind of error for everything
        raise DamagedFileError(f"{path} cannot be opened: {error}") from error
    padding = tokenizer.padding["pad_id"] if tokenizer.padding else _pad_token(tokenizer)
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=window)
    return tokenizer, padding


def _pad_token(tokenizer: Any) -> int:
    known = (tokenizer.token_to_id(token) for token in ("[PAD]", "<pad>", "<|endoftext|>"))
    return next((token for token in known if token is not None), 0)
