"""The library's errors, by their cause: each says what was wrong, where, and what would be right."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

from .secrets import hide_secrets


class MultihopError(Exception):
    """Everything that multihop itself raises; what an LM's provider raises comes through as DSPy has it.

    Examples:
        >>> import multihop
        >>> try:
        ...     multihop.load("no-such-file.json")
        ... except multihop.MultihopError as error:
        ...     print(type(error).__name__, "-", error)
        InputError - no-such-file.json cannot be read: No such file or directory.
    """

    def __init__(self, *arguments: object) -> None:
        """An error whose words hold no key and no password."""
        super().__init__(*(hide_secrets(each) if isinstance(each, str) else each for each in arguments))


class InputError(MultihopError, ValueError):
    """Something the caller gave cannot be used: a file, a name, a setting, a question.

    The command line prints the message as one line and exits with code 2. The four kinds below are bad input too, so
    `except InputError` takes them all.
    """


class MismatchError(InputError):
    """Two things that were given do not go together, such as a saved program and another corpus than its own."""


class DamagedFileError(InputError):
    """A file was cut off, edited, or is not of the format that it should have."""


class MissingExtraError(InputError):
    """A package that only some need is not installed; the message says with which command it is."""

    extra: str = ""
    """The name of the extra, such as "train"."""


class MissingKeyError(InputError):
    """A provider's LM was named and its key is nowhere to be found."""

    variables: tuple[str, ...] = ()
    """The environment variables; one of them is to hold the key, or each where the provider asks for several."""


class RunFailed(MultihopError):
    """The input was fine and the work still came to nothing; the command line exits with code 1."""


_E = TypeVar("_E", bound=MultihopError)


def unknown(kind: str, name: str, valid: Iterable[str]) -> InputError:
    """The error for a name nobody knows: it suggests the nearest one and lists them all.

    Examples:
        >>> from multihop.base import unknown
        >>> print(unknown("program", "onestep", ["cot", "one-step"]))
        unknown program 'onestep'; did you mean 'one-step'? Valid: cot, one-step
    """
    names = sorted(valid)
    near = get_close_matches(name, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    return InputError(f"unknown {kind} '{name}'{hint} Valid: {', '.join(names) or 'none'}")


def missing_extra(what: str, extra: str, reason: object = "") -> MissingExtraError:
    """The error for what needs an extra that is not installed.

    Examples:
        >>> from multihop.base import missing_extra
        >>> print(missing_extra("MIPROv2", "optuna"))
        MIPROv2 needs the extra [optuna]: pip install 'multihop[optuna]'.
        >>> print(missing_extra("training", "train", "No module named 'torch'"))
        training needs the extra [train] (No module named 'torch'): pip install 'multihop[train]'.
    """
    because = f" ({reason})" if reason else ""
    error = MissingExtraError(f"{what} needs the extra [{extra}]{because}: pip install 'multihop[{extra}]'.")
    error.extra = extra
    return error


def missing_key(lm: str, variables: Iterable[str]) -> MissingKeyError:
    """The error for an LM without the key of its provider.

    Examples:
        >>> from multihop.base import missing_key
        >>> print(missing_key("openai/gpt-4.1-mini", ["OPENAI_API_KEY"]))
        LM 'openai/gpt-4.1-mini' needs a key: set OPENAI_API_KEY in the environment, or pass api_key=.
    """
    names = tuple(variables)
    error = MissingKeyError(f"LM '{lm}' needs a key: set {' or '.join(names)} in the environment, or pass api_key=.")
    error.variables = names
    return error


def reword(error: _E, message: str) -> _E:
    """An error of the same kind and attributes as this one, with another message."""
    other = type(error)(message)
    vars(other).update(vars(error))
    return other


def first_line(error: Exception) -> str:
    """The first line of an error of a library whose errors have many lines; the error's kind if it has none."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def without_remedies(error: Exception) -> str:
    """The words of an LM's error, without the list of remedies that DSPy lets them end with."""
    return str(error).partition("\n\n  To fix:\n")[0]
