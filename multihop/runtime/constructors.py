"""A program's constructor spelled out: every setting, also those it passes on, for editors, notebooks and `help`."""

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from typing import Any, get_type_hints

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
    """The signature of a program's class: what its constructor takes itself, then what it passes on to its bases.

    Types are those that one reads, without what checks the value.
    """
    parameters = [
        parameter.replace(annotation=_hints(constructor).get(name, Parameter.empty))
        for name, (parameter, constructor) in _arguments(program).items()
    ]
    return Signature(sorted(parameters, key=lambda parameter: parameter.kind))


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
    for name, (parameter, _) in _arguments(program).items():
        about = texts.get(name, "").rstrip(".")
        if parameter.default is not Parameter.empty:
            about = f"{about}; by default {parameter.default!r}".removeprefix("; ")
        line = f"{name}: {about}." if about else name
        lines.append(textwrap.fill(line, 112, subsequent_indent="    ", break_on_hyphens=False))
    return "\n".join([text, "", "Args:", *(textwrap.indent(line, "    ") for line in lines)])


def argument_texts(program: type) -> dict[str, str]:
    """The docstrings' text for each argument of a program's constructor, also for those it passes on.

    Examples:
        >>> from multihop.programs import OneStep
        >>> from multihop.runtime.constructors import argument_texts
        >>> argument_texts(OneStep)["k"]
        'Passages to retrieve.'
    """
    texts: dict[str, str] = {}
    for constructor in _constructors(program):
        texts = {**_texts_in(constructor), **texts}
    return texts


def _arguments(program: type) -> dict[str, tuple[Parameter, Callable[..., None]]]:
    """Every argument by name, with the constructor that takes it: of several, the one nearest to the class."""
    arguments: dict[str, tuple[Parameter, Callable[..., None]]] = {}
    by_position = True
    for constructor in _constructors(program):
        parameters = list(inspect.signature(constructor).parameters.values())[1:]
        for parameter in parameters:
            if parameter.kind is Parameter.KEYWORD_ONLY or (parameter.kind in _BY_POSITION and by_position):
                arguments.setdefault(parameter.name, (parameter, constructor))
        by_position = by_position and any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters)
    return arguments


def _constructors(program: type) -> Iterator[Callable[..., None]]:
    """The constructors that a call reaches, each passing on what it does not take itself."""
    for cls in program.__mro__:
        constructor = vars(cls).get("__init__")
        if inspect.isfunction(constructor):
            own = inspect.unwrap(constructor)
            yield own
            if all(each.kind is not Parameter.VAR_KEYWORD for each in inspect.signature(own).parameters.values()):
                return


@functools.cache
def _hints(constructor: Callable[..., None]) -> dict[str, Any]:
    return get_type_hints(constructor)


def _texts_in(constructor: Callable[..., None]) -> dict[str, str]:
    """The docstring's text for each argument of a constructor, each on one line."""
    section = _ARGS.search(inspect.cleandoc(constructor.__doc__ or "") + "\n")
    matches = _ARG.finditer(section["args"] if section else "")
    return {each["name"]: " ".join(each["text"].split()) for each in matches}
