import gc
import gzip
import io
import threading

import pytest
import ujson
from rich.console import Console

from multihop.base import InputError
from multihop.cli.commands import index
from multihop.cli.commands.index import Indexing, passages_in
from multihop.cli.process import LiveLine, heap_at_rest
from multihop.data import open_corpus

ROWS = [{"id": str(number), "title": "", "text": f"text {number}"} for number in range(5)]


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

    monkeypatch.setattr(index.time, "monotonic", lambda: Clock.now)
    return Clock


def test_the_line_tells_what_is_done_how_fast_and_how_long_it_takes(clock):
    progress = Indexing(3060)
    assert progress.line() == "indexing: 0 of 3,060 passages  0/s  – to go"
    clock.now += 30
    progress.watch(1500)
    assert progress.line() == "indexing: 1,500 of 3,060 passages  50/s  0:31 to go"
    progress.watch(3060)
    assert progress.line() == "indexing: 3,060 of 3,060 passages  102/s  0:00 to go"
    unknown = Indexing(None)
    clock.now += 2
    unknown.watch(4096)
    assert unknown.line() == "indexing: 4,096 passages  2,048/s  – to go"


def test_without_a_terminal_there_is_a_line_now_and_then(monkeypatch):
    monkeypatch.setattr("multihop.cli.process.PLAIN_SECONDS", 0.01)
    said, told = io.StringIO(), threading.Event()

    def line():
        told.set()
        return "5 of 9"

    with LiveLine(line, Console(file=said, force_terminal=False)):
        assert told.wait(30)


def test_a_terminal_shows_the_line_and_clears_it():
    said = io.StringIO()
    with LiveLine(lambda: "5 of 9", Console(file=said, force_terminal=True, width=100, color_system=None)):
        pass
    assert "5 of 9" in said.getvalue()


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


def test_what_was_there_before_is_left_alone_until_the_end():
    gc.unfreeze()
    before = [[] for _ in range(1000)]
    with pytest.raises(KeyError), heap_at_rest():
        seen = {id(each) for each in gc.get_objects()}
        assert not seen & set(map(id, before))
        assert gc.get_freeze_count() >= 1000
        raise KeyError
    assert gc.get_freeze_count() == 0
    assert {id(each) for each in gc.get_objects()} >= set(map(id, before))


def test_what_somebody_froze_before_stays_frozen():
    gc.unfreeze()
    gc.freeze()
    try:
        with heap_at_rest():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
