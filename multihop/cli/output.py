"""The output of a command: lines that can be copied, JSON, and tables in which no cell is ever cut."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ujson
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..base.terminal import Terminal
from ..base.texts import plain_value, visible_json

APART = 3
"""Columns of the terminal between two of a table."""
NARROWEST = 12
"""Columns of the terminal that a row's name has at least, before it is continued below."""


def print_line(text: str, console: Console | None = None, *, style: str = "") -> None:
    """Print a line letter by letter as it is, with no line break in the middle: what it names can be copied."""
    (console or Terminal()).print(text, style=style, soft_wrap=True, highlight=False, markup=False)


def print_note(text: str, console: Console, *, style: str = "dim") -> None:
    """Print an aside, or a caveat in another style, letter by letter as it is and wrapped between words."""
    console.print(text, style=style, highlight=False, markup=False)


def tell_result(as_json: bool, value: Callable[[], Any], show: Callable[[Console], object]) -> None:
    """Print what a command came to: its value as indented JSON, paths as texts, or what `show` draws."""
    if as_json:
        text = ujson.dumps(plain_value(value()), ensure_ascii=False, escape_forward_slashes=False, indent=2)
        write_json(f"{text}\n")
    else:
        show(Terminal())


def write_json(text: str) -> None:
    """Write what is JSON already, with nothing in it that commands a terminal."""
    sys.stdout.write(visible_json(text))


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], console: Console, *, left: int = 1) -> None:
    """Print a table; where it is too wide, its last columns come in a table below, with the names of the rows."""
    widths = [max(map(_width, column)) for column in zip(heads, *rows, strict=True)]
    taken = sum(_name_widths(widths, left, console.width)) + APART * left - 1
    blocks: list[list[int]] = [[]]
    room = console.width - taken
    for place in range(left, len(heads)):
        if widths[place] + APART > room and blocks[-1]:
            blocks.append([])
            room = console.width - taken
        blocks[-1].append(place)
        room -= widths[place] + APART
    for block in blocks:
        of_block = [*widths[:left], *(widths[place] for place in block)]
        names = _name_widths(of_block, left, console.width)
        table = Table(box=SIMPLE, pad_edge=False)
        for place in range(left):
            table.add_column(heads[place], overflow="fold", max_width=names[place])
        for place in block:
            table.add_column(heads[place], justify="right", no_wrap=True, overflow="fold")
        for row in rows:
            table.add_row(*row[:left], *(row[place] for place in block))
        console.print(table)


def _width(cell: str) -> int:
    return max((Text.from_markup(line).cell_len for line in cell.split("\n")), default=0)


def _name_widths(widths: Sequence[int], left: int, width: int) -> list[int]:
    """The widths of columns of names so that all figures fit beside them, or at least the widest one."""
    if sum(widths) + APART * len(widths) - 1 <= width:
        return list(widths[:left])
    figures = [each + APART for each in widths[left:]]
    room = max(width + 1 - sum(figures), min(width // 2, width + 1 - max(figures, default=0))) - APART * left
    names = list(widths[:left])
    for rank, place in enumerate(sorted(range(left), key=widths.__getitem__)):  # the narrow ones need no more
        names[place] = min(widths[place], max(NARROWEST, room // (left - rank)))
        room -= names[place]
    return names


def grid(columns: int) -> Table:
    """An empty table without lines, whose columns but the last are as wide as what is in them."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(columns - 1):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def facts_table(facts: Mapping[str, str | None]) -> Table:
    """Facts, each beside its name; empty ones are left out."""
    table = grid(2)
    for name, text in facts.items():
        if text:
            table.add_row(Text(name, style="dim"), Text(text))
    return table


def show_count(value: int | None) -> str:
    """A count as a cell; a dash where it is unknown."""
    return "–" if value is None else f"{value:,}"
