import pytest
import ujson

from multihop.evaluation import write_summary, write_trec
from multihop.evaluation.journal import Journal
from multihop.evaluation.report import budget_note, gap_notes, missing_notes, paid_line, show_time, time_note
from multihop.evaluation.summary import summarize, total

IDENTITY = {
    "program": {"name": "one-step", "settings": {"k": 5}},
    "lm": {"answer": {"model": "m|1"}},
    "data": {"questions": 4, "fingerprint": "f"},
}


def row(number, em=1.0, status="ok", calls=2, **fields):
    answered = status != "error"
    return {
        "id": f"q{number}",
        "type": "bridge" if number % 2 else "comparison",
        "hops": 2,
        "supporting": [f"p{number}", "p 9"],
        "status": status,
        "error": None if answered else {"type": "LMTimeoutError", "message": "slow"},
        "metrics": {"em": em, "recall@5": None if number == 3 else 0.5} if answered else {},
        "passages": [[f"p{number}", 3.5], ["x", None]] if answered else [],
        "cost": {
            "calls": calls,
            "cached": 0,
            "estimated": 0,
            "retrievals": 1,
            "parse_failures": 0,
            "chain": calls,
            "seconds": 0.1 * number,
            "calls_by_role": {"answer": calls},
            "tokens": {"m|1": {"in": 10, "out": 2}},
            "tokens_by_role": {"answer": {"in": 10, "out": 2}},
        },
        "run_seconds": 0.5,
        **fields,
    }


ROWS = [row(1), row(2, 0.0), row(3, 0.0, "over_budget"), row(4, status="error")]


def run(folder, rows, identity=IDENTITY, **about):
    with Journal(folder, identity, about) as journal:
        journal.append(rows)
    return folder


def test_errors_are_apart_from_wrong_answers():
    summary = summarize(ROWS, {})
    assert [summary[name] for name in ("n", "n_ok", "n_over_budget", "n_error")] == [4, 2, 1, 1]
    assert summary["errors"] == {"LMTimeoutError": 1}
    em = summary["metrics"]["em"]
    assert em["mean"] == pytest.approx(1 / 3, abs=1e-6)
    assert em["mean_over_all"] == pytest.approx(1 / 4, abs=1e-6)
    assert em["low"] <= em["mean"] <= em["high"]
    assert summary["metrics"]["recall@5"]["n"] == 2


def test_cost_and_breakdown_add_up():
    summary = summarize(ROWS, {})
    assert summary["cost"]["calls"] == {"mean": 2.0, "total": 8.0, "max": 2}
    assert summary["cost"]["calls_by_role"] == {"answer": 8}
    assert summary["cost"]["tokens"] == {"m|1": {"in": 40, "out": 8}}
    assert {name: group["n"] for name, group in summary["breakdown"]["type"].items()} == {"bridge": 2, "comparison": 1}
    assert "hops" not in summary["breakdown"]  # all the same: nothing to break down
    assert summary["timing"]["seconds"]["p50"] == pytest.approx(0.3)


def test_the_files_say_it_all(tmp_path):
    write_summary(run(tmp_path, ROWS))
    page = (tmp_path / "summary.md").read_text()
    assert "Only 4 questions" in page
    assert "LMTimeoutError" in page
    assert "m\\|1" in page
    assert ujson.loads((tmp_path / "summary.json").read_text())["n"] == 4


def test_trec_files_keep_the_order_and_the_ids_whole(tmp_path):
    ranked, gold = write_trec(run(tmp_path, ROWS))
    assert ranked.read_text().splitlines()[:2] == ["q1 Q0 p1 1 1 one-step", "q1 Q0 x 2 0.5 one-step"]
    assert gold.read_text().splitlines()[:2] == ["q1 0 p1 1", "q1 0 p%209 1"]
    assert len(gold.read_text().splitlines()) == 8


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


COST = dict.fromkeys(("calls", "cached", "estimated", "retrievals", "parse_failures", "chain", "seconds"), 1) | {
    "tokens": {}
}
KNOWN = {"status": "ok", "supporting": [], "passages": [], "metrics": {}, "cost": COST}


def returned(folder, *rows, name="one-step"):
    with Journal(folder, {"program": {"name": name}}) as journal:
        journal.append([{**KNOWN, **row} for row in rows])
    return folder


def ranking(path):
    return [line.split() for line in path.read_text().splitlines()]


def test_no_two_ids_become_one(tmp_path):
    titles = ["A B", "A_B", "A%20B", "A\u00a0B", "A\tB"]
    ranked, gold = write_trec(
        returned(tmp_path, {"id": "q 1", "passages": [[t, 1.0] for t in titles], "supporting": titles})
    )
    lines = ranking(ranked)
    assert all(len(line) == 6 and line[0] == "q%201" for line in lines)
    assert len({line[2] for line in lines}) == len(titles)
    assert [line[2] for line in lines] == [line[2] for line in ranking(gold)]


def test_the_last_row_of_a_question_counts(tmp_path):
    failed = {"id": "q1", "status": "error", "error": {"type": "E", "message": ""}, "supporting": ["p1"]}
    ranked, gold = write_trec(returned(tmp_path, failed, {"id": "q1", "passages": [["p2", 1.0]], "supporting": ["p1"]}))
    assert ranking(ranked) == [["q1", "Q0", "p2", "1", "1", "one-step"]]
    assert ranking(gold) == [["q1", "0", "p1", "1"]]
