"""A docstring as Markdown: its sections as lists, its examples as blocks, the names of classes as links."""

import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any

SECTION = re.compile(r"(Args|Returns|Raises|Yields|Attributes|Examples|Example):")
CODE = re.compile(r"^```.*?^```|`+[^`\n]+`+", flags=re.M | re.S)


def text(value: Any) -> str:
    """The docstring of a value."""
    own = value.__dict__.get("__doc__") if inspect.isclass(value) else value.__doc__
    lines = inspect.cleandoc(own or "").replace("<", "&lt;").splitlines()
    shown, block = [], []
    for line in [*lines, ""]:
        if block and (not line.strip() or not line.startswith(" ")):
            shown += _fenced(block)
            block = []
        if line.strip().startswith(">>>") or block:
            block.append(line.replace("&lt;", "<"))
        elif section := SECTION.fullmatch(line):
            shown += ["", f"**{section[1]}**", ""]
        elif argument := re.fullmatch(r" {4}(\*{0,2}\w[\w, *]*): (.*)", line):
            shown.append(f"- `{argument[1]}`: {argument[2]}")
        else:
            shown.append(f"  {line.strip()}" if line.startswith("     ") else line.strip())
    return CODE.sub(lambda found: found[0].replace("&lt;", "<"), "\n".join(shown).strip())


def first_sentence(value: Any) -> str:
    """The first line of the docstring, for a table."""
    return " ".join(text(value).partition("\n\n")[0].split()).replace("|", "\\|")


def linked(page: str, addresses: Mapping[str, str]) -> str:
    """The page with links where a name of the reference stands as code, outside of blocks, headings and other links."""

    def link(found: re.Match[str]) -> str:
        name = found[0].strip("`")
        return f"[{found[0]}]({addresses[name]})" if name in addresses else found[0]

    lines = re.split(r"(^```.*?^```|^#[^\n]*$|\[[^]]*\]\([^)]*\))", page, flags=re.M | re.S)
    return "".join(part if place % 2 else re.sub(r"(?<!`)`\w+`(?!`)", link, part) for place, part in enumerate(lines))


def _fenced(block: list[str]) -> list[str]:
    """An example as a block of its own."""
    return ["", "```pycon", *textwrap.dedent("\n".join(block)).splitlines(), "```", ""]
