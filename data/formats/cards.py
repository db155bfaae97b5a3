"""The makers of the known question sets, as cards.toml lists them."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple


class SetCard(NamedTuple):
    """The makers, the licence and the address of a question set.

    Examples:
        >>> from multihop.data import CARDS
        >>> CARDS["musique"].licence
        'CC BY 4.0'
    """

    name: str
    """The short name this library uses, such as "hotpotqa"."""
    title: str
    """The set's own name."""
    licence: str
    """The licence its makers give the data."""
    citation: str
    """The publication to cite."""
    homepage: str
    """The address of the makers' description."""
    hub: str
    """A copy on the hub, as NAME[/CONFIG]:SPLIT."""


def _read_cards() -> dict[str, SetCard]:
    table = tomllib.loads(files(__package__).joinpath("cards.toml").read_text(encoding="utf-8"))
    return {name: SetCard(name, **entry) for name, entry in table.items()}


CARDS: dict[str, SetCard] = _read_cards()
"""The known question sets by name."""
