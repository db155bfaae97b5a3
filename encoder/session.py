"""A network run by ONNX Runtime over inputs of any length: word vectors looked up, alike lengths padded together."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base import DamagedFileError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TOKENS = 1024
"""The most tokens, padding included, that go through the network at once."""


class Words(NamedTuple):
    """The table of word vectors: bytes, and a factor for each row."""

    rows: "NDArray[np.int8]"
    scales: "NDArray[np.float32]"

    def __call__(self, ids: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """The vectors of some tokens."""
        import numpy as np

        return self.rows[ids].astype(np.float32) * self.scales[ids][..., None]


class Session:
    """One network over the shared table of word vectors, opened when it is first asked."""

    def __init__(self, path: Path, words: Words) -> None:
        self._path = path
        self._words = words

    @cached_property
    def _network(self) -> Any:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.add_session_config_entry("session.disable_quant_qdq", "1")  # bytes become numbers now, once
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others have work for the cores too
        try:
            return onnxruntime.InferenceSession(str(self._path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # it has kinds of its own for a file it cannot read
            raise DamagedFileError(f"{self._path} cannot be opened: {error}") from error

    def run(
        self, inputs: Sequence[Sequence[int]], firsts: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list["NDArray[np.float32]"]]]:
        """For each input, in an order of its own, its place and what the network says of it, padding included.

        Args:
            inputs: Token ids.
            firsts: For each input the place where its second segment begins.
        """
        import numpy as np

        order = sorted(range(len(inputs)), key=lambda place: len(inputs[place]))
        start = 0
        while start < len(order):
            places = [order[start]]
            for place in order[start + 1 :]:
                if (len(places) + 1) * len(inputs[place]) > TOKENS:
                    break
                places.append(place)
            start += len(places)
            longest = len(inputs[places[-1]])
            ids = np.zeros((len(places), longest), np.int64)
            mask = np.zeros((len(places), longest), np.int64)
            types = np.zeros((len(places), longest), np.int64)
            for row, place in enumerate(places):
                length = len(inputs[place])
                ids[row, :length] = inputs[place]
                mask[row, :length] = 1
                if firsts is not None:
                    types[row, firsts[place] : length] = 1
            feed = {"words": self._words(ids), "mask": mask} | ({} if firsts is None else {"types": types})
            outputs = self._network.run(None, feed)
            for row, place in enumerate(places):
                yield place, [output[row] for output in outputs]
