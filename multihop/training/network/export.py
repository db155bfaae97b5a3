"""A trained network as the files that ONNX Runtime opens: whole, or multiplying in bytes."""

import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import torch

from ...base import writing_folder
from ...encoder.layout import POOLED, TOKENS, WINDOW
from ...encoder.weights import JUDGE, MANIFEST, seal_encoder
from .in_bytes import multiply_in_bytes
from .network import Network, Pooling, in_bytes

Precision = Literal["float32", "int8"]


def export(
    folder: Path,
    *,
    name: str,
    judge: Network,
    others: Mapping[str, Network],
    embed: Pooling,
    tokenizer: str,
    description: dict[str, Any],
    precision: Precision,
    card: str,
) -> None:
    """Write an encoder's folder; it appears only when everything is in it, and replaces one that is there.

    `others` are its other networks, by their files, `tokenizer` is the text of a `tokenizer.json`, and `description`
    holds further facts for the manifest. "int8" takes a quarter of the room of "float32", and half of the time.
    """
    rows, scales = in_bytes(judge.transformer.get_input_embeddings().weight.detach().float())
    width = rows.shape[1]
    words, types = torch.zeros(2, 8, width), torch.zeros(2, 8, dtype=torch.int64)
    with writing_folder(folder, marker=MANIFEST) as scratch:
        np.save(scratch / "vectors.npy", rows.numpy())
        np.save(scratch / "scales.npy", scales.numpy().astype(np.float32))
        (scratch / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
        for file, network in {JUDGE: judge, **others}.items():
            _write(network, (words, types), ["words", "types"], ["pooled", "tokens"], scratch / file, precision)
        _write(embed, (words,), ["words"], ["vector", "states"], scratch / "embed.onnx", precision)
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
    path: Path,
    precision: Precision,
) -> None:
    network = network.eval().float().cpu()
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of what it traces
        whole = Path(scratch) / "whole.onnx"
        axes = {"words": {0: "inputs", 1: "tokens"}, "types": {0: "inputs", 1: "tokens"}, "pooled": {0: "inputs"}}
        axes |= {"tokens": {0: "inputs", 1: "tokens"}, "vector": {0: "inputs"}, "states": {0: "inputs", 1: "tokens"}}
        torch.onnx.export(
            network,
            inputs,
            str(whole),
            input_names=names,
            output_names=outputs,
            dynamic_axes={name: axes[name] for name in (*names, *outputs)},
            opset_version=17,
            dynamo=False,
        )
        if precision == "float32":
            path.write_bytes(whole.read_bytes())
            return
        onnx.save(multiply_in_bytes(onnx.load(whole)), path)
