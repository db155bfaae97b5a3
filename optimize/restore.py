"""An encoder's folder as the network it was written from, to train it further."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from .export import PACKED
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
    rows, scales, shape = PACKED
    for name in [each.removesuffix(rows) for each in held if each.endswith(rows)]:
        held[name] = (held[name + rows] * held[name + scales][:, None]).reshape(held[name + shape]).T
    weights = {name: torch.from_numpy(value.copy()) for name, value in held.items()}
    for node in graph.node:
        module, _, kind = node.name.strip("/").rpartition("/")
        if kind == "MatMul" and node.input[1] in held:
            weights[module.replace("/", ".") + ".weight"] = weights[node.input[1]].T.contiguous()
    return weights
