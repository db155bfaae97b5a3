"""Imports what is used when it is first used: parts of a room, and the maker of a notebook's pages."""

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

Value = TypeVar("Value")


def lazily(
    package: str, others: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's `__getattr__`, `__dir__` and `__all__`, by which each name is imported at its first use.

    They are written once, as the imports of the `__init__.pyi` beside its `__init__.py`, where type checkers and
    editors see them too.

    Args:
        package: The package's own `__name__`.
        others: Names that the stub takes over with a star, with spaces between them, by the module below the package
            that has them.
    """
    with open(f"{sys.modules[package].__path__[0]}/__init__.pyi", encoding="utf-8") as stub:
        imports = [line.split() for line in stub if " as " in line]  # from .HOME import NAME as NAME
    homes = {words[3]: words[1].removeprefix(".") for words in imports}
    home_of = homes | {name: home for home, names in (others or {}).items() for name in names.split()}

    def first_use(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        setattr(sys.modules[package], name, value)  # the next time it is not looked for
        return value

    def listing() -> list[str]:
        return sorted({*vars(sys.modules[package]), *home_of})

    return first_use, listing, sorted(home_of)


class Lazy(Mapping[str, Value]):
    """A mapping of names to values, each imported when it is looked up."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        """Keep the places of the values, by name, each as MODULE:NAME in the package."""
        self._package, self._places = package, places

    def __getitem__(self, name: str) -> Value:
        home, _, own = self._places[name].partition(":")
        value: Value = getattr(import_module(f"{self._package}.{home}"), own)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {place}' for name, place in self._places.items())}}}"


MAKER = "multihop.view.notebooks"
"""The module that makes the pages. It looks into all rooms below it, so that none of them can import it."""


class ShownInNotebooks:
    """Gives a class the method by which Jupyter, VS Code and the like ask for HTML."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Static HTML with its styles in it, everything escaped."""
        return str(import_module(MAKER).as_html(self))


def search_class() -> Any:
    """`multihop.view.drawn_search.DrawnSearch`, imported when a search is asked for."""
    return import_module(MAKER).DrawnSearch


def in_notebook() -> bool:
    """True if this process may be a notebook's."""
    return "ipykernel" in sys.modules
