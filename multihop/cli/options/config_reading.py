"""Options from a file: `--config run.toml` gives a command what its command line leaves out."""

import os
import types
import typing
from collections.abc import Mapping
from datetime import date, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError, read_small, unknown
from ...base.plain import as_json

if TYPE_CHECKING:
    from cyclopts import App, Argument, ArgumentCollection

TABLES = ("field", "lm-set", "set", "step-lm")
"""Options that are written name=value on the command line, and as a table in a file."""
_KINDS = {
    bool: ((bool,), "true or false", "true"),
    int: ((int,), "a whole number", "100"),
    float: ((int, float), "a number", "0.5"),
    list: ((list,), "a list of texts", '["..."]'),
}
"""Of each kind of option the values a file may give it, in words, and an example; all other options are texts."""


def apply_config(app: "App", commands: tuple[str, ...], arguments: "ArgumentCollection") -> None:
    """Fill in the options of a command from the file that `--config` names; it is one of cyclopts' sources.

    Raises:
        InputError: The file cannot be used; the message names it, the place, and what would be right.
    """
    options = {option_name(argument): argument for argument in arguments if not argument.children}
    config = options.pop("config", None)
    if config is None or not config.tokens:
        return
    path = Path(config.tokens[-1].value)
    for name, value in _read_toml(path).items():
        if name not in options:
            raise InputError(f"{path}: {unknown('option', name, options)}")
        _fill_in(options[name], name, texts_of(name, _kind(options[name]), value, path), path)


def option_name(argument: "Argument") -> str:
    """The name of an option in a file: that of the command line without its dashes."""
    return argument.name.lstrip("-").lower()


def texts_of(name: str, kind: Any, value: Any, path: Path) -> list[str]:
    """A value of the file as the command line has it: one text, or several where the option can be repeated."""
    if name in TABLES:
        if not isinstance(value, Mapping):
            raise _refusal(path, name, "a table", "{ NAME = VALUE }", value)
        for key, each in value.items():
            if isinstance(each, date | time):
                raise InputError(f"{path}: {name} has no dates and times, write {key} as a text.")
        return [f"{key}={_text(each)}" for key, each in value.items()]
    accepted, words, example = _KINDS.get(kind, ((str,), "a text", '"..."'))
    fits = isinstance(value, accepted) and (kind is bool or not isinstance(value, bool))
    if not fits or (kind is list and not all(isinstance(each, str) for each in value)):
        raise _refusal(path, name, words, example, value)
    return [_at_home(_text(each)) for each in (value if kind is list else [value])]


def _read_toml(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(read_small(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None


def _kind(argument: "Argument") -> Any:
    """The type of an option's values: bool, int, float, list, or one that is written as a text."""
    hint = argument.hint
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(each for each in typing.get_args(hint) if each is not type(None))
    return typing.get_origin(hint) or hint


def _fill_in(argument: "Argument", name: str, texts: list[str], path: Path) -> None:
    """Give the option its values, but for what the command line says: of a table, its entries one by one."""
    from cyclopts import Token

    given = [token.value for token in argument.tokens]
    if name in TABLES:
        texts = [text for text in texts if _entry(text) not in map(_entry, given)]
    elif given:
        return
    for place, text in enumerate(texts, len(given)):
        argument.append(Token(keyword=name, value=text, source=str(path), index=place))


def _entry(pair: str) -> str:
    return pair.partition("=")[0].strip().replace("-", "_")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)


def _at_home(text: str) -> str:
    return os.path.expanduser(text) if text.startswith("~/") else text


def _refusal(path: Path, name: str, words: str, example: str, value: Any) -> InputError:
    return InputError(f"{path}: {name} is {words}, such as {name} = {example}, not {as_json(value):.60}.")
