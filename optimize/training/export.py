"""A trained network as the files that ONNX Runtime opens: whole, or with weights in eight bits."""

import tempfile
import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import torch
from onnx import helper, numpy_helper

from ...base import writing_folder
from ...encoder.heads import POOLED, TOKENS
from ...encoder.layout import WINDOW
from ...encoder.weights import MANIFEST, seal_encoder
from .network import Network, Pooling, in_bytes

Precision = Literal["float32", "int8"]
BLOCK = 64
"""Weights that share a factor."""
PACKED = (".rows", ".scales", ".shape")
"""What the parts of a packed weight are called after it: its blocks as bytes, their factors, its shape transposed."""


def export(
    folder: Path,
    *,
    name: str,
    judge: Network,
    embed: Pooling,
    tokenizer: str,
    description: dict[str, Any],
    precision: Precision = "int8",
    card: str = "",
) -> None:
    """Write an encoder's folder; it appears only when everything is in it.

    Args:
        folder: Where it goes; an encoder that is already there is replaced.
        name: What the encoder is called.
        judge: The network with the heads.
        embed: The network that embeds; it shares the word vectors.
        tokenizer: The text of a `tokenizer.json`.
        description: What the manifest says besides: data, seed, figures.
        precision: "int8" takes a quarter of the room.
        card: The model card.
    """
    rows, scales = in_bytes(judge.transformer.get_input_embeddings().weight.detach().float())
    width = rows.shape[1]
    words = torch.zeros(2, 8, width)
    mask = torch.ones(2, 8, dtype=torch.int64)
    axes = {
        "words": {0: "inputs", 1: "tokens"},
        "mask": {0: "inputs", 1: "tokens"},
        "types": {0: "inputs", 1: "tokens"},
    }
    with writing_folder(folder, marker=MANIFEST) as scratch:
        np.save(scratch / "vectors.npy", rows.numpy())
        np.save(scratch / "scales.npy", scales.numpy().astype(np.float32))
        (scratch / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
        typed = (words, mask, torch.zeros_like(mask))
        _write(judge, typed, ["words", "mask", "types"], ["pooled", "tokens"], axes, scratch / "judge.onnx", precision)
        _write(embed, typed[:2], ["words", "mask"], ["vector"], axes, scratch / "embed.onnx", precision)
        if card:
            (scratch / "CARD.md").write_text(card, encoding="utf-8")
        heads = {"pooled": list(POOLED), "tokens": list(TOKENS)}
        seal_encoder(
            scratch,
            {"name": name, "width": width, "window": WINDOW, "precision": precision, "heads": heads, **description},
        )


def _write(
    network: torch.nn.Module,
    inputs: tuple[torch.Tensor, ...],
    names: list[str],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
    path: Path,
    precision: Precision,
) -> None:
    network = network.eval().float().cpu()
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of what it traces
        whole = Path(scratch) / "whole.onnx"
        dynamic = {name: axes[name] for name in names} | {
            "pooled": {0: "inputs"},
            "tokens": {0: "inputs", 1: "tokens"},
            "vector": {0: "inputs"},
        }
        dynamic = {name: dynamic[name] for name in (*names, *outputs)}
        torch.onnx.export(
            network,
            inputs,
            str(whole),
            input_names=names,
            output_names=outputs,
            dynamic_axes=dynamic,
            opset_version=17,
            dynamo=False,
        )
        if precision == "float32":
            path.write_bytes(whole.read_bytes())
            return
        onnx.save(_in_blocks(onnx.load(whole)), path)


def _in_blocks(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same network with what it multiplies by in bytes, a factor a block, which it unpacks when it is opened.

    Weights alone are rounded: rounding activations as well would make an answer depend on what else is in a batch.
    """
    graph = model.graph
    multiplied = {node.input[1] for node in graph.node if node.op_type == "MatMul"}
    whole = [each for each in graph.initializer if each.name in multiplied]
    unpacking = []
    for weight in whole:
        values = torch.from_numpy(numpy_helper.to_array(weight).T.copy())
        if values.numel() % BLOCK:
            continue
        rows, scales = in_bytes(values.reshape(-1, BLOCK))
        parts = (rows.numpy(), scales.numpy(), np.array(values.shape, np.int64))
        names = [weight.name + suffix for suffix in PACKED]
        graph.initializer.remove(weight)
        graph.initializer.extend(numpy_helper.from_array(*each) for each in zip(parts, names, strict=True))
        flat, turned, (bytes_name, scales_name, shape_name) = f"{weight.name}.flat", f"{weight.name}.turned", names
        unpacking += [
            helper.make_node("DequantizeLinear", [bytes_name, scales_name], [flat], axis=0),
            helper.make_node("Reshape", [flat, shape_name], [turned]),
            helper.make_node("Transpose", [turned], [weight.name], perm=[1, 0]),
        ]
    nodes = [*unpacking, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    return model
