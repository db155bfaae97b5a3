"""Copies and pickles of a program: steps of their own, and the same retriever, LMs and gate."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
import dspy

_SHARED = ("retriever", "lms", "gate", "budget")
"""The parts that several programs may share, and still share when they are pickled together."""


class CopiedWhole:
    """Copies and pickles a program: optimizers copy programs by the dozen.

    `dspy.ChainOfThought` and every optimizer make signatures on the spot, classes that are in no module. Only
    cloudpickle can pickle such classes: it takes the steps, and whoever pickles the program takes what it may share.
    """

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        for shared in (self.retriever, *self.step_lms.values()):
            memo[id(shared)] = shared
        kind: Any = type(self)
        twin = kind.__new__(kind)
        memo[id(self)] = twin
        twin.__setstate__({name: copy.deepcopy(value, memo) for name, value in self.__getstate__().items()})
        return twin

    def __copy__(self: Any) -> Any:
        kind: Any = type(self)
        twin = kind.__new__(kind)
        twin.__setstate__(self.__getstate__())
        return twin

    def __reduce_ex__(self: Any, protocol: Any) -> tuple[Callable[..., dspy.Module], tuple[Any, ...]]:
        state: dict[str, Any] = self.__getstate__()
        shared = {name: value for name, value in state.items() if name in _SHARED or isinstance(value, CopiedWhole)}
        own = {name: value for name, value in state.items() if name not in shared}
        return _rebuild, (type(self), list(state), shared, cloudpickle.dumps(own))


def _rebuild(kind: Any, names: list[str], shared: dict[str, Any], own: bytes) -> dspy.Module:
    values = {**shared, **pickle.loads(own)}
    program: dspy.Module = kind.__new__(kind)
    program.__setstate__({name: values[name] for name in names})  # in their order: optimizers go by it
    return program
