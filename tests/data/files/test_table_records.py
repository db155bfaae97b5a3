import csv

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.data.files.record_file import read_records


def fields(path, **options):
    return [dict(record.fields) for record in read_records(path, **options)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'id,text\n1,"Emma, a novel"\n'),
        ("a.csv", 'id;text\n1;"Emma, a novel"\n'),
        ("a.csv", "id\ttext\n1\tEmma, a novel\n"),
        ("a.csv", '\ufeff id , text \r\n1,"Emma, a novel"\r\n'),
        ("a.txt", 'id,text\n1,"Emma, a novel"\n'),
        ("a.tsv", "id\ttext\n\n1\tEmma, a novel\n"),
    ],
)
def test_tables(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8", newline="")
    assert fields(tmp_path / name) == [{"id": "1", "text": "Emma, a novel"}]


def test_a_name_that_the_header_has_twice(tmp_path):
    (tmp_path / "a.csv").write_text("id,text,text\n1,a,b\n")
    with pytest.raises(InputError, match=r"a\.csv, line 1: the header names 'text' twice"):
        fields(tmp_path / "a.csv")


def test_bad_rows_are_left_out_with_their_lines(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'id,text\n1,"two\nlines"\nbroken\n3,bro\xffken\n4,"Emma" by Jane\n5,fine\n')
    bad = []
    assert fields(path, on_bad=bad.append) == [{"id": "1", "text": "two\nlines"}, {"id": "5", "text": "fine"}]
    places = [str(error).removeprefix(str(path)).partition(":")[0] for error in bad]
    assert places == [", line 4", ", line 5", ", line 6"]


def test_an_open_quote_that_swallows_lines_is_never_left_out(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('id,text\n1,"open\n2,fine\n3,fine\n')
    with pytest.raises(InputError, match="double the quotes inside"):
        fields(path, on_bad=lambda error: None)


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=20).filter(str.strip)


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_what_is_written_is_read(tmp_path_factory, rows, sign):
    path = tmp_path_factory.getbasetemp() / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=sign, lineterminator="\n").writerows([("id", "text"), *rows])
    assert [tuple(row.values()) for row in fields(path)] == rows
