"""Options from a file: `--config run.toml` gives a command what its command line leaves out."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import InputError, read_small, unknown
from ...base.texts import as_json

if TYPE_CHECKING:
    from cyclopts import App, Argument, ArgumentCollection

TABLES = ("field", "lm-set", "set", "step-lm")
"""Options that are written name=value on the command line, and as a table in a file."""


def apply_config(app: "App", commands: tuple[str, ...], arguments: "ArgumentCollection") -> None:
    """Fill in the options of a command from the file that `--config` names; it is one of cyclopts' sources.

    Raises:
        InputError: The file cannot be used; the message names it, the place, and what would be right.
    """
    options = {argument.name.lstrip("-").lower(): argument for argument in arguments if not argument.children}
    config = options.pop("config", None)
    if config is None or not config.tokens:
        return
    path = Path(config.tokens[-1].value)
    for name, value in _read_toml(path).items():
        if name not in options:
            raise InputError(f"{path}: {unknown('option', name, options)}")
        if isinstance(value, Mapping) != (name in TABLES):
            form = "a table, such as { NAME = VALUE }" if name in TABLES else "no table"
            raise InputError(f"{path}: {name} is {form}, not {as_json(value):.60}.")
        _fill_in(options[name], name, value, path)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_small(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None


def _fill_in(argument: "Argument", name: str, value: Any, path: Path) -> None:
    """Give the option its values, but for what the command line says: of a table, its entries one by one."""
    from cyclopts import Token

    given = [token.value for token in argument.tokens]
    if isinstance(value, Mapping):
        pairs = [f"{key}={_text(each)}" for key, each in value.items()]
        texts = [pair for pair in pairs if _entry(pair) not in map(_entry, given)]
    elif given:
        return
    else:
        texts = [_text(each) for each in (value if isinstance(value, list) else [value])]
    for place, text in enumerate(texts, len(given)):
        argument.append(Token(keyword=name, value=text, source=str(path), index=place))


def _entry(pair: str) -> str:
    return pair.partition("=")[0].strip().replace("-", "_")


def _text(value: Any) -> str:
    """A value as the command line has it; whether it fits the option, cyclopts says as for any other."""
    return as_json(value) if isinstance(value, bool | int | float | list | dict) else str(value)
