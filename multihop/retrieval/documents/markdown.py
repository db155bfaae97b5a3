"""Markdown and plain text as sections."""

import re
from collections.abc import Iterator

from .section import Outline, Section

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"(\*\*|__|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+|\s*>\s?|\s*\|")


def read_markdown(text: str, title: str) -> list[Section]:
    r"""The sections of a Markdown document, by its headings; what is fenced is text, and front matter is left out.

    Examples:
        >>> from multihop.retrieval.documents.markdown import read_markdown
        >>> read_markdown("# Po\n\nA [river](po.html).", "po")[-1]
        Section(headings=('Po',), paragraphs=['A river.'])
    """
    outline, held = Outline(title), list[str]()

    def end() -> None:
        outline.paragraph(" ".join(held))
        held.clear()

    fence = ""
    for line in _body(text.splitlines()):
        if fence or _FENCE.match(line):
            opened = _FENCE.match(line)
            if not fence and opened:
                end()
                fence = opened[1]
            elif line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                end()
                fence = ""
            else:
                held.append(line)
        elif heading := _HEADING.match(line):
            end()
            outline.heading(len(heading[1]), _plain(heading[2] or ""))
        elif held and len(held) == 1 and (underline := _UNDERLINE.match(line)):
            text_above = held.pop()
            outline.heading(1 if underline[1][0] == "=" else 2, text_above)
        elif not line.strip():
            end()
        else:
            if item := _ITEM.match(line):
                end()
            held.append(_plain(line[item.end() :] if item else line))
    end()
    return outline.sections


def read_text(text: str, title: str) -> list[Section]:
    """Plain text as one section, its paragraphs parted by empty lines."""
    outline = Outline(title)
    for paragraph in re.split(r"\n\s*\n", text):
        outline.paragraph(paragraph)
    return outline.sections


def _body(lines: list[str]) -> Iterator[str]:
    """The lines after the front matter, if there is one."""
    if lines and lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:]):
        yield from lines[2 + [line.strip() for line in lines[1:]].index("---") :]
    else:
        yield from lines


def _plain(text: str) -> str:
    return _MARKS.sub("", _LINK.sub(r"\1", text))
