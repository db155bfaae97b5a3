"""No ordinary file in the place of one that is read again later: refused in a sentence, and never waited for."""

import os

import pytest

from multihop import Direct, load, with_demonstrations
from multihop.base import InputError
from multihop.base.files import LONGEST_RECORD
from multihop.data import open_corpus
from multihop.data.fetching import MANIFEST, read_record
from multihop.evaluation.journal import HEADER, ROWS, read_header, read_rows
from multihop.experiments.experiment_file import open_experiment
from multihop.experiments.study_table import RECORD
from multihop.lms import read_lms
from multihop.optimize.spending import Spending
from multihop.optimize.work_folder import Pilot, WorkFolder
from multihop.runtime.bill import CALLS, Bill, total_paid
from multihop.view.folders import read_study


def open_bill(folder):
    with Bill(folder):
        pass


def open_work(folder):
    with WorkFolder(folder.with_suffix("")).opened({"seed": 0}):
        pass


READERS = {
    "rows": (ROWS, lambda folder: list(read_rows(folder))),
    "bill": (CALLS, open_bill),
    "bill that is added up": (CALLS, total_paid),
    "header": (HEADER, read_header),
    "table": (RECORD, read_study),
    "note of a compile": ("study.json", open_work),
    "set": (MANIFEST, read_record),
}
OF_OTHERS = {
    "program": ("p.json", lambda folder: load(folder / "p.json")),
    "corpus": ("corpus.jsonl", lambda folder: list(open_corpus(folder / "corpus.jsonl"))),
    "experiment": ("experiment.toml", lambda folder: open_experiment(folder / "experiment.toml")),
    "file of LMs": ("lms.toml", lambda folder: read_lms(folder / "lms.toml")),
    "demonstrations": ("shots.json", lambda folder: with_demonstrations(Direct(), folder / "shots.json")),
}
LINES = ("rows", "bill", "bill that is added up", "corpus")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "p.json.work"
    made.mkdir()
    return made


@pytest.mark.parametrize("reader", [*READERS, *OF_OTHERS])
def test_a_pipe_and_a_device_are_refused(reader, folder):
    name, read = {**READERS, **OF_OTHERS}[reader]
    os.mkfifo(folder / name)
    with pytest.raises(InputError, match=f"{name} is a pipe, and only ordinary files are read"):
        read(folder)
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    with pytest.raises(InputError, match=f"{name} is a device, and only ordinary files are read"):
        read(folder)


@pytest.mark.parametrize("reader", [*READERS, "program", "corpus"])
def test_what_has_no_end_is_refused(reader, folder, monkeypatch):
    monkeypatch.setattr("multihop.base.files.LONGEST_RECORD", 1 << 16)
    monkeypatch.setattr("multihop.data.record_files.LONGEST_LINE", 1 << 16)
    name, read = {**READERS, **OF_OTHERS}[reader]
    with open(folder / name, "wb") as file:
        file.truncate(LONGEST_RECORD + 1)  # a sparse file, which takes no room
    told = "a line of more than 65,536 bytes" if reader in LINES else "more than 50,000,000 bytes"
    with pytest.raises(InputError, match=f"{name} has {told}"):
        read(folder)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("content", [b"\xff\xfe\n", b"[1]\n", b'{"id": \n', b"7\n"])
def test_what_is_broken_is_told(reader, content, folder):
    name, read = READERS[reader]
    (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}.*( is damaged| is not )"):
        read(folder)


def test_what_can_be_made_anew_is_passed_over_and_a_count_of_calls_is_not(folder):
    os.mkfifo(folder / "pilot.json")
    with pytest.raises(InputError, match="cannot write .*pilot.json: it exists and is not a file"):
        WorkFolder(folder.with_suffix("")).pilot(lambda: Pilot(whole=1, cheap=1))
    os.mkfifo(folder / "calls")
    with pytest.raises(InputError, match="calls is a pipe"):
        Spending(ledger=folder / "calls")
