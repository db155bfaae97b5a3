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


@pytest.mark.parametrize(
    ("width", "heads"),
    [
        (160, [HEADS]),
        (80, [["program", "em", "f1", "recall@5", "judged", "calls", "tokens"], ["program", "usd", "errors"]]),
        (40, [["program", *HEADS[1:3]], ["program", *HEADS[3:5]], ["program", *HEADS[5:8]], ["program", "errors"]]),
    ],
)
def test_columns_that_do_not_fit_come_below_with_the_names_of_the_rows_and_no_cell_is_cut(width, heads):
    text = printed(width, HEADS, 2 * [["tor", *FIGURES]])
    lines = [line.split() for line in text.splitlines()]
    assert [line for line in lines if line[:1] == ["program"]] == heads
    assert sum(line[:1] == ["tor"] for line in lines) == 2 * len(heads)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    assert [figure for figure in FIGURES if text.count(figure) < 2] == []


def test_a_long_name_is_continued_below():
    text = printed(40, ["program", "em"], 5 * [["a program that has a name of many words", "41.2±2.7"]])
    assert text.count("41.2±2.7") == 5
    assert max(map(len, text.splitlines())) <= 40
    assert " ".join(text.split()).count("a program that") == 5


def test_narrow_names_leave_their_room_to_wide_ones():
    text = printed(60, ["set", "what is shown there", "em"], [["q", "words " * 6, "41.2±2.7"]] * 5, left=2)
    assert "words words words words words words" in text
