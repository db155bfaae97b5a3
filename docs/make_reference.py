"""The reference, from signatures and docstrings: a page of each package with its names, and one of each class.

`docs/make_site.py` puts the pages into the site, and their navigation into its settings.
"""

import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import dspy
from reference_fields import fields
from reference_signatures import brief, signature
from reference_text import first_sentence, linked, text

import multihop


class Told(NamedTuple):
    """A public name, and where the reference tells of it."""

    name: str
    value: Any
    package: str
    """The package whose page, or whose folder of pages, it is told in: the one nearest to where it is defined."""

    @property
    def has_page(self) -> bool:
        """True for a class: it has a page of its own."""
        return inspect.isclass(self.value)

    @property
    def address(self) -> str:
        """Its place, seen from a page of any package."""
        return f"../{self.package}/" + (f"{self.name}.md" if self.has_page else f"index.md#{self.name.lower()}")


@cache
def packages() -> list[str]:
    """The packages that export names."""
    rooms = [each.name for each in pkgutil.walk_packages(multihop.__path__, "multihop.") if each.ispkg]
    return [name for name in ("multihop", *rooms) if hasattr(import_module(name), "__all__")]


@cache
def names(package: str) -> list[Told]:
    """The public names of a package."""
    module = import_module(package)
    every = sorted(module.__all__, key=str.lower)
    return [Told(name, getattr(module, name), _owner(package, name, getattr(module, name))) for name in every]


def _owner(package: str, name: str, value: Any) -> str:
    """Of the packages that export the value by this name, the one nearest to where it is defined, or the shortest."""
    having = [each for each in packages() if getattr(import_module(each), name, None) is value]
    having = [each for each in having if name in import_module(each).__all__] or [package]
    defined = f"{getattr(value, '__module__', '')}."
    return max(having, key=lambda each: len(each) if defined.startswith(f"{each}.") else -len(each))


def reference() -> dict[str, str]:
    """The text of each page, by its place in the folder of the reference."""
    pages: dict[str, str] = {}
    every = {package: names(package) for package in packages()}
    addresses = {each.name: each.address for told in every.values() for each in told if each.has_page}
    for package, told in every.items():
        pages[f"{package}/index.md"] = linked(package_page(package, told), addresses)
        for each in told:
            if each.has_page and each.package == package:
                others = {name: there for name, there in addresses.items() if name != each.name}
                pages[f"{package}/{each.name}.md"] = linked(class_page(each), others)
    return pages


def navigation() -> Iterator[str]:
    """The lines of the site's navigation that name these pages."""
    for package in packages():
        yield f"- {package}:"
        yield f"    - reference/{package}/index.md"
        for each in names(package):
            if each.has_page and each.package == package:
                yield f"    - {each.name}: reference/{package}/{each.name}.md"


def package_page(package: str, told: list[Told]) -> str:
    """A package's page: what it is for, a table of its names, and what is no class in full."""
    rows = [f"| [`{each.name}`]({each.address}) | {_in_a_line(each.value)} |" for each in told]
    parts = [f"# {package}", text(import_module(package)), "\n".join(["| name | what it is |", "| --- | --- |", *rows])]
    for each in told:
        if each.package == package and not each.has_page:
            parts += [f"## {each.name}", *_parts(each.name, each.value)]
    return _joined(parts)


def class_page(told: Told) -> str:
    """A class's page: a sentence, how to import and make it, the rest of its text, its fields and its methods."""
    value, said = told.value, text(told.value)
    first, _, rest = said.partition("\n\n")
    bare = issubclass(value, dspy.Signature) or issubclass(value, (dict, Exception))  # its signature would say nothing
    made = _block(f"from {told.package} import {told.name}", "" if bare else signature(told.name, value))
    parts = [f"# {told.name}", first, made, rest, _kind(value), "" if "**Args**" in said else fields(value)]
    for name, member in vars(value).items():
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith("_") and inspect.getdoc(function):
            parts += [f"## {name}", *_parts(name, member if isinstance(member, property) else getattr(value, name))]
    return _joined(parts)


def _kind(value: type) -> str:
    """The nearest public classes that it extends, each in a sentence."""
    known = [each.value for package in packages() for each in names(package)]
    above = [base for base in value.__mro__[1:] if any(base is one for one in known)]
    nearest = [base for base in above if not any(base in other.__mro__[1:] for other in above)]
    return " ".join(f"A kind of `{base.__name__}`." for base in nearest)


def _parts(name: str, value: Any) -> list[str]:
    if isinstance(value, property):
        kind = inspect.signature(value.fget).return_annotation  # type: ignore[arg-type]
        return [f"`{name}: {brief(inspect.formatannotation(kind))}`", text(value)]
    if inspect.ismodule(value):
        return [text(value)]
    return [_block(signature(name, value)), text(value)] if inspect.isroutine(value) else [f"`{_type(value)}`"]


def _block(*lines: str) -> str:
    code = "\n\n".join(line for line in lines if line)
    return f"```python\n{code}\n```" if code else ""


def _in_a_line(value: Any) -> str:
    if inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value):
        return first_sentence(value) or "a record" * inspect.isclass(value)
    return f"`{_type(value)}`".replace("|", "\\|")


def _type(value: Any) -> str:
    return brief(str(value)) if hasattr(value, "__metadata__") else type(value).__name__


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
