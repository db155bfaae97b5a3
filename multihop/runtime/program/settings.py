"""A program's settings: annotated fields of its class, or the keyword-only arguments of a constructor of its own.

They are checked wherever they come from.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, NamedTuple, dataclass_transform, get_origin, get_type_hints

import ujson
from pydantic import Field, TypeAdapter, ValidationError

from ...base import InputError, unknown

Count = Annotated[int, Field(ge=1)]
"""A whole number from 1 on."""
Number = Annotated[int, Field(ge=0)]
"""A whole number from 0 on."""
Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""


@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
class WithSettings:
    """The base of classes whose annotated fields are settings: type checkers and editors know their constructors."""


class Setting(NamedTuple):
    """One setting of a program."""

    default: Any
    check: TypeAdapter[Any]
    """Converts and validates a value, also one written as text."""


def settings_of(program: type) -> dict[str, Setting]:
    """A program's settings by name, its own first, then those every program has.

    Examples:
        >>> from multihop.programs import OneStep
        >>> from multihop.runtime import settings_of
        >>> settings_of(OneStep)["k"].default
        5
    """
    return _settings(program, passed_on=True)


def _settings(program: type, *, passed_on: bool) -> dict[str, Setting]:
    """The same; or, where it does not matter what the constructors pass on, what any class declares."""
    settings: dict[str, Setting] = {}
    for cls in program.__mro__:
        constructor = vars(cls).get("__init__")
        original = inspect.unwrap(constructor) if inspect.isfunction(constructor) else None
        for name, setting in {**(_declared_settings(original) if original else {}), **field_settings(cls)}.items():
            settings.setdefault(name, setting)
        if passed_on and original and not _passes_on(original):
            break
    return settings


def settings_as_fields(program: type) -> dict[str, Setting]:
    """The settings that are fields, by name: of the class and of all that it is made from."""
    return {name: each for cls in reversed(program.__mro__) for name, each in field_settings(cls).items()}


@functools.cache
def field_settings(cls: type) -> dict[str, Setting]:
    """The settings that are fields of this very class; the retriever is none."""
    return {
        name: Setting(field_default(cls, name), TypeAdapter(kind))
        for name, kind in field_annotations(cls).items()
        if name != "retriever"
    }


def field_annotations(cls: type) -> dict[str, Any]:
    """The annotations of the class's fields, the retriever's among them."""
    if not issubclass(cls, WithSettings) or cls is WithSettings:
        return {}
    if "__init__" in vars(cls) and WithSettings not in cls.__bases__:  # what it says is said by its constructor
        return {}
    return {
        name: kind
        for name, kind in inspect.get_annotations(cls, eval_str=True).items()
        if ClassVar not in (kind, get_origin(kind)) and not name.startswith("_")
    }


def is_argument(cls: type, name: str) -> bool:
    """True if the constructor takes the field."""
    default = vars(cls).get(name)
    return not isinstance(default, dataclasses.Field) or default.init


def field_default(cls: type, name: str) -> Any:
    """The default of a field; `inspect.Parameter.empty` where it has none."""
    default = vars(cls).get(name, inspect.Parameter.empty)
    if not isinstance(default, dataclasses.Field):
        return default
    return inspect.Parameter.empty if default.default is dataclasses.MISSING else default.default


@functools.cache
def _declared_settings(constructor: Callable[..., None]) -> dict[str, Setting]:
    hints = get_type_hints(constructor, include_extras=True)
    return {
        name: Setting(parameter.default, TypeAdapter(hints.get(name, Any)))
        for name, parameter in inspect.signature(constructor).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }


def _passes_on(constructor: Callable[..., None]) -> bool:
    """True if it takes settings that it does not name, as `**limits`: those of the class it is made from."""
    return any(each.kind is each.VAR_KEYWORD for each in inspect.signature(constructor).parameters.values())


def checking_settings(constructor: Callable[..., None]) -> Callable[..., None]:
    """The constructor, with every setting converted to its declared type or refused in one sentence."""

    @functools.wraps(constructor)
    def check_and_construct(self: Any, *args: Any, **settings: Any) -> None:
        called_first = type(self).__init__ is check_and_construct  # others are called by it, with what it likes
        valid = _settings(type(self), passed_on=called_first)
        positional = {
            name
            for name, parameter in inspect.signature(constructor).parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        }
        for name in settings.keys() - positional:
            settings[name] = check_setting(type(self).__name__, name, settings[name], valid)
        constructor(self, *args, **settings)
        if called_first:  # all of them have run
            self.check_lms()

    return check_and_construct


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
        if problem["type"] == "tuple_type":  # one item where several are allowed
            return check_setting(program, name, [value], valid)
        raise InputError(f"setting '{name}' of {program} cannot be {value!r}: {problem['msg']}.") from None


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """Settings written as `name=value`; values are JSON, comma-separated lists, or plain words.

    Examples:
        >>> from multihop.runtime import parse_settings
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
