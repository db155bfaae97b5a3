"""DSPy's module, as type checkers see it.

DSPy ships no types, and of a class that is made from an unknown one type checkers take any argument.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    class Module:
        """A DSPy program."""

        async def acall(self, *, question: str) -> Any:
            """The prediction for a question."""

        def __call__(self, *, question: str) -> Any:
            """The same, for synchronous callers."""

        def __getattr__(self, name: str) -> Any:
            """Whatever else DSPy's module has, and the steps."""
else:
    from dspy import Module as Module
