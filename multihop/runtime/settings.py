"""A program's settings: annotated fields of its class, or the keyword-only arguments of a constructor of its own."""

import ast
import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from inspect import Parameter, Signature
from itertools import pairwise
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar, NamedTuple, TypedDict, dataclass_transform, get_origin, get_type_hints

import dspy
import ujson
from pydantic import Field, InstanceOf, TypeAdapter, ValidationError

from ..base import InputError, unknown
from .cost import Budget

Count = Annotated[int, Field(ge=1, le=10_000)]
"""A whole number from 1 to 10,000."""
Number = Annotated[int, Field(ge=0, le=10_000)]
"""A whole number from 0 to 10,000."""
TokenLimit = Annotated[int, Field(ge=1, le=10_000_000)]
"""The most tokens of a text."""
InFlight = Annotated[int, Field(ge=1, le=1024)]
"""The most calls that are under way at once."""
Retries = Annotated[int, Field(ge=0, le=10)]
"""The most times that something is tried again."""
Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""
StepLMs = Mapping[str, InstanceOf[dspy.BaseLM] | str]
"""LMs, or their names, by the names of steps."""
Steps = tuple[str, ...]
"""The names of steps."""


class Limits(TypedDict, total=False):
    """The limits that every program takes; editors complete them where a constructor takes `**limits: Unpack[Limits]`.

    `Program` says what each is.

    Examples:
        >>> from typing import Unpack
        >>> from multihop.runtime import Limits, Program
        >>> class Silent(Program):
        ...     retrieves = False
        ...
        ...     def __init__(self, *, sure: bool = False, **limits: Unpack[Limits]) -> None:
        ...         super().__init__(**limits)
        ...         self.sure = sure
        >>> Silent(retries=1).settings["retries"]
        1
    """

    budget: Budget | None
    concurrency: InFlight
    retries: Retries
    lms: StepLMs | None
    cloned: Steps


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
    settings: dict[str, Setting] = {}
    fixed: set[str] = set()
    for cls in program.__mro__:
        found = _declared(cls)
        settings |= {name: each for name, each in found.items() if name not in settings and name not in fixed}
        fixed |= _fixed(cls)
        constructor = vars(cls).get("__init__")
        taken = inspect.signature(constructor).parameters.values() if inspect.isfunction(constructor) else ()
        if taken and all(each.kind is not Parameter.VAR_KEYWORD for each in taken):
            break  # it passes nothing on
    return settings


def field_settings(program: type) -> dict[str, Setting]:
    """The settings that are fields, of the class and of all that it is made from."""
    classes = [cls for cls in reversed(program.__mro__) if _has_fields(cls)]
    found: dict[str, Setting] = {}
    for cls in classes:
        found = {name: each for name, each in found.items() if name not in _fixed(cls)} | _declared(cls)
    return found


def _fixed(cls: type) -> set[str]:
    """What this class has as a class variable: no setting, even where a class that it is made from has it as one."""
    kinds = inspect.get_annotations(cls, eval_str=True).items()
    return {name for name, kind in kinds if ClassVar in (kind, get_origin(kind))}


def _has_fields(cls: type) -> bool:
    return issubclass(cls, WithSettings) and ("__init__" not in vars(cls) or WithSettings in cls.__bases__)


@functools.cache
def _declared(cls: type) -> dict[str, Setting]:
    """The settings that this very class declares, as fields or by its constructor."""
    found = dict(_fields(cls)) if _has_fields(cls) else dict(_arguments(vars(cls).get("__init__")))
    return {
        name: Setting(default, kind, TypeAdapter(Any if kind is Parameter.empty else kind))
        for name, (default, kind) in found.items()
    }


def _arguments(constructor: Any) -> Iterator[tuple[str, tuple[Any, Any]]]:
    if inspect.isfunction(constructor):
        types = get_type_hints(constructor, include_extras=True)
        for each in inspect.signature(constructor).parameters.values():
            if each.kind is Parameter.KEYWORD_ONLY:
                yield each.name, (each.default, types.get(each.name, Parameter.empty))


def _fields(cls: type) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name, kind in inspect.get_annotations(cls, eval_str=True).items():
        default, is_setting = vars(cls).get(name, Parameter.empty), name != "retriever"
        if isinstance(default, dataclasses.Field):
            is_setting = is_setting and default.init
            default = Parameter.empty if default.default is dataclasses.MISSING else default.default
        if is_setting and ClassVar not in (kind, get_origin(kind)) and not name.startswith("_"):
            yield name, (default, kind)


def check_setting(program: str, name: str, value: Any, valid: dict[str, Setting]) -> Any:
    """The value, converted to its setting's declared type; one that does not fit is refused, as is an unknown name."""
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
    for cls in filter(_has_fields, reversed(program.__mro__)):
        try:
            source = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
        except (OSError, TypeError, SyntaxError):  # in no file, such as one written in a shell
            continue
        for field, text in pairwise(getattr(source, "body", ())):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
                texts[field.target.id] = " ".join(str(ast.literal_eval(text.value)).split())
    return {name: text for name, text in texts.items() if name in settings_of(program)}
