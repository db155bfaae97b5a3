"""A network run by ONNX Runtime over inputs of any length: word vectors looked up, alike lengths padded together."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
    """One network over the shared table of word vectors."""

    def __init__(self, network: Path, words: Words) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others have work for the cores too
        self._network = onnxruntime.InferenceSession(str(network), options, providers=["CPUExecutionProvider"])
        self._words = words
        self._typed = any(entry.name == "types" for entry in self._network.get_inputs())

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
            feed = {"words": self._words(ids), "mask": mask} | ({"types": types} if self._typed else {})
            outputs = self._network.run(None, feed)
            for row, place in enumerate(places):
                yield place, [output[row] for output in outputs]
