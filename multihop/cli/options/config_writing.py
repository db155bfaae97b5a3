"""The options that were in force, kept in the run's folder as config.toml: a file that `--config` takes."""

import dataclasses
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ujson

from ...base import writing
from ...base.secrets import names_secret, public_address
from .config_reading import TABLES, texts_of

if TYPE_CHECKING:
    from ...evaluation.runner import Watch

CONFIG = "config.toml"
HEAD = """\
# The options of this run, but for those that are as by default. `multihop evaluate --config` with this file goes on
# with the run; with another --out besides, it makes the run anew.
"""
APART = ("config", "json", "quiet")
"""Options that say nothing of the run."""
_ADDRESS = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://\S+")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def options_in_force(command: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """A command's options by their names, but for those that are as by default.

    Args:
        command: The command.
        values: Its arguments by the names of its parameters; a group of options is a dataclass.
    """
    parameters = inspect.signature(command).parameters
    arguments = [(name, value, parameters[name].default) for name, value in values.items()]
    named = {name.rstrip("_").replace("_", "-"): both for name, *both in _one_by_one(arguments)}
    return {name: value for name, (value, default) in named.items() if value != default and name not in APART}


def as_config(options: Mapping[str, Any]) -> str:
    """The options as TOML, without keys and passwords; a comment names what is left out."""
    lines, left_out = [], []
    for name, value in options.items():
        if name in TABLES:
            pairs = dict(map(_split_pair, value))
            hidden = [key for key in pairs if name == "lm-set" and names_secret(key)]
            left_out += [f"{name} {key}" for key in hidden]
            value = {key: each for key, each in pairs.items() if key not in hidden}
        public = _without_logins(value)
        if public != value:
            left_out.append(f"the login in {name}")
        if public in ([], {}):
            continue
        try:
            lines.append(f"{name} = {_as_toml(public)}".encode().decode())
        except UnicodeEncodeError:  # a file's name that is no text: TOML has no way to write it
            left_out.append(name)
    return "".join(f"{line}\n" for line in [*lines, *(f"# left out, give it again: {each}" for each in left_out)])


def keep_config(folder: Path, options: Mapping[str, Any]) -> "Watch":
    """Something that watches a run and keeps its options in the folder, once its first row shows that the run is on.

    A run that refuses the folder, since another run is in it, leaves that one's file as it is.
    """
    kept = False

    def watch(row: Any, earlier: bool) -> None:
        nonlocal kept
        if not kept:
            kept = True
            with writing(folder / CONFIG) as file:
                file.write(HEAD + as_config(options))

    return watch


def _one_by_one(arguments: Iterable[tuple[str, Any, Any]]) -> Iterator[tuple[str, Any, Any]]:
    """Arguments, each with its name and its default, and in the place of a group of options those of the group."""
    for name, value, default in arguments:
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                yield field.name, getattr(value, field.name), field.default
        else:
            yield name, value, default


def _split_pair(pair: str) -> tuple[str, Any]:
    """The name and the value of name=value; a number, true, false and a list as such where nothing of them is lost."""
    name, _, text = (part.strip() for part in pair.partition("="))
    try:
        value = ujson.loads(text)
    except ValueError:
        return name, text
    same = isinstance(value, bool | int | float | list) and _is_plain(value)
    return name, value if same and texts_of("set", list, {name: value}, Path()) == [f"{name}={text}"] else text


def _is_plain(value: Any) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, list) else isinstance(value, str | bool | int | float)


def _without_logins(value: Any) -> Any:
    if isinstance(value, str):
        return _ADDRESS.sub(lambda address: public_address(address[0]), value)
    if isinstance(value, list):
        return [_without_logins(each) for each in value]
    return {key: _without_logins(each) for key, each in value.items()} if isinstance(value, dict) else value


def _as_toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_as_key(key)} = {_as_toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_as_toml, value))}]"
    if isinstance(value, bool | int):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else _as_text(str(value))


def _as_key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _as_text(name)


def _as_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")  # the one character JSON leaves and TOML not
