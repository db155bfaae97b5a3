"""Values that a notebook shows as pages: a mixin that finds the page's maker only when one is asked for."""

import sys
from importlib import import_module
from typing import Any

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
