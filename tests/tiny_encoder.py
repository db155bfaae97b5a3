"""A tiny encoder made on the spot, for tests that need an encoder and are not about its answers.

Its folder is laid out as a trained one's and is opened by the same code; only the two networks are a few random
matrices instead of a transformer. They are written byte by byte, as the package that writes ONNX files is not installed
for tests.
"""

import shutil

import numpy as np

from multihop.encoder.layout import POOLED, TOKENS, WINDOW
from multihop.encoder.weights import BUILT_IN, seal_encoder

WIDTH = 16
FLOAT, INTEGER = 1, 7  # ONNX's numbers for the types of a tensor
OPSET = 17


def write_tiny_encoder(folder, *, seed=0, own=(), **told):
    """Fill the folder with an encoder of random weights, always the same ones for a seed.

    `own` names further networks that it has, such as "labeler", and `told` is for its manifest.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(BUILT_IN / "tokenizer.json", folder)
    known = len(np.load(BUILT_IN / "scales.npy", mmap_mode="r"))
    dice = np.random.default_rng(seed)
    np.save(folder / "vectors.npy", dice.integers(-127, 128, (known, WIDTH), np.int8))
    np.save(folder / "scales.npy", np.full(known, 1 / 127, np.float32))
    (folder / "embed.onnx").write_bytes(embed_network())
    for network in ("judge", *own):
        (folder / f"{network}.onnx").write_bytes(judge_network(dice))
    seal_encoder(folder, {"name": "tiny", "width": WIDTH, "window": WINDOW, **told})
    return folder


def mean_over(words, mean):
    """The nodes that make the direction of the sum of words."""
    return [
        node("ReduceSum", [words, "middle"], [f"{mean}.sum"], keepdims=0),
        node("LpNormalization", [f"{mean}.sum"], [mean], axis=1, p=2),
    ]


def mean_of_second():
    """The same for the words of the second segment."""
    return [
        node("Cast", ["types"], ["second.float"], to=FLOAT),
        node("Unsqueeze", ["second.float", "last"], ["second.kept"]),
        node("Mul", ["words", "second.kept"], ["second.words"]),
        *mean_over("second.words", "passage"),
    ]


def embed_network():
    """A text's vector is the direction of the sum of its word vectors, and the states of its tokens are these."""
    nodes = [*mean_over("words", "vector"), node("Identity", ["words"], ["states"])]
    return model(nodes, AXES, {"words": FLOAT}, {"vector": 2, "states": 3})


def judge_network(dice):
    """The heads are random; those of the whole see all words and the passage's, those of a token also itself."""
    weights = {
        "of the whole": dice.normal(size=(2 * WIDTH, len(POOLED))).astype(np.float32),
        "of a token": dice.normal(size=(WIDTH, len(TOKENS))).astype(np.float32),
    }
    nodes = [
        *mean_over("words", "all"),
        *mean_of_second(),
        node("Concat", ["all", "passage"], ["both"], axis=1),
        node("MatMul", ["both", "of the whole"], ["pooled"]),
        node("Unsqueeze", ["all", "middle"], ["around"]),
        node("Add", ["words", "around"], ["seen"]),
        node("MatMul", ["seen", "of a token"], ["tokens"]),
    ]
    inputs = {"words": FLOAT, "types": INTEGER}
    return model(nodes, AXES | weights, inputs, {"pooled": 2, "tokens": 3})


AXES = {"last": np.array([2]), "middle": np.array([1])}


# What follows is the wire format of protocol buffers, with the field numbers of onnx.proto.


def model(nodes, tensors, inputs, outputs):
    """A whole ONNX file; inputs with their types, outputs with their numbers of axes."""
    graph = [
        *(field(1, each) for each in nodes),
        field(2, "tiny"),
        *(field(5, tensor(name, values)) for name, values in tensors.items()),
        *(field(11, declared(name, kind, 3 if name == "words" else 2)) for name, kind in inputs.items()),
        *(field(12, declared(name, FLOAT, axes)) for name, axes in outputs.items()),
    ]
    return field(1, 8) + field(7, b"".join(graph)) + field(8, field(2, OPSET))


def node(kind, inputs, outputs, **attributes):
    """One operation, with whole numbers for attributes."""
    parts = [*(field(1, name) for name in inputs), *(field(2, name) for name in outputs), field(4, kind)]
    parts += [field(5, field(1, name) + field(3, value) + field(20, 2)) for name, value in attributes.items()]
    return b"".join(parts)


def tensor(name, values):
    """Constant numbers under a name."""
    kind = FLOAT if values.dtype == np.float32 else INTEGER
    sizes = b"".join(field(1, size) for size in values.shape)
    return sizes + field(2, kind) + field(8, name) + field(9, values.tobytes())


def declared(name, kind, axes):
    """The name and type of what goes in or comes out, its sizes left open."""
    shape = b"".join(field(1, field(2, f"{name}{axis}")) for axis in range(axes))
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def field(number, value):
    """A field: a whole number as it is, anything else with its length before it."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    content = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(number):
    """A whole number, seven bits a byte."""
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    return bytes([*encoded, number])
