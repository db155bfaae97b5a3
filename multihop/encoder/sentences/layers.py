"""Layers that some encoders have after the pooling: they make the vector of a text shorter, or longer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ujson

from ...base import DamagedFileError, InputError, missing_extra
from ...base.errors import first_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LAYER_FILES = ("model.safetensors", "pytorch_model.bin")
_NUMBERS = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


class Layer(NamedTuple):
    """A matrix, a vector to add, and a function for every number."""

    matrix: "NDArray[np.float32]"
    """Number of the outcome by number of the vector."""
    bias: "NDArray[np.float32] | None"
    activation: str

    def apply(self, vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """The vectors of texts, text by number, behind this layer."""
        product = vectors @ self.matrix.T
        return _activations()[self.activation](product if self.bias is None else product + self.bias)


def layer_file(home: Path) -> Path | None:
    """The file of weights in a layer's folder; None if there is none."""
    return next((home / name for name in LAYER_FILES if (home / name).is_file()), None)


def open_layer(home: Path, config: dict[str, Any]) -> Layer:
    """A layer, as its folder has it.

    Args:
        home: The layer's folder.
        config: The content of its config.json.

    Raises:
        InputError: It has no weights, or does something that is not done here.
        DamagedFileError: Its weights cannot be read, or are not those that config.json tells of.
        MissingExtraError: Its weights are PyTorch's own, which is not installed.
    """
    activation = str(config.get("activation_function") or "Tanh").rpartition(".")[2]
    reads = config.get("module_input_name") or "sentence_embedding"
    if activation not in _activations() or reads != "sentence_embedding":
        what = f"{activation} of the {reads}"
        raise InputError(
            f"the layer in {home} gives the {what}, which is not done here; it can be one of "
            f"{', '.join(_activations())} of the sentence_embedding."
        )
    path = layer_file(home)
    if path is None:
        raise InputError(f"{home} holds no layer: it has none of {', '.join(LAYER_FILES)}.")
    tensors = _from_torch(path) if path.suffix == ".bin" else _from_safetensors(path)
    shape, bias = (config.get("out_features"), config.get("in_features")), tensors.get("linear.bias")
    matrix = tensors.get("linear.weight")
    if matrix is None or matrix.shape != shape or (bias is not None and bias.shape != shape[:1]):
        raise DamagedFileError(
            f"{path} is not the layer of {shape[1]} to {shape[0]} numbers that config.json tells of."
        )
    return Layer(matrix, bias, activation)


def through(layers: Sequence[Layer], vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """The vectors behind all layers, one after the other."""
    for layer in layers:
        vectors = layer.apply(vectors)
    return vectors


def _activations() -> dict[str, Callable[["NDArray[np.float32]"], "NDArray[np.float32]"]]:
    import numpy as np

    return {
        "Tanh": np.tanh,
        "Identity": lambda numbers: numbers,
        "ReLU": lambda numbers: np.maximum(numbers, np.float32(0)),
        "Sigmoid": lambda numbers: np.reciprocal(np.float32(1) + np.exp(-numbers)),
    }


def _from_safetensors(path: Path) -> dict[str, "NDArray[np.float32]"]:
    import numpy as np

    content = path.read_bytes()
    try:
        start = 8 + int.from_bytes(content[:8], "little")
        header = ujson.loads(content[8:start])
        tensors = {}
        for name in header.keys() - {"__metadata__"}:
            kind, shape, (first, end) = (header[name][key] for key in ("dtype", "shape", "data_offsets"))
            part = content[start + first : start + end]
            if kind == "BF16":  # the front half of a float32
                numbers = (np.frombuffer(part, "<u2").astype(np.uint32) << 16).view(np.float32)
            else:
                numbers = np.frombuffer(part, _NUMBERS[kind]).astype(np.float32)
            tensors[name] = numbers.reshape(shape)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFileError(f"{path} cannot be read: it is not as safetensors writes it.") from error
    return tensors


def _from_torch(path: Path) -> dict[str, "NDArray[np.float32]"]:
    try:
        import torch
    except ImportError as error:
        raise missing_extra(f"the layer in {path.parent}, which has no safetensors file,", "train", error) from error
    try:
        tensors = torch.load(path, map_location="cpu", weights_only=True)
        return {name: each.float().numpy() for name, each in tensors.items()}
    except Exception as error:  # PyTorch has many
        raise DamagedFileError(f"{path} cannot be read: {first_line(error)}.") from error
