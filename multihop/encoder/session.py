"""A network run by ONNX Runtime over inputs of any length: word vectors looked up, each input alone on one core."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ..base import DamagedFileError
from ..base.imports import NDArray, np


class Words(NamedTuple):
    """The table of word vectors: bytes, and a factor for each row."""

    rows: "NDArray[np.int8]"
    scales: "NDArray[np.float32]"

    def __call__(self, ids: "NDArray[np.int64]") -> "NDArray[np.float32]":
        """The vectors of some tokens."""
        return self.rows[ids].astype(np.float32) * self.scales[ids][..., None]


def open_network(path: Path) -> Any:
    """The network in an ONNX file, which computes on one core."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # others have work for the cores too
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # it has kinds of its own for a file it cannot read
        raise DamagedFileError(f"{path} cannot be opened: {error}") from error


class Session:
    """One network over the shared table of word vectors, opened when it is first asked.

    Every input goes through it alone and on one core. So nothing is padded, no core waits for another within a layer,
    and the outputs for an input do not depend on the other inputs.
    """

    def __init__(self, path: Path, words: Words) -> None:
        self._path = path
        self._words = words

    @cached_property
    def _network(self) -> Any:
        return open_network(self._path)

    @cached_property
    def _wanted(self) -> list[str]:
        return [each.name for each in self._network.get_inputs()]

    def run(
        self, inputs: Sequence[Sequence[int]], firsts: Sequence[int] | None = None
    ) -> Iterator[tuple[int, list["NDArray[np.float32]"]]]:
        """For each input of tokens, the longest first, its place and the network's outputs.

        `firsts` are the places where the second segments begin.
        """
        order = sorted(range(len(inputs)), key=lambda place: -len(inputs[place]))
        ids = [inputs[place] for place in order]
        second = [firsts[place] if firsts is not None else 0 for place in order]
        outputs_of_each: Iterator[list[NDArray[np.float32]]]
        outputs_of_each = _cores().map(self._ask, ids, second) if len(ids) > 1 else map(self._ask, ids, second)
        yield from zip(order, outputs_of_each, strict=True)

    def _ask(self, tokens: Sequence[int], first: int) -> list["NDArray[np.float32]"]:
        """The network's outputs for one input."""
        ids = np.array([tokens], np.int64)
        second = (np.arange(ids.size)[None] >= first).astype(np.int64)
        feed = {"words": self._words(ids), "types": second}
        outputs = self._network.run(None, {name: feed[name] for name in self._wanted})
        return [output[0] for output in outputs]


@lru_cache(maxsize=1)
def _cores() -> ThreadPoolExecutor:
    """As many threads as there are cores, for all networks together."""
    return ThreadPoolExecutor(os.cpu_count(), "multihop-encoder")


if hasattr(os, "register_at_fork"):  # threads do not outlive it
    os.register_at_fork(after_in_child=_cores.cache_clear)
