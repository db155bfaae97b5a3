import math
import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from multihop.evaluation.statistics import Columns

COST = {
    "calls": 3,
    "cached": 0,
    "estimated": 0,
    "retrievals": 1,
    "parse_failures": 0,
    "chain": 2,
    "seconds": 0.5,
    "calls_by_role": {"review": 2, "answer": 1},
    "tokens": {"m": {"in": 10, "out": 2}},
    "tokens_by_role": {"answer": {"in": 4, "out": 1}},
}


def row(identifier, status="ok", **fields):
    known = {"id": identifier, "status": status, "type": "t", "hops": 2, "metrics": {"em": 1.0}}
    return {**known, "cost": COST, "run_seconds": 0.5, **fields}


def test_numbers_stand_in_the_order_of_the_ids():
    run = Columns([row("b", metrics={"em": 0.0, "recall@5": None}), row("a"), row("c", metrics={"recall@5": 0.5})])
    assert run.ids == ["a", "b", "c"]
    assert run["metrics", "em"].tolist()[:2] == [1.0, 0.0]
    assert [math.isnan(value) for value in run["metrics", "recall@5"]] == [True, True, False]
    assert run["calls_by_role", "review"].tolist() == [2.0, 2.0, 2.0]
    assert run["tokens", "m", "in"].tolist() == [10.0, 10.0, 10.0]
    assert run.of_kind("metrics") == [("metrics", "em"), ("metrics", "recall@5")]


def test_of_a_question_asked_again_only_the_last_row_is_left():
    failed = row("a", "error", error={"type": "LMError", "message": "down"}, metrics={"old": 1.0})
    run = Columns([failed, row("b"), row("a")])
    assert len(run) == 2
    assert run.labels[0].status == "ok"
    assert run.labels[0].error == ""
    assert math.isnan(run["metrics", "old"][0])
    assert run["metrics", "em"].tolist() == [1.0, 1.0]


@given(st.permutations(range(6)))
def test_the_order_of_the_rows_is_not_seen(order):
    rows = [row(f"q{i}", metrics={"em": i / 6}, type="even" if i % 2 else "odd") for i in range(6)]
    straight, shuffled = Columns(rows), Columns([rows[i] for i in order])
    assert straight["metrics", "em"].tolist() == shuffled["metrics", "em"].tolist()
    assert straight.labels == shuffled.labels


def test_a_run_without_rows_has_empty_columns():
    run = Columns([])
    assert len(run) == 0
    assert run["cost", "calls"].tolist() == []


def test_a_question_costs_a_few_hundred_bytes():
    def rows(n):
        for number in range(n):
            yield row(
                f"q{number}", trajectory=["x" * 1000] * 10, cost={**COST, "tokens": {"m": {"in": number, "out": 1}}}
            )

    tracemalloc.start()
    kept = Columns(rows(5000))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(kept) == 5000
    assert size / 5000 < 600
