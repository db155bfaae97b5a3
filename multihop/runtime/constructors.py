"""A program's constructor spelled out: every setting, also those it passes on, for editors, notebooks and `help`."""

import ast
import functools
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from inspect import Parameter, Signature
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import get_type_hints

from .settings import WithSettings, declaring_classes, own_parameters, passes_on

_ARGS = re.compile(r"^Args:\n(?P<args>(?: {4}.*\n?)+)", re.MULTILINE)
_ARG = re.compile(r"^ {4}(?P<name>\w+): (?P<text>.*(?:\n {5,}.*)*)", re.MULTILINE)

_BY_POSITION = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


class SpelledOut:
    """The class attribute `__signature__`, which spells the constructor out; an instance has none."""

    def __get__(self, instance: object, owner: type) -> Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        return full_signature(owner)


def full_signature(program: type) -> Signature:
    """The signature of a program's class: its own settings, then those of the classes that it is made from.

    Types are those that one reads, without what checks the value.
    """
    found: dict[str, Parameter] = {}
    by_position = True
    for cls in declaring_classes(program):
        for each in own_parameters(cls):
            if each.name == "retriever" and WithSettings in cls.__bases__ and not getattr(program, "retrieves", True):
                continue  # every class inherits it, and this one has no use for it
            if each.kind is Parameter.KEYWORD_ONLY or (each.kind in _BY_POSITION and by_position):
                found.setdefault(each.name, each)
        by_position = by_position and passes_on(cls, Parameter.VAR_POSITIONAL)
    types = {name: each.annotation for name, each in found.items() if each.annotation is not Parameter.empty}
    shown = get_type_hints(SimpleNamespace(__annotations__=types))
    parameters = (each.replace(annotation=shown.get(name, Parameter.empty)) for name, each in found.items())
    return Signature(sorted(parameters, key=lambda parameter: parameter.kind))


def full_docstring(program: type) -> str:
    """The docstring of a program's class, with every argument of its constructor and its default."""
    text = inspect.cleandoc(vars(program).get("__doc__") or f"{program.__name__}, a program.")
    texts = argument_texts(program)
    lines = []
    for name, parameter in full_signature(program).parameters.items():
        about = texts.get(name, "").rstrip(".")
        if parameter.default is not Parameter.empty:
            about = f"{about}; by default {parameter.default!r}".removeprefix("; ")
        line = f"{name}: {about}." if about else name
        lines.append(textwrap.fill(line, 112, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join([text, "", "Args:", *(textwrap.indent(line, "    ") for line in lines)])


def argument_texts(program: type) -> dict[str, str]:
    """The text of each setting, as it stands under its field or in the docstring of the constructor that takes it."""
    texts: dict[str, str] = {}
    for cls in declaring_classes(program):
        texts = {**_texts_in_constructor(cls), **_texts_under_fields(cls), **texts}
    return texts


def _texts_in_constructor(cls: type) -> dict[str, str]:
    """The text of each argument in the docstring of the class's own constructor, each on one line."""
    constructor = vars(cls).get("__init__")
    section = _ARGS.search(inspect.cleandoc(getattr(constructor, "__doc__", None) or "") + "\n")
    matches = _ARG.finditer(section["args"] if section else "")
    return {each["name"]: " ".join(each["text"].split()) for each in matches}


def _texts_under_fields(cls: type) -> dict[str, str]:
    """The text under each field of the class, each on one line; none where its source is in no file."""
    fields = {each.name for each in own_parameters(cls)} if issubclass(cls, WithSettings) else ()
    file = getattr(sys.modules.get(cls.__module__), "__file__", None) if fields else None
    texts = _texts_in_file(file).get(cls.__qualname__, {}) if file else {}
    return {name: text for name, text in texts.items() if name in fields}


@functools.cache
def _texts_in_file(file: str) -> dict[str, dict[str, str]]:
    """The text under each annotated name of each class in a Python file, by the class's qualified name."""
    try:
        module = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return {}
    return {
        name: {
            field.target.id: " ".join(text.value.value.split())
            for field, text in pairwise(definition.body)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant) and isinstance(text.value.value, str)
        }
        for name, definition in _classes_in(module.body)
    }


def _classes_in(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield within + statement.name, statement
            yield from _classes_in(statement.body, f"{within}{statement.name}.")
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _classes_in(statement.body, f"{within}{statement.name}.<locals>.")
