import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from multihop.cli.output import TablePart, fit_table, print_table, shorten_middle

HEADS = ["program", "em", "f1", "recall@5", "judged", "calls", "tokens", "usd", "errors"]
FIGURES = ["41.2±2.7", "52.0±2.5", "61.3±2.1", "100.0 (n=12)", "12.25", "~12,345", "$0.001234", "0"]


def printed(width, heads, rows, **options):
    console = Console(file=io.StringIO(), width=width)
    print_table(heads, rows, console, **options)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
@pytest.mark.parametrize("count", [1, 3, 9])
def test_no_cell_is_ever_cut(width, count):
    text = printed(width, HEADS, count * [["a program", *FIGURES]])
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    for figure in (*HEADS[1:], *FIGURES):
        assert figure in text


def test_a_table_that_fits_is_one():
    text = printed(160, HEADS, [["tor", *FIGURES]])
    assert next(line.split() for line in text.splitlines() if line.strip()) == HEADS


def test_few_rows_are_turned_and_of_many_the_columns_come_in_parts():
    table = TablePart(HEADS, 2 * [["tor", *FIGURES]], 1)
    (turned,) = fit_table(table, 80)
    assert turned.heads == ["", "tor", "tor"]
    assert turned.rows[0] == ["em", "41.2±2.7", "41.2±2.7"]
    parts = fit_table(table._replace(rows=5 * table.rows), 80)
    assert [part.heads for part in parts] == [
        ["program", "em", "f1", "recall@5", "judged", "calls", "tokens"],
        ["program", "usd", "errors"],
    ]
    assert all(row[0] == "tor" for part in parts for row in part.rows)


def test_a_long_name_is_continued_below():
    text = printed(40, ["program", "em"], 5 * [["a program that has a name of many words", "41.2±2.7"]])
    assert text.count("41.2±2.7") == 5
    assert max(map(len, text.splitlines())) <= 40
    assert " ".join(text.split()).count("a program that") == 5


def test_narrow_names_leave_their_room_to_wide_ones():
    text = printed(60, ["set", "what is shown there", "em"], [["q", "words " * 6, "41.2±2.7"]] * 5, left=2)
    assert "words words words words words words" in text


@given(st.text(min_size=1, max_size=40), st.integers(3, 40))
def test_of_a_shortened_text_both_ends_are_left(text, width):
    short = shorten_middle(text, width)
    assert len(short) <= width
    assert (short[0], short[-1]) == (text[0], text[-1])
