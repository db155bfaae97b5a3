import io
from types import SimpleNamespace

from rich.console import Console

from multihop.cli.opening.work_line import Downloading


def show(monkeypatch, *steps):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr("multihop.cli.opening.work_line.time", SimpleNamespace(monotonic=lambda: clock.now))
    console = Console(file=io.StringIO(), width=80)
    with Downloading(console) as progress:
        for clock.now, *step in steps:
            progress.watch(*step)
    return console.file.getvalue().splitlines()


def test_a_line_at_the_start_now_and_then_and_at_the_end(monkeypatch):
    assert show(
        monkeypatch,
        (100.0, "dev.jsonl", 1_000_000, 9_000_000),
        (101.0, "dev.jsonl", 2_000_000, 9_000_000),
        (131.0, "dev.jsonl", 5_000_000, 9_000_000),
        (132.0, "dev.jsonl", 9_000_000, 9_000_000),
        (133.0, "corpus.jsonl", 0, 500_000),
    ) == [
        "dev.jsonl: 1.0 of 9.0 MB",
        "dev.jsonl: 5.0 of 9.0 MB  0.1 MB/s",
        "dev.jsonl: 9.0 of 9.0 MB  0.2 MB/s",
        "corpus.jsonl: 0.0 of 0.5 MB",
    ]
