import io

import pytest
import ujson
from rich.console import Console
from written_runs import ABOUT, IDENTITY, failed, row, write_run

from multihop.cli.watching.watching import watch_runs
from multihop.cli.watching.watching_table import draw_runs
from multihop.evaluation.journal.journal import Journal
from multihop.view.live.live_runs import LiveRuns


class Worker:
    """Somebody who works on a run: each time that the watcher waits, a few more questions are finished."""

    def __init__(self, folder, *batches, seconds=2.0):
        about = {**ABOUT, "simulated": False, "limits": {**ABOUT["limits"], "questions": sum(map(len, batches))}}
        self.journal = Journal(folder, IDENTITY, about).__enter__()
        self.batches, self.worked, self.seconds, self.waited = iter(batches), 0.0, seconds, []

    def wait(self, seconds):
        self.waited.append(seconds)
        batch = next(self.batches, None)
        if batch is None:
            self.journal.__exit__(None, None, None)
            return
        self.worked += self.seconds
        self.journal.append([{**each, "run_seconds": self.worked} for each in batch])


def screen(width=80, **options):
    return Console(file=io.StringIO(), width=width, height=40, **options)


def test_a_run_is_watched_until_it_has_ended(tmp_path):
    rows = [row("q1", [])], [row("q2", [], right=False), failed("q3")]
    worker, console = Worker(tmp_path / "run", *rows), screen(force_terminal=True, color_system=None)
    watch_runs(LiveRuns(tmp_path / "run"), console, wait=worker.wait)
    shown = console.file.getvalue()
    assert "0 of 3 questions" in shown
    assert "1 of 3 questions" in shown
    last = shown[shown.rindex("3 of 3 questions") :].splitlines()
    assert [line.split() for line in last if line.startswith("em ")] == [["em", "50.0", "10.0", "–", "90.0", "2"]]
    assert [" ".join(line.split()) for line in last if line.startswith(("speed", "errors", "LM calls"))] == [
        "speed 45 questions a minute",
        "LM calls 9, 3.00 a question",
        "errors TimeoutError 1",
    ]
    assert "finished" in last[0]
    assert "time to go" not in "".join(last)


def test_where_there_is_no_terminal_a_line_is_written_now_and_then(tmp_path):
    worker = Worker(tmp_path / "run", *([row(f"q{number}", [])] for number in range(25)))
    console = screen()
    watch_runs(LiveRuns(tmp_path / "run"), console, wait=worker.wait)
    lines = console.file.getvalue().splitlines()
    assert [line.split("  ")[0].rpartition(" ")[2] for line in lines] == ["0/25", "10/25", "20/25", "25/25"]
    assert lines[1].endswith("calls 30  tokens 1.2k  30 questions a minute  left 0:30")
    assert lines[-1].endswith("30 questions a minute  finished")


def test_a_killed_run_is_not_waited_for(run, tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", [])], status="running")
    code, said, _ = run("watch", folder)
    assert code == 0
    assert said.endswith("nobody works on it now; the same command goes on with it\n")


def test_a_mean_over_fewer_questions_than_are_done_has_its_n_in_the_line_too(run, tmp_path):
    said = run("watch", write_run(tmp_path / "run", [row("q1", []), failed("q2")]))[1]
    assert "done 2/5  em 100.0, " in said
    assert "(n=1)" in said


def test_the_state_is_printed_as_json(run, tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", []), failed("q2")])
    code, said, _ = run("watch", folder, "--json")
    state = ujson.loads(said)
    assert code == 0
    assert (state["status"], len(state["runs"])) == ("finished", 1)
    only = state["runs"][0]
    assert (only["done"], only["total"], only["errors"], only["metrics"]["em"]["n"]) == (2, 5, {"TimeoutError": 1}, 1)


@pytest.mark.parametrize("width", [80, 100, 160])
@pytest.mark.parametrize("height", [12, 24, 40])
def test_it_fits_the_screen(tmp_path, width, height):
    long = {**row("5a7a06935542990198eaf050", [], status="over_budget"), "answer": "a very long answer " * 20}
    folder = write_run(
        tmp_path / "run", [long, *(row(f"q{number}", []) for number in range(9)), long | {"id": "x" * 60}]
    )
    console = screen(width)
    console.print(draw_runs(LiveRuns(folder).read(), height))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert len(lines) <= max(height, 12)
    if height == 40:
        assert "q8" in "".join(lines)


def test_repeats_are_watched_one_after_the_other(tmp_path, run):
    first = write_run(tmp_path / "repeat-1", [row("q1", [])])
    write_run(tmp_path / "repeat-2", [row("q1", [], right=False)], status="running")
    code, said, _ = run("watch", tmp_path, "--json")
    state = ujson.loads(said)
    assert (code, state["status"], [each["status"] for each in state["runs"]]) == (
        0,
        "abandoned",
        ["finished", "abandoned"],
    )
    console = screen()
    console.print(draw_runs(LiveRuns(tmp_path).read(), 40))
    lines = console.file.getvalue().splitlines()
    assert lines[0].startswith(f"tor in {first}"[:75])
    assert lines[1].startswith("tor  on openai/gpt")


def test_between_two_repeats_it_is_waited_for_the_next(tmp_path):
    write_run(tmp_path / "repeat-1", [row("q1", [])])
    runs = LiveRuns(tmp_path)
    assert runs.read()["status"] == "running"
    (tmp_path / "summary.json").write_text('{"repeats": 1}')
    assert runs.read()["status"] == "finished"


def test_ctrl_c_leaves_the_run_alone(run, tmp_path, monkeypatch):
    folder = write_run(tmp_path / "run", [row("q1", [])])

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("multihop.cli.watching.watching.watch_runs", interrupted)
    code, _, said = run("watch", folder)
    assert (code, said) == (130, f"multihop: stopped watching {folder}; the run itself is left alone.\n")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "is not a run: it has no run.json."),
        (("--port", "80"), "--port is where the page is served; give --page as well."),
        (("--page", "--json"), "--page and --json are two ways to show a run; give one of them."),
    ],
)
def test_what_cannot_be_watched_is_refused_in_a_sentence(run, tmp_path, options, sentence):
    code, _, said = run("watch", tmp_path, *options)
    assert code == 2
    assert said.endswith(f"{sentence}\n")
