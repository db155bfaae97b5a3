"""The base of all signatures: each remains known by its class under every change that DSPy makes to it."""

import inspect
import re
from typing import Any

import dspy
from pydantic import create_model

_MADE_FROM = "__made_from__"
_BROKEN = re.compile(r"(?<!\n)\n(?!\n|\s|[-*•] |\d+[.)] )")


class StepSignature(dspy.Signature):
    """A signature that stays known when DSPy changes it, such as by other instructions or a field for reasoning.

    DSPy makes a new class for every change, which has nothing in common with the one it came from; `origin_of` finds
    that one. Lines that only the width of the source has broken are joined in its instructions.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Join the lines of each paragraph of the docstring; of a list, each item begins a line."""
        super().__init_subclass__(**options)
        if cls.__doc__:
            cls.__doc__ = _BROKEN.sub(" ", inspect.cleandoc(cls.__doc__))

    @classmethod
    def with_instructions(cls, instructions: str) -> Any:
        """A signature with other instructions."""
        return _derive(cls, super().with_instructions(instructions))

    @classmethod
    def with_updated_fields(cls, name: str, type_: type | None = None, **changes: Any) -> Any:
        """A signature with one field described in another way."""
        return _derive(cls, super().with_updated_fields(name, type_, **changes))

    @classmethod
    def insert(cls, index: int, name: str, field: Any, type_: type | None = None) -> Any:
        """A signature with one more field; `prepend` and `append` come here too."""
        return _derive(cls, super().insert(index, name, field, type_))

    @classmethod
    def delete(cls, name: str) -> Any:
        """A signature without a field."""
        return _derive(cls, super().delete(name))

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Any:
        """The signature of a saved program."""
        return _derive(cls, super().load_state(state))


def origin_of(signature: type[dspy.Signature]) -> type[dspy.Signature]:
    """The signature class in the source from which DSPy made this one; the class itself where DSPy made nothing."""
    origin: type[dspy.Signature] = getattr(signature, _MADE_FROM, signature)
    return origin


def _derive(signature: type[dspy.Signature], changed: type[dspy.Signature]) -> Any:
    fields: dict[str, Any] = {name: (field.annotation, field) for name, field in changed.fields.items()}
    derived = create_model(changed.__name__, __base__=StepSignature, __doc__=changed.__doc__, **fields)
    derived.__doc__ = changed.__doc__  # whoever changed it meant its lines as they are
    setattr(derived, _MADE_FROM, origin_of(signature))
    return derived
