"""Puts the numbers that a network multiplies into bytes: its weights once, and each token as it passes."""

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import NodeProto, helper, numpy_helper

LEVELS = 63
"""The highest of the bytes that a weight becomes: twice it times 255 fits into 16 bits, in which processors without an
instruction for bytes (VNNI) add up pairs of products. So the sums are exact, and the same, on all of them."""
ROWS, SCALES = ".rows", ".scales"
"""The endings of the names of a packed weight's parts: its bytes, and a factor for each of its columns."""
MULTIPLIED = "MatMulIntegerToFloat"
_MIDDLE, _ONE, _STEP, _LEAST = "bytes.middle", "bytes.one", "bytes.step", "bytes.least"
_DOMAIN = "com.microsoft"


def multiply_in_bytes(model: onnx.ModelProto) -> onnx.ModelProto:
    """The network with every product of states and weights made in bytes.

    Each token has a factor of its own, which its largest number sets. So what is said of a token does not depend on
    how large the others are, and nothing on what else is asked.
    """
    graph = model.graph
    weights = {each.name: each for each in graph.initializer}
    constants: dict[str, NDArray[np.generic] | np.generic] = {
        _MIDDLE: np.uint8(128), _ONE: np.float32(1), _STEP: np.float32(1 / 127), _LEAST: np.float32(1e-9),
    }  # fmt: skip
    nodes: list[NodeProto] = []
    rounded: set[str] = set()
    for node in graph.node:
        if node.op_type != "MatMul" or node.input[1] not in weights:
            nodes.append(node)
            continue
        states, weight = node.input
        if states not in rounded:
            nodes += _rounded(states)
            rounded.add(states)
        nodes += _product(node, states, weight)
        if weight + ROWS not in constants:  # layers may share one
            rows, scales = packed(numpy_helper.to_array(weights[weight]))
            constants |= {weight + ROWS: rows, weight + SCALES: scales}
            graph.initializer.remove(weights[weight])
    del graph.node[:]
    graph.node.extend(nodes)
    graph.initializer.extend(numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items())
    model.opset_import.append(helper.make_opsetid(_DOMAIN, 1))
    return model


def packed(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix as bytes, and the factor of each of its columns."""
    scales = (np.maximum(np.abs(weight).max(0), 1e-8) / LEVELS).astype(np.float32)
    return np.round(weight / scales).astype(np.int8), scales


def _rounded(states: str) -> list[NodeProto]:
    """The states in bytes, and the factor of each token."""
    largest, factor, even = f"{states}.largest", f"{states}.factor", f"{states}.even"
    return [
        helper.make_node("Abs", [states], [f"{states}.sizes"]),
        helper.make_node("ReduceMax", [f"{states}.sizes"], [largest], axes=[-1], keepdims=1),
        helper.make_node("Mul", [largest, _STEP], [f"{largest}.step"]),
        helper.make_node("Max", [f"{largest}.step", _LEAST], [factor]),
        helper.make_node("Div", [states, factor], [even]),
        helper.make_node("QuantizeLinear", [even, _ONE, _MIDDLE], [f"{states}.bytes"]),
    ]


def _product(node: NodeProto, states: str, weight: str) -> list[NodeProto]:
    inputs = [f"{states}.bytes", weight + ROWS, _ONE, weight + SCALES, _MIDDLE]
    product = f"{node.output[0]}.even"
    return [
        helper.make_node(MULTIPLIED, inputs, [product], name=node.name, domain=_DOMAIN),
        helper.make_node("Mul", [product, f"{states}.factor"], list(node.output)),
    ]
