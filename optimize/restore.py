"""An encoder's folder as the network it was written from, to train it further."""

from pathlib import Path

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import numpy_helper

from .network import Network

Tensors = dict[str, torch.Tensor]


def restore(network: Network, folder: Path) -> None:
    """Give a network of the same shape the weights of an encoder, as exact as they were stored."""
    weights = stored(folder / "judge.onnx")
    table = "transformer.embeddings.word_embeddings.weight"
    rows, scales = (np.load(folder / name, allow_pickle=False) for name in ("vectors.npy", "scales.npy"))
    weights[table] = torch.from_numpy(rows.astype(np.float32) * scales[:, None])
    network.load_state_dict(weights, strict=False)  # the network has a pooler nobody uses, the file what it was made of
    own = {name for name, _ in network.named_parameters() if ".pooler." not in name}
    if missing := sorted(own - weights.keys()):
        raise ValueError(f"{folder} has no {missing[0]}")


def stored(path: Path) -> Tensors:
    """The weights in an exported network by the names of their modules."""
    graph = onnx.load(path).graph
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    weights = {name: torch.from_numpy(value.copy()) for name, value in held.items()}
    for node in graph.node:
        name, _, kind = node.name.strip("/").rpartition("/")
        if kind == "MatMul" and node.input[1] in held:
            weight = held[node.input[1]].T
        elif kind == "MatMul_Q8":
            weight = _whole(held[node.input[1]], held[node.input[2]])
        else:
            continue
        weights[name.replace("/", ".") + ".weight"] = torch.from_numpy(np.ascontiguousarray(weight))
    return weights


def _whole(blocks: NDArray[np.uint8], scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Weights in eight bits, a scale a block, one row an output, as numbers."""
    rows = len(blocks)
    numbers = (blocks.astype(np.float32) - np.float32(128)) * scales.reshape(rows, -1, 1)
    return numbers.reshape(rows, -1)
