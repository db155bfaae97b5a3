"""LMs described in a TOML file, each under a name: the model, the server it is on, how it decodes. Never a key."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..base import InputError, MissingKeyError, read_small
from ..base.secrets import names_secret, public_address

_OWN = {"model": True, "api_base": False, "key_env": False}
"""The keys that are no parameters of the LM, each with True if it is needed."""


@dataclass(frozen=True, slots=True)
class DescribedLM:
    """One LM of the file."""

    model: str
    """The model, as `open_lm` takes it."""
    api_base: str | None = None
    """The address of its server, where it is one of your own."""
    key_env: str | None = None
    """The environment variable that holds its key; None for the provider's usual one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Its parameters, such as the temperature."""

    @property
    def key(self) -> str | None:
        """The key, from the environment; None where no variable is named.

        Raises:
            MissingKeyError: The variable is empty.
        """
        if self.key_env is None:
            return None
        if key := os.environ.get(self.key_env):
            return key
        error = MissingKeyError(f"LM '{self.model}' needs a key: {self.key_env} is not set in the environment.")
        error.variables = (self.key_env,)
        raise error


def read_lms(path: str | os.PathLike[str]) -> dict[str, DescribedLM]:
    r"""The LMs of a file by name.

    Each is a table: `model`, and as far as they are needed `api_base`, `key_env` (the environment variable that holds
    the key) and parameters of `dspy.LM` such as `temperature`, `max_tokens` and `timeout`.

    Raises:
        InputError: The file cannot be used, or holds a key; the message names the place.

    Examples:
        >>> import pathlib, tempfile
        >>> from multihop.lms import read_lms
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "lms.toml"
        >>> _ = path.write_text('[small]\nmodel = "openai/m"\napi_base = "http://localhost:8001/v1"\ntemperature = 0\n')
        >>> small = read_lms(path)["small"]
        >>> small.model, small.api_base, small.options
        ('openai/m', 'http://localhost:8001/v1', {'temperature': 0})
    """
    try:
        given = tomllib.loads(read_small(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not TOML: {error}.") from None
    for name, table in given.items():
        if not isinstance(table, dict):
            raise InputError(f"{path}, {name}: an LM is a table, written [{name}] with model = ... under it.")
    if not given:
        raise InputError(f"{path} describes no LM; each is a table, written [NAME] with model = ... under it.")
    return {name: _described(f"{path}, [{name}]", table) for name, table in given.items()}


def _described(place: str, table: Mapping[str, Any]) -> DescribedLM:
    for key, needed in _OWN.items():
        if needed and key not in table:
            raise InputError(f"{place}: {key} is missing.")
        if key in table and not (isinstance(table[key], str) and table[key].strip()):
            raise InputError(f"{place}, {key}: it is a text, not {table[key]!r:.60}.")
    options = {key: value for key, value in table.items() if key not in _OWN}
    _refuse_secrets(place, options)
    api_base = table.get("api_base")
    if api_base is not None and public_address(api_base) != api_base:
        raise InputError(f"{place}, api_base: write the address alone, such as {public_address(api_base)}.")
    return DescribedLM(table["model"], api_base, table.get("key_env"), options)


def _refuse_secrets(place: str, options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if names_secret(name):
            raise InputError(
                f"{place}, {name}: a key is never written into a file; "
                "put it into an environment variable and name that one with key_env."
            )
        if isinstance(value, dict):
            _refuse_secrets(f"{place}, {name}", value)
