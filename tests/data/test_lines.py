import bz2
import gzip
import os
import random
import zipfile

import pyarrow.parquet
import pytest

from multihop.base import DamagedFileError, InputError
from multihop.data.known_corpora import unpack
from multihop.data.record_files import read_lines, read_records


@pytest.fixture
def path(tmp_path):
    return tmp_path / "notes.txt"


def test_lines_are_numbered_and_keep_their_ends(path):
    path.write_bytes("eins\r\nzwei é\n\ndrei".encode())
    assert list(read_lines(path)) == [(1, "eins\r\n"), (2, "zwei é\n"), (3, "\n"), (4, "drei")]


def test_only_line_feeds_end_a_line(path):
    path.write_bytes("a\u2028b\x0bc\x85d\n".encode())
    assert list(read_lines(path)) == [(1, "a\u2028b\x0bc\x85d\n")]


def test_a_byte_order_mark_is_no_content(path):
    path.write_bytes("\ufeffeins\n\ufeffzwei\n".encode())
    assert list(read_lines(path)) == [(1, "eins\n"), (2, "\ufeffzwei\n")]


@pytest.mark.parametrize("name", ["notes.txt.gz", "notes.txt"])
def test_gzip_is_told_by_content(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"one\ntwo\n"))
    assert [line for _, line in read_lines(tmp_path / name)] == ["one\n", "two\n"]


@pytest.mark.parametrize("name", ["notes.txt.bz2", "notes.txt"])
def test_bzip2_is_told_by_content(tmp_path, name):
    (tmp_path / name).write_bytes(bz2.compress(b"one\ntwo\n"))
    assert [line for _, line in read_lines(tmp_path / name)] == ["one\n", "two\n"]


def test_a_file_named_gz_that_is_not_gzip(tmp_path):
    (tmp_path / "plain.gz").write_text("one\n")
    with pytest.raises(InputError, match=r"plain\.gz is named \.gz, but its content is not gzip"):
        list(read_lines(tmp_path / "plain.gz"))


def test_bzip2_that_is_none_or_is_damaged(tmp_path):
    (tmp_path / "plain.bz2").write_text("one\n")
    with pytest.raises(DamagedFileError, match=r"plain\.bz2 is named \.bz2, but its content is not bzip2"):
        list(read_lines(tmp_path / "plain.bz2"))
    whole = bz2.compress(b"".join(b"line %d of the notes\n" % number for number in range(20_000)))
    (tmp_path / "cut.bz2").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "bad.bz2").write_bytes(whole[: len(whole) // 2] + bytes(99))
    for name in ("cut", "bad"):
        with pytest.raises(DamagedFileError, match=f"{name}.bz2: the bzip2 data breaks off or is damaged after line"):
            list(read_lines(tmp_path / f"{name}.bz2"))


def test_an_empty_file_named_gz(tmp_path):
    (tmp_path / "empty.gz").write_bytes(b"")
    with pytest.raises(InputError, match="not gzip"):
        list(read_lines(tmp_path / "empty.gz"))


def test_truncated_gzip_names_the_last_good_line(tmp_path):
    whole = gzip.compress(b"".join(b"line %d of the notes\n" % i for i in range(20_000)))
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    seen = []
    with pytest.raises(InputError) as caught:
        seen.extend(number for number, _ in read_lines(tmp_path / "cut.gz"))
    number = int(str(caught.value).split("after line ")[1].split()[0])
    assert 0 < number < 20_000
    assert "cut.gz: the gzip data breaks off or is damaged" in str(caught.value)


def test_gzip_with_a_wrong_checksum(tmp_path):
    whole = bytearray(gzip.compress(b"one\n"))
    whole[-6] ^= 0xFF
    (tmp_path / "bad.gz").write_bytes(bytes(whole))
    with pytest.raises(InputError, match="damaged"):
        list(read_lines(tmp_path / "bad.gz"))


def test_gzip_with_a_damaged_body(tmp_path):
    whole = bytearray(gzip.compress(bytes(range(256)).hex().encode() * 50))
    whole[40:60] = b"\xff" * 20
    (tmp_path / "bad.gz").write_bytes(bytes(whole))
    with pytest.raises(InputError, match="damaged"):
        list(read_lines(tmp_path / "bad.gz"))


def test_broken_utf8_names_line_and_byte(path):
    path.write_bytes(b"fine\nbro\xffken\n")
    lines = read_lines(path)
    assert next(lines) == (1, "fine\n")
    with pytest.raises(InputError, match=r"notes\.txt, line 2: byte 4 \(0xff\) is not UTF-8 text"):
        next(lines)


def test_a_missing_file(path):
    with pytest.raises(InputError, match=r"notes\.txt does not exist"):
        list(read_lines(path))


def test_a_folder(tmp_path):
    with pytest.raises(InputError, match="is a folder; give one of the files in it"):
        list(read_lines(tmp_path))


def test_a_file_within_a_file(path):
    path.write_text("one\n")
    with pytest.raises(InputError, match="cannot read"):
        list(read_lines(path / "inner"))


@pytest.mark.parametrize("line", [b"\n", b"a" * 1000])
def test_gzip_that_unzips_without_end_is_refused_early(path, line, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files._UNNOTICED", 1 << 20)
    monkeypatch.setattr("multihop.data.record_files._PIECE", 1 << 16)
    path.write_bytes(gzip.compress(line * ((16 << 20) // len(line))))
    read = 0
    with pytest.raises(DamagedFileError, match="notes.txt unzips to more than 100 times its size, which no text does"):
        for _, text in read_lines(path):
            read += len(text)
    assert read <= 100 * path.stat().st_size + (1 << 20)


@pytest.mark.parametrize("packing", [gzip, bz2])
def test_blank_lines_before_a_text_do_not_hide_behind_it(packing, path, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files._UNNOTICED", 1 << 16)
    path.write_bytes(packing.compress(b"\n" * (8 << 20)) + packing.compress(random.Random(0).randbytes(1 << 18)))
    lines = read_lines(path)
    with pytest.raises(DamagedFileError, match="unzips to more than 100 times its size"):
        list(lines)
    assert path.stat().st_size * 100 > 8 << 20  # which as a whole would be no trap


def test_a_table_or_an_archive_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files._UNNOTICED", 1 << 16)
    many = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 100_000), pyarrow.array(["a text " * 100]))
    for name, column in {"many": many, "one": pyarrow.array(["a" * (1 << 22)])}.items():
        pyarrow.parquet.write_table(pyarrow.table({"text": column}), tmp_path / f"{name}.parquet", compression="zstd")
        with pytest.raises(DamagedFileError, match=rf"{name}\.parquet unzips to more than 100 times its size"):
            list(read_records(tmp_path / f"{name}.parquet"))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", "\n" * (1 << 22))
    with pytest.raises(DamagedFileError, match=r"a\.zip unzips to more than 100 times its size"):
        list(unpack(tmp_path / "a.zip", tmp_path))
    assert not list(tmp_path.glob("*.jsonl"))


def test_text_that_is_packed_well_is_read(path, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files._UNNOTICED", 1)
    lines = [f"line {number} of the notes, which are much alike\n" for number in range(20_000)]
    path.write_bytes(gzip.compress("".join(lines).encode()))
    assert [line for _, line in read_lines(path)] == lines


def test_a_line_without_end_is_refused_and_a_long_one_is_whole(path, monkeypatch):
    monkeypatch.setattr("multihop.data.record_files.LONGEST_LINE", 100)
    monkeypatch.setattr("multihop.data.record_files._PIECE", 30)
    path.write_bytes(b"a" * 99 + b"\nb\n")
    assert [line for _, line in read_lines(path)] == ["a" * 99 + "\n", "b\n"]
    path.write_bytes(b"a" * 200)
    with pytest.raises(DamagedFileError, match="has a line of more than 100 bytes"):
        list(read_lines(path))


def test_a_device_and_a_pipe_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    for place, kind in (("/dev/zero", "a device"), (tmp_path / "pipe.jsonl", "a pipe")):
        with pytest.raises(InputError, match=f"is {kind}, and only ordinary files are read"):
            list(read_lines(place))
