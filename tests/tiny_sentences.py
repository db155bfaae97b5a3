"""Folders laid out as sentence encoders are, with a network that looks up a vector for each word and no more."""

import json

import numpy as np
from tiny_encoder import INTEGER, model, node
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", "passage", ":", "a", "river", "in", "italy", "volcano", "bread"]
NUMBER = {word: number for number, word in enumerate(WORDS)}
TABLE = np.random.default_rng(5).normal(size=(len(WORDS), 6)).astype(np.float32)


def token_vectors(text):
    """The vectors that the network gives for the tokens of a text."""
    words = ["[CLS]", *text.replace(":", " : ").split(), "[SEP]"]
    return TABLE[[NUMBER.get(word, NUMBER["[UNK]"]) for word in words]]


def write_tiny_sentences(
    folder, *, network="onnx/model.onnx", inputs=("input_ids", "attention_mask"), pooled=False, **files
):
    """Fill the folder; `files` are JSON files by name, with "__" for "/" and without their ending."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel(NUMBER, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", NUMBER["[CLS]"]), ("[SEP]", NUMBER["[SEP]"])]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    if network:
        (folder / network).parent.mkdir(parents=True, exist_ok=True)
        (folder / network).write_bytes(lookup_network(inputs, pooled))
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


def lookup_network(inputs, pooled):
    nodes = [node("Gather", ["table", "input_ids"], ["last_hidden_state"], axis=0)]
    outputs = {"last_hidden_state": 3}
    if pooled:
        nodes.append(node("ReduceSum", ["last_hidden_state", "middle"], ["sentence_embedding"], keepdims=0))
        outputs = {"sentence_embedding": 2}
    return model(nodes, {"table": TABLE, "middle": np.array([1])}, dict.fromkeys(inputs, INTEGER), outputs)


def write_layer(folder, tensors, kind="F32"):
    """A layer's weights, in the format of safetensors."""
    told, content = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        numbers = tensor.astype({"F16": "<f2"}.get(kind, "<f4"))
        part = (numbers.view("<u4") >> 16).astype("<u2").tobytes() if kind == "BF16" else numbers.tobytes()
        told[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [len(content), len(content) + len(part)]}
        content += part
    header = json.dumps(told).encode()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + content)


def modules(*kinds):
    """A modules.json, as sentence-transformers writes it."""
    return [
        {"idx": place, "name": str(place), "path": "" if place == 0 else f"{place}_{kind}", "type": f"sentence.{kind}"}
        for place, kind in enumerate(kinds)
    ]
