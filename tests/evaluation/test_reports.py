import random

import pytest
import ujson

from multihop import InputError
from multihop.evaluation import compare, write_summary, write_trec
from multihop.evaluation.journal import Journal
from multihop.evaluation.summary import summarize

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


def without_timing(summary):
    return {name: value for name, value in summary.items() if name != "timing"}


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


def test_the_order_of_the_rows_does_not_matter_and_the_last_of_an_id_counts():
    shuffled = list(ROWS)
    random.Random(5).shuffle(shuffled)
    assert without_timing(summarize(shuffled, {})) == without_timing(summarize(ROWS, {}))
    assert summarize([*ROWS, row(4, 1.0)], {})["n_error"] == 0


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


def test_two_runs_are_paired_by_question(tmp_path):
    a = run(tmp_path / "a", ROWS)
    b = run(tmp_path / "b", [row(1, 0.0, calls=6), row(2, 1.0, calls=6), row(3, 1.0, calls=6), row(5)])
    found = compare(a, b)
    assert (found.n, found.only) == (3, (0, 1))
    assert (found.gained, found.lost) == (("q2", "q3"), ("q1",))
    em = found.metrics["em"]
    assert (em.a, em.b) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert em.change.mean == pytest.approx(1 / 3)
    assert em.p_value == 1.0  # two up, one down: any sign pattern is at least as far from 0
    assert found.cost["calls"] == (2.0, 6.0)
    assert compare(a, a).metrics["em"].p_value == 1.0


def test_runs_on_different_questions_are_not_compared_unless_told_to(tmp_path):
    a = run(tmp_path / "a", ROWS)
    b = run(tmp_path / "b", ROWS, {**IDENTITY, "data": {"questions": 4, "fingerprint": "other"}})
    with pytest.raises(InputError, match="different questions"):
        compare(a, b)
    assert compare(a, b, different_data=True).n == 3
    with pytest.raises(InputError, match="no answered question in common"):
        compare(a, run(tmp_path / "c", [row(9)]))
    with pytest.raises(InputError, match="is not a run"):
        compare(a, tmp_path / "nothing")
