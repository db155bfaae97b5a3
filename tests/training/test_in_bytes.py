"""Products in bytes: what is rounded, that tokens do not change each other, and that sums cannot overflow."""

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnxruntime import InferenceSession  # noqa: E402

from multihop.training.in_bytes import LEVELS, multiply_in_bytes, packed  # noqa: E402

pytestmark = pytest.mark.extra("train")

DICE = np.random.default_rng(0)
WEIGHT = DICE.standard_normal((64, 16)).astype(np.float32)


def network():
    """The states times the matrix."""
    shape = ["inputs", "tokens", None]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["states", "weight"], ["product"], name="/a/MatMul")],
        "network",
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("product", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(WEIGHT, "weight")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(model, states):
    return InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"states": states})


def test_the_products_are_nearly_the_same():
    states = DICE.standard_normal((1, 9, 64)).astype(np.float32)
    (exact,), (rounded,) = run(network(), states), run(multiply_in_bytes(network()), states)
    assert np.abs(exact - rounded).mean() < 0.04 * np.abs(exact).mean()
    assert not np.array_equal(exact, rounded)


def test_a_token_is_rounded_by_its_own_size():
    states = DICE.standard_normal((1, 2, 64)).astype(np.float32)
    larger = states * np.array([[[1.0], [1000.0]]], np.float32)
    model = multiply_in_bytes(network())
    (alone,), (beside) = run(model, states[:, :1]), run(model, larger)[0]
    assert np.array_equal(alone[0, 0], beside[0, 0])
    assert beside[0, 1] == pytest.approx(1000 * run(model, states)[0][0, 1], rel=1e-4)
    assert not run(model, np.zeros((1, 3, 64), np.float32))[0].any()


def test_pairs_of_products_fit_into_sixteen_bits():
    rows, scales = packed(100 * WEIGHT)
    assert np.abs(rows).max(0).tolist() == [LEVELS] * 16
    assert 2 * 255 * LEVELS < 2**15
    assert np.abs(rows * scales - 100 * WEIGHT).max() <= scales.max() / 2 + 1e-4
    again, same = packed((rows * scales).astype(np.float32))
    assert np.array_equal(again, rows)
    assert same == pytest.approx(scales, rel=1e-5)
