import pytest
from written_runs import plain_row

from multihop.evaluation import write_summary, write_trec
from multihop.evaluation.journal import Journal
from multihop.evaluation.report import budget_note, gap_notes, missing_notes, paid_line, show_time, time_note
from multihop.evaluation.summary import summarize, total

ROWS = [
    plain_row("q1", type="bridge", metrics={"em": 1.0, "recall@5": 0.5}, passages=[["p1", 3.5], ["x", None]]),
    plain_row("q2", metrics={"em": 0.0, "recall@5": 0.5}),
    plain_row("q3", "over_budget", type="bridge", metrics={"em": 0.0, "recall@5": None}),
    plain_row("q4", "error"),
]
for number, each in enumerate(ROWS, 1):
    each["supporting"] = [f"p{number}", "p 9"]
    each["cost"] |= {"seconds": 0.1 * number, "tokens": {"m|1": {"in": 10, "out": 2}}}


def run(folder, *rows):
    with Journal(folder, {"program": {"name": "one-step"}}) as journal:
        journal.append(rows)
    return folder


def test_errors_are_apart_from_wrong_answers(tmp_path):
    summary = write_summary(run(tmp_path, *ROWS))
    page = (tmp_path / "summary.md").read_text()
    for said in ("Only 4 questions", "LMError", "m\\|1"):
        assert said in page
    assert [summary[name] for name in ("n", "n_ok", "n_over_budget", "n_error")] == [4, 2, 1, 1]
    assert summary["errors"] == {"LMError": 1}
    em = summary["metrics"]["em"]
    assert em["mean"] == pytest.approx(1 / 3, abs=1e-6)
    assert em["mean_over_all"] == pytest.approx(1 / 4, abs=1e-6)
    assert (em["low"], em["high"]) == (None, None)  # of three answers
    assert summary["metrics"]["recall@5"]["n"] == 2


def test_cost_and_breakdown_add_up():
    summary = summarize(ROWS, {"identity": {}})
    assert summary["cost"]["calls"] == {"mean": 2.0, "total": 8.0, "max": 2}
    assert summary["cost"]["calls_by_role"] == {"answer": 8}
    assert summary["cost"]["tokens"] == {"m|1": {"in": 40, "out": 8}}
    assert {name: group["n"] for name, group in summary["breakdown"]["type"].items()} == {"bridge": 2, "t": 1}
    assert "hops" not in summary["breakdown"]  # all the same: nothing to break down
    assert summary["timing"]["seconds"]["p50"] == pytest.approx(0.3)


def test_what_failed_what_was_cut_short_and_what_has_no_mean():
    assert gap_notes({"judged": 8, "mine": 20}, 20) == [
        "judged: 8 of 20 answers have no verdict; the interval counts them against it; the same command asks for those "
        "alone",
        "mine: the metric failed on all 20 answers; the same command measures those alone",
    ]
    assert [budget_note(cut, 8) for cut in (8, 1, 0)] == [
        "8 of 8 questions were cut short by the budget",
        "1 of 8 questions was cut short by the budget",
        "",
    ]
    summary = {"n": 2, "n_error": 0, "metrics": {"K": 2.0}}
    assert missing_notes(summary, ["em", "K", "recall@5"]) == [
        "em: no question has an accepted answer, or none was read"
    ]


def test_time_and_money():
    timing = {"seconds": {"mean": 2.41}, "run_seconds": 67.0, "per_minute": 24.2}
    assert time_note(timing) == "a question takes 2.41 s beside others; run time 1:07, 24 questions a minute"
    assert (show_time(3.21), show_time(67)) == ("3.2 s", "1:07")
    paid = {"calls": 3, "estimated": 0, "tokens": {"m": {"in": 50, "out": 9}}}
    told = paid_line({"cost": {"calls": {"total": 4}, "cached": 1, "estimated": 0}, "paid": paid})
    assert told == "1 of 4 LM calls came from the cache; paid: 3 calls, 59 tokens."
    assert (total([1, 2]), total([1, None]), total([])) == (3, None, 0)


def test_trec_files_keep_the_order_and_the_ids_whole_and_of_a_question_the_last_row(tmp_path):
    titles = ["A B", "A_B", "A%20B", "A\u00a0B", "A\tB"]
    odd = plain_row("q 1", passages=[[title, 1.0] for title in titles], supporting=titles)
    failed = plain_row("q1", "error", supporting=["p1"])
    ranked, gold = write_trec(run(tmp_path, failed, *ROWS, odd))
    lines = [line.split() for line in ranked.read_text().splitlines()]
    assert lines[:2] == [["q1", "Q0", "p1", "1", "1", "one-step"], ["q1", "Q0", "x", "2", "0.5", "one-step"]]
    assert all(len(line) == 6 and line[0] == "q%201" for line in lines[2:])
    assert len({line[2] for line in lines[2:]}) == len(titles), "no two ids become one"
    judged = [line.split() for line in gold.read_text().splitlines()]
    assert judged[:2] == [["q1", "0", "p1", "1"], ["q1", "0", "p%209", "1"]]
    assert len(judged) == 8 + len(titles)
    assert [line[2] for line in lines[2:]] == [line[2] for line in judged[8:]]
