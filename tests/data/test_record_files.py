import csv
import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multihop.base import InputError
from multihop.data.record_files import read_records

ROWS = [{"id": "1", "text": "Emma is a novel."}, {"id": "2", "text": 'She said "é"\tonce.'}]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
TABLE = 'id\ttext\n1\tEmma is a novel.\n2\t"She said ""é""\tonce."\n'


def fields(path, **options):
    return [dict(record.fields) for record in read_records(path, **options)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", LINES),
        ("a.ndjson", LINES),
        ("a.json", LINES),
        ("a.json", json.dumps(ROWS)),
        ("a.json", "\n" + json.dumps(ROWS, indent=2)),
        ("a.txt", LINES),
        ("a", "\n\n" + json.dumps(ROWS)),
        ("a.tsv", TABLE),
        ("a.txt", TABLE),
        ("a.jsonl", LINES.replace("\n", "\r\n")),
        ("a.jsonl", "\ufeff" + LINES),
        ("a.tsv", "\ufeff" + TABLE),
    ],
)
def test_text_layouts(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    assert fields(path) == ROWS
    zipped = tmp_path / f"{name}.gz"
    zipped.write_bytes(gzip.compress(content.encode()))
    assert fields(zipped) == ROWS


@pytest.mark.parametrize("name", ["a.parquet", "a.bin"])
def test_parquet(tmp_path, name):
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / name
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS * 1500), path, row_group_size=700)
    records = list(read_records(path))
    assert [dict(record.fields) for record in records] == ROWS * 1500
    assert records[2999].where == f"{path}, row 3000"


def test_places(tmp_path):
    lines, array, table = tmp_path / "a.jsonl", tmp_path / "a.json", tmp_path / "a.tsv"
    lines.write_text('{"a": 1}\n\n{"a": 2}\n')
    array.write_text('[{"a": 1},\n {"a": 2}]')
    table.write_text('a\n"1\n1"\n2\n')
    assert [record.where for record in read_records(lines)] == [f"{lines}, line 1", f"{lines}, line 3"]
    assert [record.where for record in read_records(array)] == [f"{array}, item 1", f"{array}, item 2"]
    assert [record.where for record in read_records(table)] == [f"{table}, line 3", f"{table}, line 4"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.tsv"])
def test_an_empty_file_has_no_records(tmp_path, name):
    (tmp_path / name).write_text(" \n\n" if name != "a.tsv" else "\n")
    assert fields(tmp_path / name) == []


def test_records_before_a_bad_line_are_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\n{"a": 2,\n')
    records = read_records(path)
    assert next(records).fields == {"a": 1}
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: not JSON \(line 2, column 1: .*\); each line must be one"):
        next(records)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.jsonl", '{"a": 1} {"a": 2}\n', r"line 1: not JSON \(column 10: Extra data\)"),
        ("a.jsonl", '{\n "a": 1\n}\n', "line 1: not JSON"),
        ("a.jsonl", '{"a": 1}\n[1, 2]\n', "line 2: must be a JSON object"),
        ("a.jsonl", '"text"\n', "line 1: must be a JSON object"),
        ("a.jsonl", '{"a": ' + "[" * 3000 + "]" * 3000 + "}\n", r"line 1: not JSON \(.*depth"),
        ("a.json", '[{"a": 1},\n {"a": 2}', r"a\.json: not a whole JSON array \(line 2, column 10: "),
        ("a.json", '[{"a": 1}, 3]', r"a\.json, item 2: must be a JSON object"),
        ("a.tsv", "a\tb\n1\t2\n3\n", r"line 3: 1 fields, but the header names 2: a, b\."),
        ("a.tsv", 'a\tb\n1\t"open\n2\t3\n', "put a field that holds quotes"),
        ("a.tsv", 'a\tb\n1\t"Emma" by Jane\n', r"line 2: .*double the quotes inside"),
        ("a.txt", "just words\n", r"a\.txt: the content is not recognised; give JSON lines"),
        ("a.txt", "", "not recognised"),
        ("a.parquet", "PAR1 but no more", r"a\.parquet: not a whole Parquet file"),
        ("a.parquet", "", "not a whole Parquet file"),
    ],
)
def test_bad_files(tmp_path, name, content, problem):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        fields(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.tsv", "a.parquet", "a.unknown"])
def test_missing_files(tmp_path, name):
    with pytest.raises(InputError, match="does not exist"):
        fields(tmp_path / name)


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a"])
def test_folders(tmp_path, name):
    (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="is a folder"):
        fields(tmp_path / name)


def test_parquet_damaged_in_the_middle(tmp_path):
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path, compression="zstd")
    content = bytearray(path.read_bytes())
    content[8:40] = b"\xff" * 32
    path.write_bytes(bytes(content))
    with pytest.raises(InputError, match="not a whole Parquet file, or damaged after row 0"):
        fields(path)


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
