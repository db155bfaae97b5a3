"""The reference: a page of plain Markdown for each package that exports names, made from signatures and docstrings.

`docs/make_site.py` puts the pages into the site.
"""

import inspect
import pkgutil
import re
import textwrap
from importlib import import_module
from typing import Any

import multihop

LONGEST = 100
"""A signature that is longer stands on several lines."""


def packages() -> list[str]:
    """The packages that export names."""
    rooms = [each.name for each in pkgutil.walk_packages(multihop.__path__, "multihop.") if each.ispkg]
    return [name for name in ("multihop", *rooms) if hasattr(import_module(name), "__all__")]


def reference() -> dict[str, str]:
    """The text of each page, by the package's name."""
    return {name: page(name) for name in packages()}


def page(package: str) -> str:
    """A package's page: what it is for, and each public name with its text."""
    module = import_module(package)
    parts = [f"# {package}", text(module)]
    for name in sorted(module.__all__, key=str.lower):
        parts += entry(name, getattr(module, name), "##")
    return "\n\n".join(part for part in parts if part) + "\n"


def entry(name: str, value: Any, level: str) -> list[str]:
    """The parts of a page that tell of one name."""
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        kind = brief(str(value)) if hasattr(value, "__metadata__") else type(value).__name__
        return [f"{level} {name}", text(value) if inspect.ismodule(value) else f"`{kind}`"]
    parts = [f"{level} {name}", signature(name, value), text(value) or fields(value)]
    if inspect.isclass(value) and level == "##":
        for inner, member in vars(value).items():
            function = getattr(member, "__func__", member)
            if inspect.isfunction(function) and not inner.startswith("_") and inspect.getdoc(function):
                parts += entry(inner, getattr(value, inner), "###")
    return parts


def fields(value: Any) -> str:
    """The fields of a record that says nothing else of itself."""
    annotations = getattr(value, "__annotations__", {})
    return "\n".join(f"- `{name}`: `{brief(inspect.formatannotation(kind))}`" for name, kind in annotations.items())


def signature(name: str, value: Any) -> str:
    """The signature of a value, as a block of Python; nothing where Python cannot tell."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    said = brief(str(found))
    if len(name + said) > LONGEST:
        arguments = (brief(str(each)) for each in found.parameters.values())
        ends = said.rpartition(") -> ")[2] if ") -> " in said else ""
        said = "(\n    " + ",\n    ".join(arguments) + ",\n)" + (f" -> {ends}" if ends else "")
    return f"```python\n{name}{said}\n```"


def brief(annotation: str) -> str:
    """Without the modules that types come from, and without the checks that go with a type.

    >>> brief("folder: os.PathLike[str] | multihop.retrieval.passage.Passage")
    'folder: PathLike[str] | Passage'
    >>> brief("calls: Optional[Annotated[int, FieldInfo(metadata=[Ge(ge=0)])]] = None")
    'calls: Optional[int] = None'
    >>> brief("**options: *<class 'multihop.evaluation.repeats.RunOptions'>")
    '**options: Unpack[RunOptions]'
    >>> brief("builders: Opens = <class 'multihop.retrieval.sharded.building.Builders'>")
    'builders: Opens = Builders'
    """
    bare = re.sub(r"\b(multihop|collections|typing|dspy|os|pathlib)(\.\w+)*\.(?=\w)", "", unchecked(annotation))
    bare = re.sub(r"= <class '(\w+)'>", r"= \1", bare)
    return re.sub(r"\*<class '(\w+)'>", r"Unpack[\1]", bare)


def unchecked(annotation: str) -> str:
    """The annotation with `Annotated[X, ...]` as X alone."""
    before, found, rest = annotation.rpartition("Annotated[")  # the last one holds no other
    if not found:
        return annotation
    depth, comma = 0, None
    for place, sign in enumerate(rest):
        depth += (sign in "[(") - (sign in "])")
        if sign == "," and depth == 0 and comma is None:
            comma = place
        if depth < 0:
            return unchecked(before.removesuffix("typing.") + rest[:comma] + rest[place + 1 :])
    return annotation


def text(value: Any) -> str:
    """A docstring as Markdown: its sections as lists, its examples as blocks."""
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    lines = inspect.cleandoc(own or "").replace("<", "&lt;").splitlines()
    shown, block = [], []
    for line in [*lines, ""]:
        if block and (not line.strip() or not line.startswith(" ")):
            shown += fenced(block)
            block = []
        if line.strip().startswith(">>>") or block:
            block.append(line.replace("&lt;", "<"))
        elif section := re.fullmatch(r"(Args|Returns|Raises|Yields|Attributes|Examples|Example):", line):
            shown += ["", f"**{section[1]}**", ""]
        elif argument := re.fullmatch(r" {4}(\*{0,2}\w[\w, *]*): (.*)", line):
            shown.append(f"- `{argument[1]}`: {argument[2]}")
        else:
            shown.append(f"  {line.strip()}" if line.startswith("     ") else line.strip())
    return "\n".join(shown).strip()


def fenced(block: list[str]) -> list[str]:
    """An example as a block of its own."""
    return ["", "```pycon", *textwrap.dedent("\n".join(block)).splitlines(), "```", ""]
