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
WEIGHTS = {"one": WEIGHT, "two": -WEIGHT}


def network(*weights):
    """The states times each of the matrices."""
    nodes = [
        helper.make_node("MatMul", ["states", name], [f"times.{name}"], name=f"/{name}/MatMul") for name in weights
    ]
    shape = ["inputs", "tokens", None]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("states", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, shape) for node in nodes],
        [numpy_helper.from_array(WEIGHTS[name], name) for name in weights],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(model, states):
    return InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, {"states": states})


def test_the_products_are_nearly_the_same():
    states = DICE.standard_normal((1, 9, 64)).astype(np.float32)
    (exact,), (rounded,) = run(network("one"), states), run(multiply_in_bytes(network("one")), states)
    assert np.abs(exact - rounded).mean() < 0.04 * np.abs(exact).mean()
    assert not np.array_equal(exact, rounded)


def test_a_token_is_rounded_by_its_own_size():
    states = DICE.standard_normal((1, 2, 64)).astype(np.float32)
    larger = states * np.array([[[1.0], [1000.0]]], np.float32)
    model = multiply_in_bytes(network("one"))
    (alone,), (beside) = run(model, states[:, :1]), run(model, larger)[0]
    assert np.array_equal(alone[0, 0], beside[0, 0])
    assert beside[0, 1] == pytest.approx(1000 * run(model, states)[0][0, 1], rel=1e-4)
    assert not run(model, np.zeros((1, 3, 64), np.float32))[0].any()


def test_states_that_two_matrices_multiply_are_rounded_once_and_a_matrix_of_two_layers_is_packed_once():
    states, model = DICE.standard_normal((1, 4, 64)).astype(np.float32), network("one", "two")
    shared = network("one", "two")
    shared.graph.node[1].input[1] = "one"
    del shared.graph.initializer[1]
    kinds = [node.op_type for node in multiply_in_bytes(model).graph.node]
    assert (kinds.count("QuantizeLinear"), kinds.count("MatMulIntegerToFloat")) == (1, 2)
    first, second = run(model, states)
    assert np.allclose(first, -second, atol=1e-5)
    assert {each.name for each in model.graph.initializer}.isdisjoint({"one", "two"})
    first, second = run(multiply_in_bytes(shared), states)
    assert np.array_equal(first, second)
    assert [each.name for each in shared.graph.initializer].count("one.rows") == 1


def test_pairs_of_products_fit_into_sixteen_bits():
    rows, scales = packed(100 * WEIGHT)
    assert np.abs(rows).max(0).tolist() == [LEVELS] * 16
    assert 2 * 255 * LEVELS < 2**15
    assert np.abs(rows * scales - 100 * WEIGHT).max() <= scales.max() / 2 + 1e-4
    again, same = packed((rows * scales).astype(np.float32))
    assert np.array_equal(again, rows)
    assert same == pytest.approx(scales, rel=1e-5)
