import io

import pytest
from rich.console import Console

from multihop.cli.output import print_table

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


def test_columns_that_do_not_fit_come_below_with_the_names_of_the_rows():
    text = printed(80, HEADS, 2 * [["tor", *FIGURES]])
    assert [line.split() for line in text.splitlines() if line.split()[:1] == ["program"]] == [
        ["program", "em", "f1", "recall@5", "judged", "calls", "tokens"],
        ["program", "usd", "errors"],
    ]
    assert sum(line.split()[:1] == ["tor"] for line in text.splitlines()) == 4


def test_a_long_name_is_continued_below():
    text = printed(40, ["program", "em"], 5 * [["a program that has a name of many words", "41.2±2.7"]])
    assert text.count("41.2±2.7") == 5
    assert max(map(len, text.splitlines())) <= 40
    assert " ".join(text.split()).count("a program that") == 5


def test_narrow_names_leave_their_room_to_wide_ones():
    text = printed(60, ["set", "what is shown there", "em"], [["q", "words " * 6, "41.2±2.7"]] * 5, left=2)
    assert "words words words words words words" in text
