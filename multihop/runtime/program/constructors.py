"""A program's constructor spelled out: every setting, also those it passes on, for editors, notebooks and `help`."""

import ast
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Callable
from inspect import Parameter, Signature
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

from .settings import WithSettings, field_annotations, field_default, is_argument

_ARGS = re.compile(r"^Args:\n(?P<args>(?: {4}.*\n?)+)", re.MULTILINE)
_ARG = re.compile(r"^ {4}(?P<name>\w+): (?P<text>.*(?:\n {5,}.*)*)", re.MULTILINE)

_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class SpelledOut:
    """A class attribute `__signature__` that spells the constructor out; an instance has none, it is called otherwise.

    Examples:
        >>> import inspect
        >>> from multihop.programs import Direct
        >>> list(inspect.signature(Direct).parameters)
        ['budget', 'concurrency', 'retries', 'lms']
    """

    def __get__(self, instance: object, owner: type) -> Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        return full_signature(owner)


def full_signature(program: type) -> Signature:
    """The signature of a program's class: its own settings, then those of the classes that it is made from.

    Types are those that one reads, without what checks the value.
    """
    return Signature(sorted(_arguments(program).values(), key=lambda parameter: parameter.kind))


def full_docstring(program: type) -> str:
    """The docstring of a program's class, with every argument of its constructor and its default.

    Examples:
        >>> from multihop.programs import OneStep
        >>> OneStep.__doc__.splitlines()[-7]
        '    k: Passages to retrieve; by default 5.'
    """
    text = inspect.cleandoc(vars(program).get("__doc__") or f"{program.__name__}, a program.")
    texts = argument_texts(program)
    lines = []
    for name, parameter in _arguments(program).items():
        about = texts.get(name, "").rstrip(".")
        if parameter.default is not Parameter.empty:
            about = f"{about}; by default {parameter.default!r}".removeprefix("; ")
        line = f"{name}: {about}." if about else name
        lines.append(textwrap.fill(line, 112, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join([text, "", "Args:", *(textwrap.indent(line, "    ") for line in lines)])


def argument_texts(program: type) -> dict[str, str]:
    """The text of each setting, as it stands under its field or in the docstring of the constructor that takes it.

    Examples:
        >>> from multihop.programs import OneStep
        >>> from multihop.runtime.program.constructors import argument_texts
        >>> argument_texts(OneStep)["k"]
        'Passages to retrieve.'
    """
    texts: dict[str, str] = {}
    for cls in program.__mro__:
        constructor = _constructor(cls)
        texts = {**(_texts_in(constructor) if constructor else {}), **_texts_under(cls), **texts}
        if constructor and not _takes(constructor, Parameter.VAR_KEYWORD):
            break
    return texts


def _arguments(program: type) -> dict[str, Parameter]:
    """Every argument by name: of several classes that have it, that of the one nearest to the program."""
    arguments: dict[str, Parameter] = {}
    by_position = True
    for cls in program.__mro__:
        constructor = _constructor(cls)
        for parameter in [*(_parameters(constructor) if constructor else ()), *_fields(cls)]:
            if (
                WithSettings in cls.__bases__
                and parameter.name == "retriever"
                and not getattr(program, "retrieves", True)
            ):
                continue  # every class inherits it, and this one has no use for it
            if parameter.kind is Parameter.KEYWORD_ONLY or (parameter.kind in _BY_POSITION and by_position):
                arguments.setdefault(parameter.name, parameter)
        if constructor:
            by_position = by_position and _takes(constructor, Parameter.VAR_POSITIONAL)
            if not _takes(constructor, Parameter.VAR_KEYWORD):
                break
    return arguments


def _constructor(cls: type) -> Callable[..., None] | None:
    """The constructor that the class itself has."""
    constructor = vars(cls).get("__init__")
    return inspect.unwrap(constructor) if inspect.isfunction(constructor) else None


def _takes(constructor: Callable[..., None], kind: Any) -> bool:
    return any(each.kind is kind for each in inspect.signature(constructor).parameters.values())


def _parameters(constructor: Callable[..., None]) -> list[Parameter]:
    """The parameters of the constructor, with types as one reads them."""
    hints = _hints(constructor)
    parameters = list(inspect.signature(constructor).parameters.values())[1:]
    return [each.replace(annotation=hints.get(each.name, Parameter.empty)) for each in parameters]


def _fields(cls: type) -> list[Parameter]:
    """The class's own fields as parameters."""
    kinds = get_type_hints(SimpleNamespace(__annotations__=field_annotations(cls)))
    return [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD if name == "retriever" else Parameter.KEYWORD_ONLY,
            default=field_default(cls, name),
            annotation=kind,
        )
        for name, kind in kinds.items()
        if is_argument(cls, name)
    ]


@functools.cache
def _hints(constructor: Callable[..., None]) -> dict[str, Any]:
    return get_type_hints(constructor)


def _texts_in(constructor: Callable[..., None]) -> dict[str, str]:
    """The text of each argument in a constructor's docstring, each on one line."""
    section = _ARGS.search(inspect.cleandoc(constructor.__doc__ or "") + "\n")
    matches = _ARG.finditer(section["args"] if section else "")
    return {each["name"]: " ".join(each["text"].split()) for each in matches}


def _texts_under(cls: type) -> dict[str, str]:
    """The text under each field of the class; none where its source is no file."""
    fields = field_annotations(cls)
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) if fields else None
    texts = _texts_in_file(file).get(cls.__qualname__, {}) if file else {}
    return {name: text for name, text in texts.items() if name in fields}


@functools.cache
def _texts_in_file(file: str) -> dict[str, dict[str, str]]:
    """The text under each annotated name of each class in a Python file, on one line, by the class's qualified name."""
    try:
        source = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeError):
        return {}
    found: dict[str, dict[str, str]] = {}
    _collect_texts(ast.parse(source).body, "", found)
    return found


def _collect_texts(body: list[ast.stmt], within: str, found: dict[str, dict[str, str]]) -> None:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            found[within + statement.name] = {
                field.target.id: " ".join(text.value.value.split())
                for field, text in pairwise(statement.body)
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
                if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
                if isinstance(text.value.value, str)
            }
            _collect_texts(statement.body, f"{within}{statement.name}.", found)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            _collect_texts(statement.body, f"{within}{statement.name}.<locals>.", found)
