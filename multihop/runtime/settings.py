"""A program's settings: the annotated fields of its class, and of those that it is made from."""

import ast
import dataclasses
import functools
import inspect
import textwrap
from inspect import Parameter, Signature
from itertools import pairwise
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, NamedTuple, dataclass_transform, get_origin, get_type_hints

import ujson
from pydantic import Field, TypeAdapter, ValidationError

from ..base import InputError, check_known

Count = Annotated[int, Field(ge=1, le=10_000)]
"""A whole number from 1 to 10,000."""
Number = Annotated[int, Field(ge=0, le=10_000)]
"""A whole number from 0 to 10,000."""
TokenLimit = Annotated[int, Field(ge=1, le=10_000_000)]
"""The most tokens of a text."""
Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""


@dataclass_transform(kw_only_default=True, field_specifiers=(dataclasses.field,))
class WithSettings:
    """The base of classes whose annotated fields are settings: type checkers and editors know their constructors."""


class Setting(NamedTuple):
    """One setting of a program."""

    default: Any
    type: Any
    """The declared type."""
    check: TypeAdapter[Any]
    """Converts and validates a value, also one written as text."""


def settings_of(program: type) -> dict[str, Setting]:
    """A program's settings by name, its own first, then those every program has."""
    found: dict[str, Setting | None] = {}
    for cls in program.__mro__:
        if WithSettings in cls.__mro__:
            found |= {name: each for name, each in _annotated(cls).items() if name not in found}
    return {name: each for name, each in found.items() if each is not None}


@functools.cache
def _annotated(cls: type) -> dict[str, Setting | None]:
    """What this very class annotates; None for what is no setting, such as a class variable."""
    found: dict[str, Setting | None] = {}
    for name, kind in inspect.get_annotations(cls, eval_str=True).items():
        default, is_setting = vars(cls).get(name, Parameter.empty), name != "retriever" and not name.startswith("_")
        if isinstance(default, dataclasses.Field):
            is_setting = is_setting and default.init
            default = Parameter.empty if default.default is dataclasses.MISSING else default.default
        is_setting = is_setting and ClassVar not in (kind, get_origin(kind))
        found[name] = Setting(default, kind, TypeAdapter(kind)) if is_setting else None
    return found


def check_setting(program: str, name: str, value: Any, valid: dict[str, Setting]) -> Any:
    """The value, converted to its setting's declared type; one that does not fit is refused, as is an unknown name."""
    check_known(f"setting of {program}", name, valid)
    try:
        return valid[name].check.validate_python(value)
    except ValidationError as error:
        problem = error.errors()[0]
        if problem["type"] == "tuple_type":  # one item where several are allowed
            return check_setting(program, name, [value], valid)
        raise InputError(f"setting '{name}' of {program} cannot be {value!r}: {problem['msg']}.") from None


def parse_settings(pairs: list[str]) -> dict[str, Any]:
    """Settings written as `name=value`; values are JSON, comma-separated lists, or plain words."""
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


class SpelledOut:
    """The class attribute `__signature__`, by which notebooks show the settings; an instance has none."""

    def __get__(self, instance: object, owner: type) -> Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        settings = settings_of(owner)
        types = SimpleNamespace(__annotations__={name: each.type for name, each in settings.items()})
        shown = get_type_hints(types)  # without what checks the value
        parameters = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=each.default, annotation=shown[name])
            for name, each in settings.items()
        ]
        if getattr(owner, "retrieves", True):
            parameters.insert(0, Parameter("retriever", Parameter.POSITIONAL_OR_KEYWORD))
        return Signature(parameters)


def setting_texts(program: type) -> dict[str, str]:
    """The text under each field of the class and of those that it is made from, read from their source."""
    texts: dict[str, str] = {}
    for cls in (each for each in reversed(program.__mro__) if issubclass(each, WithSettings)):
        try:
            source = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
        except (OSError, TypeError, SyntaxError):  # in no file, such as one written in a shell
            continue
        for field, text in pairwise(getattr(source, "body", ())):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
                texts[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return {name: text for name, text in texts.items() if name in settings_of(program)}
