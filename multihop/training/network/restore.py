"""An encoder's folder as the network it was written from, to train it further."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from ...base import MismatchError
from .in_bytes import MULTIPLIED, ROWS, SCALES


def restore(network: torch.nn.Module, folder: Path, file: str) -> None:
    """Give a network of the same shape the weights in a file of an encoder's folder, as exact as they were stored."""
    weights = stored(folder / file)
    table = "transformer.embeddings.word_embeddings.weight"
    rows, scales = (np.load(folder / name, allow_pickle=False) for name in ("vectors.npy", "scales.npy"))
    weights[table] = torch.from_numpy(rows.astype(np.float32) * scales[:, None])
    own = {name for name, _ in network.named_parameters() if ".pooler." not in name}
    if missing := sorted(own - weights.keys()):
        raise MismatchError(
            f"{folder} has no weights for {missing[0]}; train from the transformer that it was made of."
        )
    try:
        network.load_state_dict(weights, strict=False)  # nobody uses the network's pooler, nor all that the file has
    except RuntimeError as error:  # shapes differ
        raise MismatchError(
            f"{folder} is an encoder of another shape than the transformer it is to begin with: {error}"
        ) from error


def stored(path: Path) -> dict[str, torch.Tensor]:
    """The weights in an exported network by the names of their modules."""
    graph = onnx.load(path).graph
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    for name in [each.removesuffix(ROWS) for each in held if each.endswith(ROWS)]:
        held[name + ROWS] = held[name + ROWS] * held[name + SCALES]
    weights = {name: torch.from_numpy(value.copy()) for name, value in held.items()}
    for node in graph.node:
        if node.op_type == "Identity" and node.input[0] in weights:  # equal weights are stored once
            weights[node.output[0]] = weights[node.input[0]]
        module, _, kind = node.name.strip("/").rpartition("/")
        if kind == "MatMul" and node.op_type in ("MatMul", MULTIPLIED) and node.input[1] in held:
            weights[module.replace("/", ".") + ".weight"] = weights[node.input[1]].T.contiguous()
    return weights
