"""The records of a file of every kind, packed or not, and what of a damaged one is refused or left out."""

import bz2
import csv
import gzip
import json
import random
import zipfile

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from multihop.base import DamagedFileError, InputError
from multihop.data.known_corpora import unpack
from multihop.data.record_files import read_lines, read_records

ROWS = [{"id": "1", "text": "Emma is a novel."}, {"id": "2", "text": 'She said "é"\tonce.'}]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
TABLE = 'id\ttext\n1\tEmma is a novel.\n2\t"She said ""é""\tonce."\n'


def fields(path, **options):
    return [dict(record.fields) for record in read_records(path, **options)]


def save(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", LINES),
        ("a.ndjson", LINES),
        ("a.json", LINES),
        ("a.json", json.dumps(ROWS)),
        ("a.json", "\n" + json.dumps(ROWS, indent=2)),
        ("a.json", json.dumps({"version": "1.1", "questions": ROWS}, indent=2)),
        ("a.txt", LINES),
        ("a", "\n\n" + json.dumps(ROWS)),
        ("a.tsv", TABLE),
        ("a.txt", TABLE),
        ("a.jsonl", LINES.replace("\n", "\r\n")),
        ("a.jsonl", "\ufeff" + LINES),
        ("a.tsv", "\ufeff" + TABLE),
    ],
)
def test_text_is_read_whatever_packs_it(tmp_path, name, content):
    plain = save(tmp_path / name, content).read_bytes()
    save(tmp_path / f"{name}.gz", gzip.compress(plain))
    save(tmp_path / f"{name}.bz2", bz2.compress(plain))
    save(tmp_path / f"plain-{name}", gzip.compress(plain))  # told by its first bytes
    for each in tmp_path.iterdir():
        assert fields(each) == ROWS


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
def test_a_table_s_header_says_what_divides_its_fields(tmp_path, name, content):
    assert fields(save(tmp_path / name, content)) == [{"id": "1", "text": "Emma, a novel"}]


@pytest.mark.parametrize("name", ["a.parquet", "a.bin"])
def test_parquet(tmp_path, name):
    path = tmp_path / name
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS * 150), path, row_group_size=70)
    records = list(read_records(path))
    assert [dict(record.fields) for record in records] == ROWS * 150
    assert records[299].where == f"{path}, row 300"


def test_each_record_says_where_it_stands(tmp_path):
    places = {
        "a.jsonl": ('{"a": 1}\n\n{"a": 2}\n', ["line 1", "line 3"]),
        "a.json": ('[{"a": 1},\n {"a": 2}]', ["item 1", "item 2"]),
        "b.json": ('{"data": [{"a": 1}, {"a": 2}]}', ["item 1 of 'data'", "item 2 of 'data'"]),
        "a.tsv": ('a\n"1\n1"\n2\n', ["line 3", "line 4"]),
    }
    for name, (content, wanted) in places.items():
        path = save(tmp_path / name, content)
        assert [record.where for record in read_records(path)] == [f"{path}, {place}" for place in wanted]


def test_an_object_that_may_be_a_record_is_one(tmp_path):
    path = tmp_path / "a.json"
    for value in ({"train": ROWS, "dev": ROWS}, {"data": ROWS, "questions": ROWS}, {"id": "1", "data": ROWS}):
        for indent in (None, 2):
            assert fields(save(path, json.dumps(value, indent=indent))) == [value]
    assert fields(save(path, 2 * f"{json.dumps({'data': ROWS})}\n")) == 2 * [{"data": ROWS}]


def test_only_line_feeds_end_a_line_and_a_mark_of_byte_order_is_no_content(tmp_path):
    path = save(tmp_path / "notes.txt", "\ufeffone\r\na\u2028b\x0bc\x85d\n\n\ufefftwo")
    assert list(read_lines(path)) == [(1, "one\r\n"), (2, "a\u2028b\x0bc\x85d\n"), (3, "\n"), (4, "\ufefftwo")]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.jsonl", '{"a": 1} {"a": 2}\n', r"line 1: not JSON \(column 10: Extra data\)"),
        ("a.jsonl", '{"a": 1}\n{"a": 2,\n', r"line 2: not JSON \(line 2, column 1: .*\); each line must be one"),
        ("a.jsonl", '{"a": 1}\n[1, 2]\n', "line 2: must be a JSON object"),
        ("a.jsonl", '{"a": ' + "[" * 3000 + "]" * 3000 + "}\n", r"line 1: not JSON \(.*depth"),
        ("a.jsonl", b'{"a": 1}\n{"a": "bro\xffken"}\n', r"a\.jsonl, line 2: byte 11 \(0xff\) is not UTF-8 text"),
        ("a.json", '[{"a": 1},\n {"a": 2}', r"a\.json: not a whole JSON array \(line 2, column 10: "),
        ("a.json", '[{"a": 1}, 3]', r"a\.json, item 2: must be a JSON object"),
        ("a.tsv", "a\tb\n1\t2\n3\n", r"line 3: 1 fields, but the header names 2: a, b\."),
        ("a.tsv", 'a\tb\n1\t"open\n2\t3\n', "put a field that holds quotes"),
        ("a.tsv", 'a\tb\n1\t"Emma" by Jane\n', r"line 2: .*double the quotes inside"),
        ("a.csv", "id,text,text\n1,a,b\n", r"a\.csv, line 1: the header names 'text' twice"),
        ("a.txt", "just words\n", r"a\.txt: the content is not recognised; give JSON lines"),
        ("a.txt", "", "not recognised"),
        ("a.parquet", "PAR1 but no more", r"a\.parquet: not a whole Parquet file"),
        ("a.gz", "one\n", r"a\.gz is named \.gz, but its content is not gzip"),
        ("a.bz2", "one\n", r"a\.bz2 is named \.bz2, but its content is not bzip2"),
        ("a.gz", "", "not gzip"),
    ],
)
def test_a_bad_file_is_named_with_its_place(tmp_path, name, content, problem):
    with pytest.raises(InputError, match=problem):
        fields(save(tmp_path / name, content))


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("missing.jsonl", "does not exist"),
        ("missing.parquet", "does not exist"),
        ("folder.jsonl", "is a folder; give one of the files in it"),
        ("file/inner", "cannot read"),
    ],
)
def test_what_is_no_file_is_refused(tmp_path, place, problem):
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=problem):
        fields(tmp_path / place)


@pytest.mark.parametrize(
    ("name", "content", "kept", "places"),
    [
        ("a.jsonl", b'{"a": 2,\n[3]\n{"a": "bro\xffken"}\n\n{"a": 5}\n', [{"a": 5}], ["line 1", "line 2", "line 3"]),
        ("a.json", b'{"a": 1,\n{"a": 2}\n', [{"a": 2}], ["line 1"]),
        ("a.json", b'[{"a": 1}, 3]', [{"a": 1}], ["item 2"]),
        (
            "a.csv",
            b'id,text\n1,"two\nlines"\nbroken\n3,bro\xffken\n4,"Emma" by Jane\n5,fine\n',
            [{"id": "1", "text": "two\nlines"}, {"id": "5", "text": "fine"}],
            ["line 4", "line 5", "line 6"],
        ),
        ("a.jsonl", b" \n\n", [], []),
        ("a.tsv", b"\n", [], []),
    ],
)
def test_bad_records_are_left_out_with_their_places(tmp_path, name, content, kept, places):
    path, bad = save(tmp_path / name, content), []
    assert fields(path, on_bad=bad.append) == kept
    assert [str(error).removeprefix(f"{path}, ").partition(":")[0] for error in bad] == places


def test_what_swallows_other_records_is_never_left_out(tmp_path):
    for name, content in {"a.json": '[{"a": 1}, {"a":', "a.csv": 'id,text\n1,"open\n2,fine\n3,fine\n'}.items():
        with pytest.raises(InputError, match="not a whole JSON array|double the quotes inside"):
            fields(save(tmp_path / name, content), on_bad=pytest.fail)


@pytest.mark.parametrize(("packing", "name"), [(gzip, "gzip"), (bz2, "bzip2")])
def test_packed_data_that_is_cut_or_damaged_is_told_with_the_last_good_line(tmp_path, packing, name):
    whole = packing.compress(b"".join(b"line %d of the notes\n" % number for number in range(20_000)))
    half = whole[: len(whole) // 2]
    for each in (half, half + bytes(99) + whole[len(half) + 99 :], whole[:-6] + bytes([whole[-6] ^ 0xFF]) + whole[-5:]):
        path = save(tmp_path / "notes", each)
        with pytest.raises(DamagedFileError, match=f"notes: the {name} data breaks off or is damaged after line") as it:
            list(read_lines(path))
        last = int(str(it.value).split("after line ")[1].split()[0])
        assert last > 0 or packing is bz2  # which has one block for all of it


def test_parquet_that_is_damaged_in_the_middle(tmp_path):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path, compression="zstd")
    content = path.read_bytes()
    with pytest.raises(InputError, match="not a whole Parquet file, or damaged after row 0"):
        fields(save(path, content[:8] + b"\xff" * 32 + content[40:]))


@pytest.fixture
def small_traps(monkeypatch):
    monkeypatch.setattr("multihop.data.record_files._UNNOTICED", 1 << 16)
    monkeypatch.setattr("multihop.data.record_files._PIECE", 1 << 14)


@pytest.mark.usefixtures("small_traps")
def test_what_unpacks_without_end_is_refused_early(tmp_path):
    path = tmp_path / "notes.txt"
    for line in (b"\n", b"a" * 1024):
        path.write_bytes(gzip.compress(line * ((1 << 20) // len(line))))
        read = 0
        with pytest.raises(DamagedFileError, match="notes.txt unzips to more than 100 times its size, which no text"):
            for _, text in read_lines(path):
                read += len(text)
        assert read <= 100 * path.stat().st_size + (1 << 16)
    for packing in (gzip, bz2):  # it does not hide before a text, with which the whole would be no trap
        path.write_bytes(packing.compress((b"a" * 65_535 + b"\n") * 256) + packing.compress(random.randbytes(1 << 18)))
        assert 100 * path.stat().st_size > 256 << 16
        with pytest.raises(DamagedFileError, match="unzips to more than 100 times its size"):
            list(read_lines(path))
    many = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 100_000), pyarrow.array(["a text " * 100]))
    for name, column in {"many": many, "one": pyarrow.array(["a" * (1 << 22)])}.items():
        pyarrow.parquet.write_table(pyarrow.table({"text": column}), tmp_path / f"{name}.parquet", compression="zstd")
        with pytest.raises(DamagedFileError, match=rf"{name}\.parquet unzips to more than 100 times its size"):
            fields(tmp_path / f"{name}.parquet")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", "\n" * (1 << 22))
    with pytest.raises(DamagedFileError, match=r"a\.zip unzips to more than 100 times its size"):
        list(unpack(tmp_path / "a.zip", tmp_path))
    assert not list(tmp_path.glob("*.jsonl"))


@pytest.mark.usefixtures("small_traps")
def test_text_that_is_packed_well_is_read(tmp_path):
    lines = [f"line {number} of the notes, which are much alike\n" for number in range(20_000)]
    path = save(tmp_path / "notes", gzip.compress("".join(lines).encode()))
    assert [line for _, line in read_lines(path)] == lines


def test_a_line_without_end_is_refused_and_a_long_one_is_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files.LONGEST_LINE", 100)
    monkeypatch.setattr("multihop.data.record_files._PIECE", 30)
    path = save(tmp_path / "notes.txt", "a" * 99 + "\nb\n")
    assert [line for _, line in read_lines(path)] == ["a" * 99 + "\n", "b\n"]
    with pytest.raises(DamagedFileError, match="has a line of more than 100 bytes"):
        list(read_lines(save(path, "a" * 200)))


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=20).filter(str.strip)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), st.sampled_from(",;\t"))
def test_what_a_table_is_written_with_is_read_back(tmp_path_factory, rows, sign):
    path = tmp_path_factory.getbasetemp() / "rows.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=sign, lineterminator="\n").writerows([("id", "text"), *rows])
    assert [tuple(row.values()) for row in fields(path)] == rows
