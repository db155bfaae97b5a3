"""LMs described in a TOML file, each under a name: the model, the server it is on, how it decodes. Never a key."""

import os
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from ..base import InputError, MissingKeyError, read_small
from ..base.errors import names_secret, public_address
from ..base.typed_files import misfit

Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]


class DescribedLM(BaseModel):
    """One LM of the file."""

    model_config = ConfigDict(extra="allow", frozen=True)

    model: Text
    """The model, as `open_lm` takes it."""
    api_base: Text | None = None
    """The address of its server, where it is one of your own."""
    key_env: Text | None = None
    """The environment variable that holds its key; None for the provider's usual one."""

    @property
    def options(self) -> dict[str, Any]:
        """The parameters of the LM's calls, such as the temperature."""
        return dict(self.model_extra or {})

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
    if not given:
        raise InputError(f"{path} describes no LM; each is a table, written [NAME] with model = ... under it.")
    return {name: _described(f"{path}, [{name}]", table) for name, table in given.items()}


def _described(place: str, table: Any) -> DescribedLM:
    try:
        described = DescribedLM.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{place}: {misfit(error)}; an LM is a table [NAME] with model = ... under it.") from None
    _refuse_secrets(place, described.options)
    if described.api_base is not None and public_address(described.api_base) != described.api_base:
        raise InputError(f"{place}, api_base: write the address alone, such as {public_address(described.api_base)}.")
    return described


def _refuse_secrets(place: str, options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        if names_secret(name):
            raise InputError(
                f"{place}, {name}: a key is never written into a file; "
                "put it into an environment variable and name that one with key_env."
            )
        if isinstance(value, dict):
            _refuse_secrets(f"{place}, {name}", value)
