"""Keeps secrets in: recognises names that hold a key, and cuts keys out of addresses and of whatever is told."""

import os
import re
from collections.abc import Mapping
from typing import Any
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
    """The same for those among the parameters of an LM or a client: by their names, in headers too."""
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
