"""The world's tables: the wording of its pages and questions, in the files of `tables/`."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def read_world_table(name: str) -> dict[str, Any]:
    """The content of tables/NAME.toml, with tuples for lists.

    Examples:
        >>> from multihop.data.world.table_files import read_world_table
        >>> read_world_table("relations")["composer"]["asks"]
        ('Who composed the music of {}?', 'Who wrote the music for {}?')
    """
    text = files(__package__).joinpath("tables", f"{name}.toml").read_text(encoding="utf-8")
    return {key: _freeze(value) for key, value in tomllib.loads(text).items()}


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _freeze(inner) for key, inner in value.items()}
    return tuple(map(_freeze, value)) if isinstance(value, list) else value
