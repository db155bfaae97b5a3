"""A program's settings: the keyword-only arguments of its constructor, checked wherever they come from."""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, get_type_hints

import ujson
from pydantic import Field, TypeAdapter, ValidationError

from ..errors import InputError, unknown

Count = Annotated[int, Field(ge=1)]
"""A whole number from 1 on."""


class Setting(NamedTuple):
    """One setting of a program."""

    default: Any
    check: TypeAdapter[Any]
    """Converts and validates a value, also one written as text."""


def settings_of(program: type) -> dict[str, Setting]:
    """A program's settings by name, its own first, then those every program has.

    Examples:
        >>> from multihop.programs import OneStep
        >>> from multihop.programs.settings import settings_of
        >>> settings_of(OneStep)["k"].default
        5
    """
    found: dict[str, Setting] = {}
    for cls in program.__mro__:
        constructor = vars(cls).get("__init__")
        if inspect.isfunction(constructor):
            for name, setting in _declared(inspect.unwrap(constructor)).items():
                found.setdefault(name, setting)
    return found


@functools.cache
def _declared(constructor: Callable[..., None]) -> dict[str, Setting]:
    hints = get_type_hints(constructor, include_extras=True)
    return {
        name: Setting(parameter.default, TypeAdapter(hints[name]))
        for name, parameter in inspect.signature(constructor).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def checking_settings(constructor: Callable[..., None]) -> Callable[..., None]:
    """The constructor, with every setting converted to its declared type or refused in one sentence."""

    @functools.wraps(constructor)
    def checked(self: Any, *args: Any, **given: Any) -> None:
        valid = settings_of(type(self))
        positional = {
            name
            for name, parameter in inspect.signature(constructor).parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        }
        for name in given.keys() - positional:
            given[name] = check_setting(type(self).__name__, name, given[name], valid)
        constructor(self, *args, **given)
        if type(self).__init__ is checked:  # all of them have run
            self.check_lms()

    return checked


def check_setting(program: str, name: str, value: Any, valid: dict[str, Setting]) -> Any:
    """The value, converted to the setting's declared type.

    Raises:
        InputError: The program has no such setting, or the value does not fit it.
    """
    if name not in valid:
        raise unknown(f"setting of {program}", name, valid)
    try:
        return valid[name].check.validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]
        if problem["type"] == "tuple_type":  # one item where several may stand
            return check_setting(program, name, [value], valid)
        raise InputError(f"setting '{name}' of {program} cannot be {value!r}: {problem['msg']}.") from None


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """Settings written as `name=value`; values are JSON, comma-separated lists, or plain words.

    Examples:
        >>> from multihop.programs.settings import parse_settings
        >>> parse_settings(["k=8", "widths=5,3,3", "expansion=mpc"])
        {'k': 8, 'widths': [5, 3, 3], 'expansion': 'mpc'}
    """
    parsed = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise InputError(f"a setting is written name=value, not '{pair}'.")
        parsed[name.strip().replace("-", "_")] = _value(value.strip())
    return parsed


def _value(text: str) -> Any:
    try:
        return ujson.loads(text)
    except ValueError:
        return [_value(part.strip()) for part in text.split(",")] if "," in text else text
