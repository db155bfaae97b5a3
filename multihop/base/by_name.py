"""Finds a value by its name: one of ours, one of an installed package, or MODULE:NAME in code of one's own."""

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from .errors import InputError, unknown

_REFERENCE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


class Kind(NamedTuple):
    """One kind of thing that has names."""

    what: str
    """In a word: "program", "metric"."""
    group: str
    """The entry points under which installed packages offer theirs."""
    own: str
    """The form of one's own: "MODULE:CLASS"."""


def find_by_name(kind: Kind, name: str, ours: Mapping[str, Any], hints: Iterable[str] = ()) -> Any:
    """Find the value of a name; ours come first, then what is installed.

    Args:
        kind: The kind of thing that is looked for.
        name: Its name.
        ours: The library's own, by name.
        hints: Further names to tell to whoever got one wrong.

    Raises:
        InputError: It stands for nothing, or for what cannot be imported; the message says which.
    """
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


def import_reference(kind: Kind, reference: str) -> Any:
    """Import a module, and return its value of a name, both written as MODULE:NAME.

    Raises:
        InputError: There is no such module, it fails, or it holds no such name.
    """
    module, _, name = reference.partition(":")
    try:
        value: Any = import_module(module)
    except Exception as error:
        raise _unusable(kind, reference, error) from error
    for part in name.split("."):
        if not hasattr(value, part):
            public = [each for each in vars(value) if not each.startswith("_")] if hasattr(value, "__dict__") else []
            raise unknown(f"{kind.what} in module {module}:", name, public)
        value = getattr(value, part)
    return value


def installed_points(kind: Kind) -> dict[str, EntryPoint]:
    """The entry points of installed packages, by name; none of them is imported.

    Raises:
        InputError: Two packages offer something under the same name.
    """
    points: dict[str, EntryPoint] = {}
    for point in entry_points(group=kind.group):
        other = points.setdefault(point.name, point)
        if other.value != point.value:
            raise InputError(
                f"two installed packages offer a {kind.what} '{point.name}': {package_of(other)} ({other.value}) and "
                f"{package_of(point)} ({point.value}); uninstall one of them."
            )
    return points


def load_entry_point(kind: Kind, point: EntryPoint) -> Any:
    """Import the value that an installed package offers there.

    Raises:
        InputError: It cannot be imported.
    """
    try:
        return point.load()
    except Exception as error:
        raise _unusable(kind, f"{point.name}' of the package '{package_of(point)}", error) from error


def package_of(point: EntryPoint) -> str:
    """The name of the package that offers it."""
    return point.dist.name if point.dist is not None else point.value


def kebab_case(name: str) -> str:
    """A class's name as names are written here."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", "-", name)
    return words.strip("-").lower()


def _unusable(kind: Kind, name: str, error: Exception) -> InputError:
    cause = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
    return InputError(f"the {kind.what} '{name}' cannot be imported: {cause}.")
