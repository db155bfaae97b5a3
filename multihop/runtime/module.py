"""A program as a module of DSPy's: with types, copies that share what they may, and calls from synchronous code.

DSPy's `Evaluate` and every optimizer call programs synchronously, from many threads. One shared loop lets them
all use the same asynchronous code, the same connections and the same batches of queries.
"""

import copy
import pickle
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import cloudpickle
import dspy

from ..base import InputError
from ..base.concurrency import BackgroundLoop

if TYPE_CHECKING:

    class Module:
        """DSPy's module for type checkers: DSPy ships no types, and of an unknown base they take any argument."""

        async def acall(self, *, question: str) -> Any:
            """The prediction for a question."""

        def __call__(self, *, question: str) -> Any:
            """The prediction for a question, for synchronous callers."""

        def __getattr__(self, name: str) -> Any:
            """Whatever else DSPy's module has, and the steps."""
else:
    from dspy import Module as Module


_SHARED = ("retriever", "lms", "gate", "budget")
"""The parts that several programs may share, and still share when they are pickled together."""


class CopiedWhole:
    """Copies and pickles a program, its steps by cloudpickle: optimizers make signatures that are in no module."""

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


Result = TypeVar("Result")

_loop = BackgroundLoop("multihop")


def run_in_background(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The coroutine's result, computed on the shared loop in a copy of the caller's context."""
    if _loop.is_here():
        coroutine.close()
        raise InputError("a program was called synchronously inside another program; await its acall() instead.")
    return _loop.run(coroutine)
