import json
from pathlib import Path

import pytest
from written_runs import ABOUT, COST, IDENTITY, failed, find, row, write_run

from multihop.base import DamagedFileError, InputError
from multihop.evaluation import open_run
from multihop.evaluation.journal.journal import ROWS, Journal
from multihop.view.live.live_run import LAST, LiveRun
from multihop.view.live.row_tail import RowTail


def at(seconds, finished):
    return {**finished, "run_seconds": seconds}


@pytest.fixture
def journal(tmp_path):
    """A journal that is being written."""
    about = {**ABOUT, "limits": {**ABOUT["limits"], "questions": 10}, "simulated": False}
    with Journal(tmp_path / "run", IDENTITY, about) as journal:
        yield journal


def test_a_run_is_followed_as_it_goes_on(journal):
    run = LiveRun(journal.folder)
    state = run.read()
    assert (state["status"], state["done"], state["total"]) == ("running", 0, 10)
    assert (state["metrics"], state["per_minute"], state["seconds_left"], state["idle_seconds"]) == (
        {},
        None,
        None,
        None,
    )
    journal.append([at(3.0, row("q1", [])), at(4.0, row("q2", [], right=False, status="over_budget"))])
    state = run.read()
    assert state["metrics"]["em"]["mean"] == 0.5
    assert (state["metrics"]["em"]["n"], state["over_budget"], state["calls"], state["tokens"]) == (2, 1, 6, 240)
    assert (state["per_minute"], state["seconds_left"]) == (30.0, 16.0)
    journal.append([at(6.0, failed("q3"))])
    state = run.read()
    assert (state["done"], state["errors"], state["metrics"]["em"]["n"]) == (3, {"TimeoutError": 1}, 2)
    assert [(each["id"], each["status"], each["right"], each["answer"]) for each in state["last"]] == [
        ("q3", "error", None, "TimeoutError"),
        ("q2", "over_budget", False, "Warsaw"),
        ("q1", "ok", True, "Łódź"),
    ]


def test_rows_are_read_once(journal, monkeypatch):
    journal.append([row("q1", []), row("q2", [])])
    tail = RowTail(journal.folder)
    assert [each["id"] for each in tail.new_rows()] == ["q1", "q2"]
    assert [*tail.new_rows()] == []
    journal.append([row("q3", [])])
    assert [each["id"] for each in tail.new_rows()] == ["q3"]


def test_a_line_that_is_being_written_waits_for_its_end(tmp_path):
    line = json.dumps(row("q1", []))
    path = tmp_path / ROWS
    path.write_text(line[:50])
    tail = RowTail(tmp_path)
    assert [*tail.new_rows()] == []
    path.write_text(f"{line}\n")
    assert [each["id"] for each in tail.new_rows()] == ["q1"]


def test_a_damaged_line_is_named(tmp_path):
    (tmp_path / ROWS).write_text("{}\n")
    with pytest.raises(DamagedFileError, match=r"questions.jsonl: the line from byte 0 on is damaged."):
        [*RowTail(tmp_path).new_rows()]


def test_a_question_that_is_asked_again_counts_once(journal):
    run = LiveRun(journal.folder)
    journal.append([failed("q1"), row("q2", [])])
    assert run.read()["errors"] == {"TimeoutError": 1}
    journal.append([row("q1", [], right=False)])
    state = run.read()
    assert (state["done"], state["errors"], state["calls"]) == (2, {}, 6)
    assert (state["metrics"]["em"]["mean"], state["metrics"]["em"]["n"]) == (0.5, 2)


def test_a_metric_that_failed_is_counted_against_its_interval_until_it_is_measured(journal):
    run = LiveRun(journal.folder)
    judged = [row(f"q{number}", []) for number in range(4)]
    for each in judged[:3]:
        each["metrics"]["judged"] = 1.0
    judged[3]["metrics"]["judged"] = None
    unmeasured = {**judged[3], "unmeasured": {"judged": {"type": "LMServerError", "message": "500"}}}
    journal.append([*judged[:3], unmeasured])
    state = run.read()
    assert state["unmeasured"] == {"judged": 1}
    assert (state["metrics"]["judged"]["mean"], state["metrics"]["judged"]["n"]) == (1.0, 3)
    low = state["metrics"]["judged"]["low"]
    assert low < state["metrics"]["em"]["low"]
    judged[3]["metrics"]["judged"] = 1.0
    journal.append([judged[3]])
    state = run.read()
    assert state["unmeasured"] == {}
    assert (state["metrics"]["judged"]["n"], state["metrics"]["em"]["n"], state["calls"]) == (4, 4, 12)
    assert state["metrics"]["judged"]["low"] == state["metrics"]["em"]["low"] > low


def test_what_a_metric_came_to_is_what_the_summary_says(tmp_path):
    rows = [
        row(f"q{number}", [find("?", "p1")], right=number % 3 == 0, complete=number % 2 == 0) for number in range(9)
    ]
    run = write_run(tmp_path / "run", [*rows, failed("q9")])
    summary, state = open_run(run).summary, LiveRun(run).read()
    means = {name: (round(each["mean"], 6), each["n"]) for name, each in state["metrics"].items()}
    assert means == {name: (each["mean"], each["n"]) for name, each in summary["metrics"].items()}
    assert state["calls"] == summary["cost"]["calls"]["total"]
    assert state["tokens"] == sum(summary["cost"]["tokens"]["m"].values())
    assert (state["errors"], state["done"]) == (summary["errors"], summary["n"])


def test_a_recall_that_nobody_knows_is_not_shown(journal):
    nothing = {**row("q1", []), "matched_by": "nothing recognised"}
    journal.append([nothing])
    run = LiveRun(journal.folder)
    assert sorted(run.read()["metrics"]) == ["em", "f1"]
    journal.append([row("q2", [])])
    assert sorted(run.read()["metrics"]) == ["em", "f1", "recall@5", "recall@K"]


@pytest.mark.parametrize(
    ("written", "status"), [("finished", "finished"), ("interrupted", "interrupted"), ("running", "abandoned")]
)
def test_a_run_that_nobody_works_on_has_ended(tmp_path, written, status):
    run = write_run(tmp_path / "run", [row("q1", [])], status=written)
    assert LiveRun(run).read()["status"] == status


def test_a_run_that_goes_on_again_is_running_whatever_it_said_before(tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", [])])
    with Journal(folder, IDENTITY, ABOUT):
        path = folder / "run.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "status": "interrupted"}))
        assert LiveRun(folder).read()["status"] == "running"


def test_the_questions_of_a_slice_and_a_sample_are_counted_as_the_run_does(tmp_path):
    identity = {**IDENTITY, "data": {"questions": 40, "fingerprint": "f", "offset": 30, "sample": 8, "sample_seed": 0}}
    for limit, total in ((None, 8), (5, 5), (50, 8)):
        with Journal(tmp_path / str(limit), identity, {**ABOUT, "limits": {"questions": limit, "concurrency": 1}}):
            assert LiveRun(tmp_path / str(limit)).read()["total"] == total


def test_a_run_with_more_questions_than_its_last_limit_is_whole(tmp_path):
    folder = write_run(tmp_path / "run", [row(f"q{number}", []) for number in range(7)])
    state = LiveRun(folder).read()
    assert (state["done"], state["total"], len(state["last"])) == (7, 7, min(7, LAST))


def test_a_journal_that_lost_its_last_rows_is_read_anew(tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", []), row("q2", [])])
    run = LiveRun(folder)
    assert run.read()["done"] == 2
    path = Path(folder) / ROWS
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    state = run.read()
    assert (state["done"], state["calls"]) == (1, COST["calls"])


def test_seconds_since_the_last_question_are_told(tmp_path):
    folder = write_run(tmp_path / "run", [row("q1", [])])
    written = (Path(folder) / ROWS).stat().st_mtime
    assert LiveRun(folder).read(now=written + 90)["idle_seconds"] == 90.0


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"is not a run: it has no run.json"):
        LiveRun(tmp_path).read()
