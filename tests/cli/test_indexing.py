import gzip
import io

import pytest
import ujson
from rich.console import Console

from multihop.base import InputError
from multihop.cli.commands import index
from multihop.cli.commands.index import Indexing, passages_in
from multihop.data import open_corpus

ROWS = [{"id": str(number), "title": "", "text": f"text {number}"} for number in range(5)]


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr(index.time, "monotonic", lambda: Clock.now)
    return Clock


def test_the_line_tells_what_is_done_how_fast_and_how_long_it_takes(clock):
    progress = Indexing(3060, Console(file=io.StringIO()))
    assert progress.line(0) == "indexing: 0 of 3,060 passages  0/s  – to go"
    clock.now += 30
    assert progress.line(1500) == "indexing: 1,500 of 3,060 passages  50/s  0:31 to go"
    assert progress.line(3060) == "indexing: 3,060 of 3,060 passages  102/s  0:00 to go"


def test_an_unknown_total_leaves_the_time_unknown(clock):
    progress = Indexing(None, Console(file=io.StringIO()))
    clock.now += 2
    assert progress.line(4096) == "indexing: 4,096 passages  2,048/s  – to go"


def test_without_a_terminal_there_is_a_line_now_and_then(clock):
    said = io.StringIO()
    with Indexing(100, Console(file=said, force_terminal=False)) as progress:
        for done in range(0, 101, 10):
            progress.watch(done)
            clock.now += 10
    assert said.getvalue().splitlines() == [
        "indexing: 30 of 100 passages  1/s  1:10 to go",
        "indexing: 60 of 100 passages  1/s  0:40 to go",
        "indexing: 90 of 100 passages  1/s  0:10 to go",
    ]


def test_a_terminal_shows_the_line_and_clears_it(clock):
    said = io.StringIO()
    console = Console(file=said, force_terminal=True, width=100, color_system=None)
    with Indexing(100, console) as progress:
        clock.now += 10
        progress.watch(50)
        assert progress._status.status == "indexing: 50 of 100 passages  5/s  0:10 to go"
        progress._status.update()
    assert "indexing: 50 of 100 passages  5/s  0:10 to go" in said.getvalue()


def test_passages_are_counted_where_they_can_be_read_twice(tmp_path, monkeypatch):
    plain, zipped = tmp_path / "corpus.jsonl", tmp_path / "corpus.jsonl.gz"
    lines = "\n".join(ujson.dumps(row) for row in ROWS)
    plain.write_text(lines)
    with gzip.open(zipped, "wt") as file:
        file.write(lines)
    assert [counted(str(plain)), counted(str(zipped)), counted("little")] == [5, 5, 200]
    assert passages_in(iter(()), "hub:someone/something") is None


def counted(source):
    return passages_in(open_corpus(source), source)


def test_what_is_wrong_with_a_file_is_found_before_anything_is_encoded(tmp_path):
    (tmp_path / "corpus.jsonl").write_text("\n".join([*(ujson.dumps(row) for row in ROWS), "{"]))
    with pytest.raises(InputError, match="line 6"):
        counted(str(tmp_path / "corpus.jsonl"))
