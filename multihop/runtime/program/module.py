"""DSPy's module, with the types that DSPy does not ship."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class Module:
        """DSPy's module for type checkers: DSPy ships no types, and of an unknown base they take any argument."""

        async def acall(self, *, question: str) -> Any:
            """The prediction for a question."""

        def __call__(self, *, question: str) -> Any:
            """The same, for synchronous callers."""

        def __getattr__(self, name: str) -> Any:
            """Whatever else DSPy's module has, and the steps."""
else:
    from dspy import Module

__all__ = ["Module"]
