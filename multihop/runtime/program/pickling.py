"""Pickles a program whole, with steps whose signatures are classes that are in no module."""

import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
import dspy

_SHARED = ("retriever", "lms", "gate", "budget")
"""The parts that several programs may share, and still share when they are pickled together."""


def reduce_program(program: dspy.Module) -> tuple[Callable[..., dspy.Module], tuple[Any, ...]]:
    """The parts of a program that `pickle` keeps.

    `dspy.ChainOfThought` and every optimizer make signatures on the spot, and only cloudpickle can pickle such classes:
    it takes the steps, and whoever pickles the program takes what it may share with others.
    """
    state: dict[str, Any] = program.__getstate__()  # type: ignore[assignment]
    shared = {name: value for name, value in state.items() if name in _SHARED or _is_whole(value)}
    own = {name: value for name, value in state.items() if name not in shared}
    return _rebuild, (type(program), list(state), shared, cloudpickle.dumps(own))


def _is_whole(value: Any) -> bool:
    """True if the value is a program, which pickles itself."""
    return isinstance(value, dspy.Module) and hasattr(value, "retriever")


def _rebuild(kind: Any, names: list[str], shared: dict[str, Any], own: bytes) -> dspy.Module:
    values = {**shared, **pickle.loads(own)}
    program: dspy.Module = kind.__new__(kind)
    program.__setstate__({name: values[name] for name in names})  # in their order: optimizers go by it
    return program
