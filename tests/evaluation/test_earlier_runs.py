"""Runs that earlier versions wrote: fewer fields, and all of them are still read."""

import copy
import io

import pytest
import ujson
from misfits import misfits
from rich.console import Console

from multihop.evaluation import Evaluation, compare, write_summary, write_trec
from multihop.evaluation.header import Header
from multihop.evaluation.journal import Journal, read_header, read_rows
from multihop.evaluation.progress import Progress
from multihop.evaluation.report import as_markdown, paid_line
from multihop.evaluation.row import Row
from multihop.evaluation.summary import Summary
from multihop.optimize.cloning.cloning import decisions_of
from multihop.runtime import total_paid
from multihop.terminal.comparing import show_comparison
from multihop.terminal.results import show_results

IDENTITY = {
    "program": {
        "name": "one-step",
        "settings": {"k": 5, "retries": 2},
        "prompts": {"answer": {"instructions": "Answer.", "fields": {"question": "${question}"}, "demos": []}},
    },
    "lm": {"answer": {"model": "openai/m", "type": "chat", "decoding": {"temperature": 0}}},
    "adapter": "ChatAdapter",
    "retriever": "bm25-0f",
    "data": {"questions": 2, "fingerprint": "f"},
    "metrics": {"em": 1, "recall@5": 1},
}
HEADER = {
    "format": 1,
    "status": "finished",
    "simulated": False,
    "started": "2026-11-21T02:00:00+00:00",
    "python": "3.11.7",
    "packages": {"multihop": "0.1.0"},
    "git": None,
    "seed": None,
    "limits": {"questions": None, "concurrency": 32, "timeout": None},
    "identity": IDENTITY,
}
COST = {
    "calls": 1,
    "retrievals": 1,
    "parse_failures": 0,
    "chain": 1,
    "seconds": 0.5,
    "calls_by_role": {"answer": 1},
    "tokens": {"openai/m": {"in": 90, "out": 10}},
    "tokens_by_role": {"answer": {"in": 90, "out": 10}},
}
ASKED = {"question": "Who?", "type": "bridge", "hops": 2, "answers": ["Ada"], "supporting": ["p1"]}
ROWS = [
    {
        "id": "q1",
        **ASKED,
        "status": "ok",
        "error": None,
        "answer": "Ada",
        "metrics": {"em": 1.0, "recall@5": 1.0},
        "passages": [["p1", 2.5], ["p2", None]],
        "evidence": [],
        "trajectory": [
            {"step": "find", "query": "Who?", "k": 5, "hits": [{"id": "p1", "title": "Ada", "score": 2.5}]},
            {"step": "answer", "inputs": {"question": "Who?"}, "outputs": {"answer": "Ada"}},
        ],
        "cost": COST,
    },
    {
        "id": "q2",
        **ASKED,
        "status": "error",
        "error": {"type": "LMTimeoutError", "message": "slow"},
        "answer": None,
        "metrics": {},
        "passages": [],
        "evidence": [],
        "trajectory": [],
        "cost": COST,
    },
]
MEASURED = {"mean": 1.0, "low": 1.0, "high": 1.0, "n": 1, "mean_over_all": 0.5}
SPREAD = {"mean": 1.0, "total": 2, "max": 1}
SUMMARY = {
    "simulated": False,
    "n": 2,
    "n_ok": 1,
    "n_over_budget": 0,
    "n_error": 1,
    "errors": {"LMTimeoutError": 1},
    "metrics": {"em": MEASURED, "recall@5": MEASURED},
    "breakdown": {},
    "cost": {
        "calls": SPREAD,
        "retrievals": SPREAD,
        "chain": SPREAD,
        "parse_failures": 0,
        "calls_by_role": {"answer": 2},
        "tokens": {"openai/m": {"in": 180, "out": 20}},
        "tokens_by_role": {"answer": {"in": 180, "out": 20}},
    },
    "timing": {"seconds": {"mean": 0.5, "p50": 0.5, "p95": 0.5, "total": 1.0}},
}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "earlier"
    made.mkdir()
    (made / "run.json").write_text(ujson.dumps(HEADER))
    (made / "questions.jsonl").write_text("".join(ujson.dumps(row) + "\n" for row in ROWS))
    (made / "summary.json").write_text(ujson.dumps(SUMMARY))
    return made


@pytest.fixture
def console():
    return Console(file=io.StringIO(), width=140)


def shown(console):
    return [" ".join(line.split()) for line in console.file.getvalue().splitlines()]


def test_what_they_lack_may_be_missing(folder):
    assert misfits(read_header(folder), Header, "run.json") == set()
    assert misfits(list(read_rows(folder)), list[Row], "questions.jsonl") == set()
    assert misfits(ujson.loads((folder / "summary.json").read_text()), Summary, "summary.json") == set()


def test_they_are_summed_up(folder):
    summary = write_summary(folder)
    for name in ("n", "n_ok", "n_error", "errors", "metrics", "breakdown", "timing"):
        assert summary[name] == SUMMARY[name]
    assert summary["cost"] == {**SUMMARY["cost"], "cached": 0, "estimated": 0, "usd": None}
    assert (summary["paid"], summary["counts"]) == (None, {})
    assert summary["recall"] == {"matched_by": {}, "note": ""}
    assert total_paid(folder) is None
    assert "| em | 100.0 |" in (folder / "summary.md").read_text()


def test_a_stored_summary_is_shown_as_it_stands(folder, console):
    summary = ujson.loads((folder / "summary.json").read_text())
    show_results({"one-step": Evaluation(folder, summary)}, console)
    lines = shown(console)
    assert lines[1:] == [
        "program em recall@5 calls tokens errors",
        lines[2],
        "one-step 100.0±0.0 100.0±0.0 1.00 100 1",
        "",
        "2 questions; ± is half the 95 % interval; calls and tokens a question",
        "0 of 2 LM calls came from the cache.",
        f"{folder}/summary.md has the whole report",
    ]
    assert paid_line(summary) == "0 of 2 LM calls came from the cache."
    assert "| em | 100.0 | 100.0 – 100.0 | 1 | 50.0 |" in as_markdown(summary, read_header(folder))


def test_they_are_compared_with_each_other_and_with_later_ones(folder, tmp_path, console):
    later = copy.deepcopy(ROWS)
    for row in later:
        row["cost"] |= {"cached": 1, "estimated": 0, "paid_tokens": {}}
        row["counts"] = {"rounds": 1}
    later[0] |= {"matched_by": "id", "answer": "Bob", "metrics": {"em": 0.0, "recall@5": 1.0}}
    with Journal(tmp_path / "later", IDENTITY) as journal:
        journal.append(later)
    assert compare(folder, folder).metrics["em"].change.mean == 0.0
    found = compare(folder, tmp_path / "later")
    assert (found.n, found.errors, found.lost) == (1, (1, 1), ("q1",))
    assert found.metrics["em"].change.mean == -1.0
    assert (found.cost["tokens"], found.paid, found.recall[0]) == ((100.0, 100.0), (None, None), "")
    show_comparison([found], console)
    assert "right in A, wrong in B: 1 q1" in shown(console)


def test_they_are_continued_and_watched(folder, console):
    progress = Progress("one-step", 2, console)
    with Journal(folder, IDENTITY, earlier=lambda row: progress.watch(row, earlier=True)) as journal:
        assert journal.finished == {"q1"}
        journal.append([{**ROWS[0], "id": "q2"}])
    assert (progress.counts["errors"], progress.counts["tokens"], progress.means["em"].mean) == (1, 200, 1.0)
    assert write_summary(folder)["n_ok"] == 2


def test_their_rankings_and_decisions_are_read(folder):
    ranked, _ = write_trec(folder)
    assert ranked.read_text().splitlines() == ["q1 Q0 p1 1 1 one-step", "q1 Q0 p2 2 0.5 one-step"]
    decided = {"step": "read", "inputs": {}, "outputs": {"answer": "Ada"}}
    assert [each.record for each in decisions_of({**ROWS[0], "evidence": [decided]})] == [decided]
