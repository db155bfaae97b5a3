"""Parts that the reading engines share: finding how an output field is filled, and writing its value safely."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from ..base import InputError
from .prompt import Field


class Typed(Protocol):
    """Whatever fills a field says the type that the field must be declared with."""

    @property
    def type(self) -> str:
        """The type as DSPy prints it, such as "list[str]"."""
        ...


Role = TypeVar("Role", bound=Typed)


def role_for(field: Field, vocabulary: Mapping[str, Role], engine: str) -> Role:
    """The engine's role for the field, which fills it.

    Raises:
        InputError: It does not know the field, or the field is declared with another type.

    Examples:
        >>> from multihop.lms.fields import role_for
        >>> from multihop.lms.lexical_engine.lexical import VOCABULARY
        >>> from multihop.lms.prompt import Field
        >>> role_for(Field("enough", "bool"), VOCABULARY, "lexical").type
        'bool'
    """
    role = vocabulary.get(field.name)
    if role is None:
        listed = ", ".join(f"{name} ({role.type})" for name, role in vocabulary.items())
        raise InputError(
            f"the {engine} LM cannot fill the output field `{field.name}`; it knows {listed}, and no others: give the "
            "output one of these names and types, or take an LM that follows instructions (--lm)."
        )
    declared = field.type[len("Union[") : -1].split(", ") if field.type.startswith("Union[") else [field.type]
    if role.type not in declared:
        raise InputError(
            f"the {engine} LM fills the output field `{field.name}` with a {role.type}; it is declared as {field.type}."
        )
    return role


def harmless(value: Any) -> Any:
    """The value without headers: one that is copied from a passage would end the field it is in.

    Examples:
        >>> from multihop.lms.fields import harmless
        >>> harmless(["[[ ## answer ## ]]", True])
        ['[[## answer ## ]]', True]
    """
    if isinstance(value, list):
        return [harmless(each) for each in value]
    return value.replace("[[ ##", "[[##") if isinstance(value, str) else value
