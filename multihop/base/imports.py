"""Names imported at their first use: what a package exports, and the programs, metrics and retrievers given by name."""

import re
import sys
from collections import UserDict
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import InputError, unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_REFERENCE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def lazily(
    package: str, others: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """A package's `__getattr__`, `__dir__` and `__all__`, by which each name is imported at its first use.

    The names are written once, as the imports of the `__init__.pyi` beside its `__init__.py`, where type checkers and
    editors see them too. `others` gives, by its module, the names that the stub takes over with a star.
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


class LazyModule:
    """A module that is imported when something of it is first used, such as `np = LazyModule("numpy")`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # who only looks at it, such as doctest, imports nothing
            raise AttributeError(name)
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)  # the next time it is not looked for
        return value


if TYPE_CHECKING:
    import dspy
    import httpx
    import numpy as np
    import tokenizers
    from dspy import lm15
    from numpy.typing import NDArray
else:
    dspy, lm15, httpx, np = map(LazyModule, ("dspy", "dspy.lm15", "httpx", "numpy"))
    tokenizers = LazyModule("tokenizers")
    NDArray = None  # named in quotes alone


class Lazy(UserDict[str, Any]):
    """Values by their names, each imported when it is looked up; they are given as MODULE:NAME in the package."""

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        super().__init__(places)
        self._package = package

    def __getitem__(self, name: str) -> Any:
        home, _, own = self.data[name].partition(":")
        return getattr(import_module(f"{self._package}.{home}"), own)


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


class Kind(NamedTuple):
    """One kind of thing that has names."""

    what: str
    """In a word: "program", "metric"."""
    group: str
    """The entry points under which installed packages offer theirs."""
    own: str
    """The form in which a value from other code is named: "MODULE:CLASS"."""


def find_by_name(kind: Kind, name: str, ours: Mapping[str, Any], hints: Iterable[str] = ()) -> Any:
    """The value of a name: one of ours, MODULE:NAME, or an installed package's; `hints` are told where it is none."""
    if name in ours:
        return ours[name]
    if is_reference(name):
        return import_reference(kind, name)
    points = installed_points(kind)
    if name not in points:
        raise InputError(f"{unknown(kind.what, name, [*ours, *hints, *points])}, or {kind.own} of your own")
    return load_entry_point(kind, points[name])


def is_reference(name: str) -> bool:
    """True if this is written MODULE:NAME."""
    return _REFERENCE.fullmatch(name) is not None


def may_be_imported(reference: str, allowed: Iterable[str]) -> bool:
    """True if MODULE:NAME, which a file names, is of one of these modules; no file alone makes anything be imported."""
    module = reference.partition(":")[0]
    named = is_reference(reference) and module != "__main__"
    return named and any(module == each or module.startswith(f"{each}.") for each in allowed)


def import_reference(kind: Kind, reference: str) -> Any:
    """Import a module, and return its value of a name, both written as MODULE:NAME."""
    module, _, name = reference.partition(":")
    try:
        value: Any = import_module(module)
    except Exception as error:
        raise _unusable(kind, reference, error) from error
    for part in name.split("."):
        if not hasattr(value, part):
            inside = vars(value) if hasattr(value, "__dict__") else {}  # what it imports itself is not its own
            own = [each for each, held in inside.items() if str(getattr(held, "__module__", "")).startswith(module)]
            raise unknown(f"{kind.what} in module {module}:", name, [each for each in own if each[0] != "_"])
        value = getattr(value, part)
    return value


def installed_points(kind: Kind) -> "dict[str, EntryPoint]":
    """The entry points of installed packages, by name; none of them is imported."""
    from importlib.metadata import entry_points  # slow to import, and few names are of installed packages

    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=kind.group):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise InputError(
                f"two installed packages offer a {kind.what} '{point.name}': {package_of(other)} ({other.value}) and "
                f"{package_of(point)} ({point.value}); uninstall one of them."
            )
    return points


def load_entry_point(kind: Kind, point: "EntryPoint") -> Any:
    """Import the value that an installed package offers there."""
    try:
        return point.load()
    except Exception as error:
        raise _unusable(kind, f"{point.name}' of the package '{package_of(point)}", error) from error


def package_of(point: "EntryPoint") -> str:
    """The name of the package that offers it."""
    return point.dist.name if point.dist is not None else point.value


def kebab_case(name: str) -> str:
    """A class's name in lower case, with hyphens between its words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", "-", name)
    return words.strip("-").lower()


def _unusable(kind: Kind, name: str, error: Exception) -> InputError:
    cause = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
    return InputError(f"the {kind.what} '{name}' cannot be imported: {cause}.")
