import numpy as np
import pytest
from tiny_sentences import write_layer

from multihop.base import DamagedFileError, InputError, MissingExtraError
from multihop.encoder.sentences.layers import open_layer, through

HALVES = np.array([[0.5, -1.0], [2.0, 0.25], [-4.0, 1.0]], np.float32)
BIAS = np.array([1.0, -0.5, 0.0], np.float32)
CONFIG = {"in_features": 2, "out_features": 3, "bias": True, "activation_function": "torch.nn.modules.linear.Identity"}
VECTORS = np.array([[2.0, 1.0], [0.0, -3.0]], np.float32)
BEHIND = VECTORS @ HALVES.T + BIAS


@pytest.mark.parametrize("kind", ["F32", "F16", "BF16"])
def test_weights_of_every_length(tmp_path, kind):
    write_layer(tmp_path, {"linear.weight": HALVES, "linear.bias": BIAS}, kind)
    behind = open_layer(tmp_path, CONFIG).apply(VECTORS)
    assert behind.dtype == np.float32
    assert behind.tolist() == BEHIND.tolist()


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("Identity", BEHIND),
        ("Tanh", np.tanh(BEHIND)),
        ("ReLU", np.where(BEHIND > 0, BEHIND, 0)),
        ("Sigmoid", 1 / (1 + np.exp(-BEHIND))),
        (None, np.tanh(BEHIND)),
    ],
)
def test_what_the_numbers_go_through(tmp_path, named, expected):
    write_layer(tmp_path, {"linear.weight": HALVES, "linear.bias": BIAS})
    function = named and f"torch.nn.modules.activation.{named}"
    layer = open_layer(tmp_path, {**CONFIG, "activation_function": function})
    assert np.allclose(layer.apply(VECTORS), expected, atol=1e-6)


def test_one_layer_after_the_other_and_without_a_bias(tmp_path):
    write_layer(tmp_path / "a", {"linear.weight": HALVES})
    write_layer(tmp_path / "b", {"linear.weight": HALVES.T.copy()})
    back = {**CONFIG, "in_features": 3, "out_features": 2}
    layers = [open_layer(tmp_path / "a", CONFIG), open_layer(tmp_path / "b", back)]
    assert np.allclose(through(layers, VECTORS), VECTORS @ HALVES.T @ HALVES, atol=1e-5)
    assert through([], VECTORS) is VECTORS


def test_as_sentence_transformers_saves_it(tmp_path):
    torch = pytest.importorskip("torch")
    torch.save(
        {"linear.weight": torch.tensor(HALVES), "linear.bias": torch.tensor(BIAS)}, tmp_path / "pytorch_model.bin"
    )
    assert open_layer(tmp_path, CONFIG).apply(VECTORS).tolist() == BEHIND.tolist()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (
            {"activation_function": "torch.nn.modules.activation.GELU"},
            "gives the GELU of the sentence_embedding, which",
        ),
        (
            {"module_input_name": "token_embeddings"},
            "gives the Identity of the token_embeddings, which is not done here",
        ),
    ],
)
def test_what_is_not_done_here(tmp_path, config, said):
    write_layer(tmp_path, {"linear.weight": HALVES})
    with pytest.raises(InputError, match=said):
        open_layer(tmp_path, {**CONFIG, **config})


def test_weights_that_are_missing_or_damaged_are_one_sentence(tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"holds no layer: it has none of model\.safetensors, pytorch_model\.bin"):
        open_layer(tmp_path, CONFIG)
    for content in (b"", b"rubbish that is no header", (5).to_bytes(8, "little") + b"[1,2]"):
        (tmp_path / "model.safetensors").write_bytes(content)
        with pytest.raises(
            DamagedFileError, match=r"model\.safetensors cannot be read: it is not as safetensors writes"
        ):
            open_layer(tmp_path, CONFIG)
    for tensors in (
        {"linear.weight": HALVES.T},
        {"linear.bias": BIAS},
        {"linear.weight": HALVES, "linear.bias": HALVES},
    ):
        write_layer(tmp_path, tensors)
        with pytest.raises(DamagedFileError, match="is not the layer of 2 to 3 numbers that config.json tells of"):
            open_layer(tmp_path, CONFIG)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"which has no safetensors file, needs the extra \[train\]"):
        open_layer(tmp_path, CONFIG)
