"""Functions that take what another one takes, without its signature and its docstring written twice."""

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Taken = ParamSpec("Taken")
Given = TypeVar("Given")


def takes_arguments_of(other: Callable[Taken, object]) -> Callable[[Callable[..., Given]], Callable[Taken, Given]]:
    """Gives a function the signature of another one, and what the other's docstring says of arguments and errors.

    Type checkers and editors see the signature too.
    """

    def taking(function: Callable[..., Given]) -> Callable[Taken, Given]:
        about, own = (inspect.getdoc(each) or "" for each in (other, function))  # without indents, in any Python
        section = about[about.find("Args:\n") :].partition("Examples:\n")[0] if "Args:\n" in about else ""
        head, title, example = own.partition("Examples:\n")
        function.__doc__ = "\n\n".join(part.strip("\n") for part in (head, section, title + example) if part)
        returned = inspect.signature(function).return_annotation
        function.__signature__ = inspect.signature(other).replace(return_annotation=returned)  # type: ignore[attr-defined]
        return function

    return taking
