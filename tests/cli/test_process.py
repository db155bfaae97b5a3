"""What a command tells of long work, and how it leaves the process that it is in."""

import gzip
import io
import threading

import pytest
import ujson
from rich.console import Console

from multihop.base import InputError
from multihop.cli.commands import index
from multihop.cli.commands.compile import StageDisplay, counted_line
from multihop.cli.commands.index import Indexing, passages_in
from multihop.cli.process import LiveLine
from multihop.data import open_corpus
from multihop.optimize.compile_options import Stage


def test_the_line_tells_what_is_done_how_fast_and_how_long_it_takes(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(index.time, "monotonic", lambda: now[0])
    progress, unknown = Indexing(3060), Indexing(None)
    assert progress.line() == "indexing: 0 of 3,060 passages  0/s  – to go"
    now[0] += 30
    progress.watch(1500)
    assert progress.line() == "indexing: 1,500 of 3,060 passages  50/s  0:31 to go"
    unknown.watch(6000)
    assert unknown.line() == "indexing: 6,000 passages  200/s  – to go"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_line_is_shown_on_a_terminal_and_now_and_then_elsewhere(terminal, monkeypatch):
    monkeypatch.setattr("multihop.cli.process.PLAIN_SECONDS", 0.01)
    said, told = io.StringIO(), threading.Event()

    def line():
        told.set()
        return "5 of 9"

    with LiveLine(line, Console(file=said, force_terminal=terminal, width=100, color_system=None)):
        assert told.wait(30)
    assert not terminal or "5 of 9" in said.getvalue()


def test_passages_are_counted_where_they_can_be_read_twice_and_what_is_wrong_is_found_first(tmp_path):
    def counted(source):
        return passages_in(open_corpus(str(source)), str(source))

    lines = "\n".join(ujson.dumps({"id": str(number), "text": f"text {number}"}) for number in range(5))
    (tmp_path / "corpus.jsonl").write_text(lines)
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    assert [counted(tmp_path / name) for name in ("corpus.jsonl", "corpus.jsonl.gz")] == [5, 5]
    assert (counted("little"), passages_in(iter(()), "hub:someone/something")) == (200, None)
    (tmp_path / "corpus.jsonl").write_text(f"{lines}\n{{")
    with pytest.raises(InputError, match="line 6"):
        counted(tmp_path / "corpus.jsonl")


@pytest.mark.parametrize(
    ("calls", "expected", "line"),
    [
        (1200, None, "1,200 LM calls  0:40"),
        (0, 400, "0 of about 400 LM calls  0:40"),
        (100, 400, "100 of about 400 LM calls  0:40  about 2:00 left"),
        (500, 400, "500 of about 400 LM calls  0:40"),
    ],
)
def test_a_stage_of_a_compile_counts_its_calls_and_says_what_is_left(calls, expected, line):
    assert counted_line(calls, expected, 40.0) == line


def test_one_stage_is_shown_after_the_other_and_every_line_stays():
    row = {"id": "q1", "status": "ok", "metrics": {"em": 1.0, "f1": 1.0, "recall@5": 0.5}}
    row["cost"] = {"calls": 3, "tokens": {"lm": {"in": 700, "out": 20}}, "parse_failures": 0}
    shown = io.StringIO()
    with StageDisplay(Console(file=shown, force_terminal=True, width=80)) as stages:
        stages.tell("estimating")
        scoring = Stage("zero-shot: scoring", "zero-shot", questions=1)
        stages.watch(scoring, None, False)
        stages.watch(scoring, row, False)
        stages.tell("zero-shot: f1 100.0, em 100.0")
    text = shown.getvalue()
    assert text.index("estimating") < text.index("1/1") < text.index("zero-shot: f1 100.0, em 100.0")
