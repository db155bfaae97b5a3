"""The library's errors by their cause, and the keys that are cut out of all that is told."""

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit, urlunsplit

HIDDEN = "***"
"""Stands where a secret stood."""
_WORDS = ("key", "token", "secret", "password", "credential", "authorization")
_SHORTEST = 8
"""Characters that a key has at least: a shorter value, such as "EMPTY", may be a word of any sentence."""
_LOGIN = re.compile(r"(?<=//)[^\s/?#'\"]+@")
_SENT = re.compile(
    r"(?i)(?P<kept>\bBearer +(?=[\w.~+/-]{12})|\bAuthorization: *Basic +"
    r"|[?&][\w-]*(?:key|token|secret|password|signature)=)"
    r"(?!\*\*\*)[^\s'\"&,;)}\]]+"
)
_OF_OPENAI = re.compile(r"\bsk-[\w-]{16,}")
_given: set[str] = set()
"""The secrets that were given in code."""


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
    """The error for an unknown name: it suggests the nearest one and lists them all."""
    names = sorted(valid)
    near = get_close_matches(name, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    return InputError(f"unknown {kind} '{name}'{hint} Valid: {', '.join(names) or 'none'}")


def missing_extra(what: str, extra: str, reason: object = "") -> MissingExtraError:
    """The error for what needs an extra that is not installed."""
    because = f" ({reason})" if reason else ""
    error = MissingExtraError(f"{what} needs the extra [{extra}]{because}: pip install 'multihop[{extra}]'.")
    error.extra = extra
    return error


def missing_key(lm: str, variables: Iterable[str]) -> MissingKeyError:
    """The error for an LM without the key of its provider."""
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


def names_secret(name: str) -> bool:
    """True if a parameter of that name holds a key; a count of tokens does not."""
    name = name.lower()
    return not name.endswith("tokens") and any(word in name for word in _WORDS)


def public_address(address: str) -> str:
    """The address without a user, a password and a query, any of which may be a key."""
    try:
        parts = urlsplit(address)
    except ValueError:  # a password may hold what no address may
        return _LOGIN.sub("", address).partition("?")[0]
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def remember_secret(value: str | None) -> None:
    """Have `hide_secrets` know a secret that is in no variable of the environment."""
    if value is not None and len(value) >= _SHORTEST:
        _given.add(value)


def remember_secrets(parameters: Mapping[str, Any]) -> None:
    """Remember the secrets among the parameters of an LM or a client, told by their names, in headers too."""
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            remember_secrets(value)
        elif isinstance(value, str) and names_secret(name):
            remember_secret(value)
            remember_secret(value.rpartition(" ")[2])  # "Bearer ..."


def hide_secrets(text: str) -> str:
    """The text without any key: the environment's, those that are remembered, and what is written as one."""
    for secret in sorted(known_secrets(), key=len, reverse=True):
        for form in (secret, quote(secret, safe="")):
            if form in text:
                text = text.replace(form, HIDDEN)
    text = _SENT.sub(rf"\g<kept>{HIDDEN}", _LOGIN.sub("", text))
    return _OF_OPENAI.sub(HIDDEN, text)


def known_secrets() -> dict[str, str]:
    """Each secret, with the name of the environment's variable that holds it; empty for one that was given in code."""
    variables = {
        value: name
        for name, value in os.environ.items()
        if len(value) >= _SHORTEST and names_secret(name) and not value.startswith("/")  # a file that holds it is none
    }
    return {**dict.fromkeys(_given, ""), **variables}


def hide_in_error(error: BaseException) -> None:
    """Cut secrets out of an error's words and those of its causes, where they stand."""
    found: list[BaseException] = [error]
    for each in found:  # grows on the way
        each.args = tuple(_hidden(argument) for argument in each.args)
        for name, value in vars(each).items():
            vars(each)[name] = _hidden(value)
        found += [cause for cause in (each.__cause__, each.__context__) if cause is not None and cause not in found]


def _hidden(value: Any) -> Any:
    """The value with nothing secret in its texts; of what is no plain value, the value itself."""
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(map(_hidden, value))
    return {name: _hidden(part) for name, part in value.items()} if type(value) is dict else value
