"""A program's settings: annotated fields of its class, or the keyword-only arguments of a constructor of its own.

They are checked wherever they come from.
"""

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import Parameter
from typing import Annotated, Any, ClassVar, NamedTuple, TypedDict, dataclass_transform, get_origin, get_type_hints

import dspy
import ujson
from pydantic import Field, InstanceOf, TypeAdapter, ValidationError

from ..base import InputError, unknown
from .budget import Budget

Count = Annotated[int, Field(ge=1)]
"""A whole number from 1 on."""
Number = Annotated[int, Field(ge=0)]
"""A whole number from 0 on."""
Share = Annotated[float, Field(ge=0, le=1)]
"""A number from 0 to 1."""
StepLMs = Mapping[str, InstanceOf[dspy.BaseLM] | str]
"""LMs, or their names, by the names of steps."""
Steps = tuple[str, ...]
"""The names of steps."""


class Limits(TypedDict, total=False):
    """The limits that every program takes; editors complete them where a constructor takes `**limits: Unpack[Limits]`.

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
    """The most that one question may cost; the search then stops and the program reads what it has."""
    concurrency: Count
    """LM calls in flight at most, over all questions this program is answering."""
    retries: Number
    """The number of times that an unparseable completion is asked for again."""
    lms: StepLMs | None
    """The LM of a step, or its name, by the step's name, such as `{"read": "openai/gpt-4.1"}`; all other steps take the
    LM that DSPy is configured with."""
    cloned: Steps
    """The steps whose LM was fine-tuned on them (`multihop clone`); compiling leaves their prompts as they are."""


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
    return _settings(declaring_classes(program))


def field_defaults(program: type) -> dict[str, Any]:
    """The defaults of the settings that are fields, of the class and of all that it is made from."""
    classes = [cls for cls in reversed(program.__mro__) if "__init__" not in vars(cls) or WithSettings in cls.__bases__]
    return {name: setting.default for cls in classes for name, setting in _own_settings(cls).items()}


def declaring_classes(program: type) -> Iterator[type]:
    """The classes that declare a program's settings: from its own up to one whose constructor passes none on."""
    for cls in program.__mro__:
        yield cls
        if not passes_on(cls, Parameter.VAR_KEYWORD):
            return


def passes_on(cls: type, kind: Any) -> bool:
    """True if the class has no constructor of its own, or one that takes arguments of that kind, as `**limits`."""
    constructor = vars(cls).get("__init__")
    return not inspect.isfunction(constructor) or any(each.kind is kind for each in _parameters(constructor))


def own_parameters(cls: type) -> list[Parameter]:
    """The parameters that this very class declares, by its constructor or as fields, with their whole types."""
    constructor = vars(cls).get("__init__")
    has_fields = issubclass(cls, WithSettings) and (constructor is None or WithSettings in cls.__bases__)
    return [
        *(_parameters(constructor) if inspect.isfunction(constructor) else ()),
        *(_fields(cls) if has_fields else ()),
    ]


@functools.cache
def _parameters(constructor: Callable[..., None]) -> list[Parameter]:
    original = inspect.unwrap(constructor)
    hints = get_type_hints(original, include_extras=True)
    parameters = list(inspect.signature(original).parameters.values())[1:]
    return [each.replace(annotation=hints.get(each.name, Parameter.empty)) for each in parameters]


def _fields(cls: type) -> Iterator[Parameter]:
    for name, annotation in inspect.get_annotations(cls, eval_str=True).items():
        default, as_argument = vars(cls).get(name, Parameter.empty), True
        if isinstance(default, dataclasses.Field):
            as_argument = default.init
            default = Parameter.empty if default.default is dataclasses.MISSING else default.default
        if as_argument and ClassVar not in (annotation, get_origin(annotation)) and not name.startswith("_"):
            kind = Parameter.POSITIONAL_OR_KEYWORD if name == "retriever" else Parameter.KEYWORD_ONLY
            yield Parameter(name, kind, default=default, annotation=annotation)


def _settings(classes: Iterable[type]) -> dict[str, Setting]:
    """The settings that the classes declare; of several with one name, the first."""
    settings: dict[str, Setting] = {}
    for cls in classes:
        for name, setting in _own_settings(cls).items():
            settings.setdefault(name, setting)
    return settings


@functools.cache
def _own_settings(cls: type) -> dict[str, Setting]:
    return {
        each.name: Setting(each.default, TypeAdapter(Any if each.annotation is Parameter.empty else each.annotation))
        for each in own_parameters(cls)
        if each.kind is Parameter.KEYWORD_ONLY
    }


def checking_settings(constructor: Callable[..., None]) -> Callable[..., None]:
    """The constructor, with every setting converted to its declared type or refused in one sentence."""
    parameters = inspect.signature(constructor).parameters.values()
    positional = {each.name for each in parameters if each.kind is Parameter.POSITIONAL_OR_KEYWORD}

    @functools.wraps(constructor)
    def check_and_construct(self: Any, *args: Any, **settings: Any) -> None:
        kind = type(self)
        called_first = kind.__init__ is check_and_construct  # others are called by it, with what it likes
        valid = _settings(declaring_classes(kind) if called_first else kind.__mro__)
        for name in settings.keys() - positional:
            settings[name] = check_setting(kind.__name__, name, settings[name], valid)
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
