import errno
import os
from unittest import mock

import pytest
from faulty_disk import FaultyDisk
from hypothesis import given
from hypothesis import strategies as st

from multihop import InputError
from multihop.base import files
from multihop.base.files import LineFile

LINES = st.lists(st.binary(max_size=40).map(lambda text: text.replace(b"\n", b"") + b"\n"), max_size=8)
ERRORS = st.sampled_from([errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EFBIG])


def whole_lines(path):
    """The lines as every reader here reads them."""
    with open(path, "rb") as file:
        return [line for line in file if line.endswith(b"\n")]


def refusal(write, *arguments, **options):
    """The sentence with which it is refused; None if it is not."""
    try:
        write(*arguments, **options)
    except InputError as error:
        return str(error)


@given(
    LINES, st.integers(0, 400), ERRORS, st.integers(1, 50), st.booleans(), st.booleans(), st.sampled_from([0, 1, 30])
)
def test_a_disk_that_fails_at_any_byte_leaves_whole_lines_and_all_that_were_taken(
    tmp_path_factory, lines, room, error, piece, stuck, syncs, reserve
):
    path = tmp_path_factory.mktemp("disk") / "lines"
    disk = FaultyDisk(room, error=error, piece=piece, stuck=stuck, syncs=syncs)
    with mock.patch.object(files, "os", disk):
        file, taken = LineFile(path, reserve=reserve), []
        for line in lines:
            if (said := refusal(file.append, line, sync=not reserve)) is None:
                taken.append(line)
            assert said in (None, f"cannot write to {path}: {os.strerror(error)}.")
            assert whole_lines(path)[: len(taken)] == taken
        disk.mend()
        file.append(b"after\n")
        file.close()
        assert path.read_bytes() == b"".join([*taken, b"after\n"])


@given(LINES, st.integers(0, 3000), ERRORS, st.integers(1, 50))
def test_what_was_checked_before_is_written_however_full_the_disk_is(tmp_path_factory, lines, room, error, piece):
    path = tmp_path_factory.mktemp("disk") / "lines"
    with mock.patch.object(files, "os", FaultyDisk(room, error=error, piece=piece)):
        file, made = LineFile(path, reserve=64), []
        for line in lines:
            if refusal(file.check) is None:  # else it is not begun
                file.append(line, from_reserve=True)
                made.append(line)
        file.close()
    assert path.read_bytes() == b"".join(made)


def test_nothing_is_written_behind_what_could_not_be_cut_off(tmp_path):
    disk = FaultyDisk(6, stuck=True)
    with mock.patch.object(files, "os", disk):
        file = LineFile(tmp_path / "lines")
        file.append(b"one\n")
        for _ in range(2):
            with pytest.raises(InputError, match="No space left"):
                file.append(b"second\n")
        file.close()
        assert (tmp_path / "lines").read_bytes() == b"one\nse"
        disk.mend()
        file = LineFile(tmp_path / "lines", 4)
        file.append(b"two\n")
        file.close()
    assert (tmp_path / "lines").read_bytes() == b"one\ntwo\n"


def test_a_reserve_stands_behind_the_lines_only_while_the_file_is_open(tmp_path):
    file = LineFile(tmp_path / "lines", reserve=10)
    file.append(b"one\n")
    assert (tmp_path / "lines").read_bytes() == b"one\n" + b" " * 20
    assert file.read(0, 4) == b"one\n"
    file.close()
    assert (tmp_path / "lines").read_bytes() == b"one\n"


def test_a_file_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(InputError, match=r"cannot write to .*lines: No such file or directory\."):
        LineFile(tmp_path / "nowhere" / "lines")
