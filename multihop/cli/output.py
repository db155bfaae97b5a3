"""What a command writes: lines that can be copied, JSON, and tables in which no cell is ever cut."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import ujson
from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..base.texts import visible_json

if TYPE_CHECKING:
    from rich.console import Console


def print_line(text: str, console: "Console | None" = None, *, style: str = "") -> None:
    """Print a line letter by letter as it is, with no line break in the middle: what it names can be copied."""
    if console is None:
        from ..base.terminal import Terminal

        console = Terminal()
    console.print(text, style=style, soft_wrap=True, highlight=False, markup=False)


def tell_written(paths: Sequence[Path], *, json: bool) -> None:
    """Tell which files a command has written: in a sentence, or as JSON."""
    if json:
        print_json({"wrote": paths})
        return
    names = [*map(str, paths)]
    print_line(f"wrote {' and '.join([', '.join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]}")


def print_json(value: Any) -> None:
    """Print the value as indented JSON, with every character as it is; paths are written as texts."""
    text = ujson.dumps(value, ensure_ascii=False, escape_forward_slashes=False, indent=2, default=str)
    write_json(f"{text}\n")


def write_json(text: str) -> None:
    """Write what is JSON already, with nothing in it that commands a terminal."""
    sys.stdout.write(visible_json(text))


ANSWER = "green"
"""The answer, where it stands in a passage, and what the search accepted or chose."""
PASSAGE = "cyan"
"""A passage, by its title."""
STEP = "magenta"
"""A step of the program, by its name."""
GOES_ON = "yellow"
"""A search that goes on from here, or ended too early; an answer that was withheld."""
REJECTED = "red"
"""A passage or path that was rejected, or a failure."""
ASIDE = "dim"
"""Asides that may be skipped: figures, labels, branches that were not followed."""
BEARS = "underline"
"""The sentence that bears the answer, or a conclusion on the way to it."""


APART = 3
"""Columns of the terminal between two of a table."""
MOST_TURNED = 4
"""Rows of a table that may be turned: of more, a turned table is hard to read along."""
LONGEST_WORD = 24
"""Columns of the terminal that a word of a head may take before it is continued below."""
NARROWEST = 12
"""Columns of the terminal that a row's name has at least, before it is continued below."""
UNKNOWN = "–"
"""The cell of a number that nobody knows."""


class TablePart(NamedTuple):
    """A table, or the part of one that fits beside the names of its rows."""

    heads: list[str]
    """The columns' heads, as markup."""
    rows: list[list[str]]
    """The cells, as markup."""
    left: int
    """The number of columns that say what a row is; all others are figures."""


def print_table(heads: Sequence[str], rows: Sequence[Sequence[str]], console: Console, *, left: int = 1) -> None:
    """Print a table, in parts where it is too wide.

    Args:
        heads: The columns' heads, the most important column first, as rich's markup.
        rows: The cells, likewise.
        console: Where it is printed.
        left: How many columns say what a row is.
    """
    for block in fit_table(TablePart([*heads], [[*row] for row in rows], left), console.width):
        console.print(_drawn(block, console.width))


def fit_table(table: TablePart, width: int) -> list[TablePart]:
    """The table itself where it fits, else turned, else in parts."""
    if _width(table) <= width or not table.rows:
        return [table]
    if table.left == 1 and len(table.rows) <= MOST_TURNED:
        turned = _turn(table)
        for each in (turned, _with_short_heads(turned)):
            if _width(each) <= width:
                return [each]
    names = range(table.left)
    taken = sum(width + APART for width in _name_widths(table, width))
    parts: list[list[int]] = [[]]
    room = width + 1 - taken
    for place in range(table.left, len(table.heads)):
        needed = _column_width(table, place) + APART
        if needed > room and parts[-1]:
            parts.append([])
            room = width + 1 - taken
        parts[-1].append(place)
        room -= needed
    return [_take(table, [*names, *part]) for part in parts]


def facts_table(facts: Mapping[str, str]) -> Table:
    """Names, each with its text beside it; those without a text are left out."""
    table = grid(2)
    for name, text in facts.items():
        if text:
            table.add_row(Text(name, style="dim"), Text(text))
    return table


def grid(columns: int) -> Table:
    """An empty table without lines, whose columns but the last are as wide as what is in them."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for _ in range(columns - 1):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def shorten_middle(text: str, width: int) -> str:
    """The text, without its middle where it is longer than that, so that both ends show."""
    end = max(1, (width - 1) // 3)
    return text if len(text) <= width else f"{text[: max(1, width - 1 - end)]}…{text[-end:]}"


def _turn(table: TablePart) -> TablePart:
    """The table with its rows as columns."""
    columns = [[row[place] for row in table.rows] for place in range(len(table.heads))]
    rows = [[head, *cells] for head, cells in zip(table.heads[1:], columns[1:], strict=True)]
    return TablePart(["", *columns[0]], rows, 1)


def _with_short_heads(table: TablePart) -> TablePart:
    """The table with its heads in several lines, none wider than what is below, as far as their words allow."""
    heads = []
    for place, head in enumerate(table.heads):
        below = max(Text.from_markup(row[place]).cell_len for row in table.rows)
        text = Text.from_markup(head)
        words = max((cell_len(word) for word in text.plain.split()), default=0)
        heads.append(Text("\n").join(text.wrap(Console(), max(below, min(words, LONGEST_WORD)))).markup)
    return table._replace(heads=heads)


def _take(table: TablePart, places: Sequence[int]) -> TablePart:
    rows = [[row[place] for place in places] for row in table.rows]
    return TablePart([table.heads[place] for place in places], rows, table.left)


def _name_widths(table: TablePart, width: int) -> list[int]:
    """The widths that columns of names may have, so that all figures fit beside them, or at least the widest one."""
    figures = [_column_width(table, place) + APART for place in range(table.left, len(table.heads))]
    room = max(width + 1 - sum(figures), min(width // 2, width + 1 - max(figures, default=0))) - APART * table.left
    natural = [_column_width(table, place) for place in range(table.left)]
    widths = list(natural)
    for rank, place in enumerate(sorted(range(table.left), key=natural.__getitem__)):  # the narrow ones need no more
        share = max(NARROWEST, room // (table.left - rank))
        widths[place] = min(natural[place], share)
        room -= widths[place]
    return widths


def _width(table: TablePart) -> int:
    """The width in which it is drawn: a blank at both ends."""
    return sum(_column_width(table, place) + APART for place in range(len(table.heads))) - 1


def _column_width(table: TablePart, place: int) -> int:
    cells = (line for text in (table.heads[place], *(row[place] for row in table.rows)) for line in text.split("\n"))
    return max(Text.from_markup(line).cell_len for line in cells)


def _drawn(block: TablePart, width: int) -> Table:
    table = Table(*block.heads, box=SIMPLE, pad_edge=False)
    fits, names = _width(block) <= width, _name_widths(block, width)
    for place, column in enumerate(table.columns):
        is_name = place < block.left
        column.justify = "left" if is_name else "right"
        column.no_wrap = fits or not is_name
        column.overflow = "fold"
        if is_name and not fits:
            column.max_width = names[place]
    for row in block.rows:
        table.add_row(*row)
    return table


def show_count(value: int | None) -> str:
    """A count as a cell."""
    return UNKNOWN if value is None else f"{value:,}"
