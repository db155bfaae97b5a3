from multihop.experiments.sweeping.sweep_page import as_page, row_cells, show_difference, sweep_heads, sweep_title


def interval(mean, half):
    return {"mean": mean, "low": mean - half, "high": mean + half}


def row(changed, *, f1=0.5, difference=None, n=20):
    return {
        "settings": {"k": 5, "order": "depth", **changed},
        "changed": changed,
        "folder": "points/x",
        "n": n,
        "errors": 0,
        "over_budget": 0,
        "metrics": {"f1": {**interval(f1, 0.1), "n": n, "mean_over_all": f1}},
        "differences": {} if difference is None else {"f1": {**interval(*difference), "n": n, "p_value": 0.5}},
        "calls": interval(3.25, 0.5),
        "tokens": interval(1234.4, 10),
        "seconds": interval(0.5, 0.25),
        "paid_calls": 65,
        "paid_usd": 0.0,
    }


def table(*rows, **fields):
    return {
        "program": "tor", "settings": {"k": 5}, "swept": ["k", "order"], "lms": ["a/model"], "retriever": None,
        "simulated": False, "points": len(rows), "stopped": False, "rows": [*rows], "effects": [], **fields,
    }  # fmt: skip


def test_a_row_has_its_settings_quality_and_cost():
    found = table(row({}), row({"k": 3}, difference=(-0.1, 0.05), n=12))
    assert sweep_heads(found) == ["k", "order", "F1", "differs", "calls", "tokens", "seconds"]
    costs = ["3.25±0.50", "1,234±10", "0.50±0.25"]
    assert row_cells(found, found["rows"][0]) == ["5 (default)", "depth", "50.0±10.0", "–", *costs]
    second = ["3 (n=12)", "depth", "50.0±10.0", "-10.0 [-15.0, -5.0]*", *costs]
    assert row_cells(found, found["rows"][1]) == second


def test_a_difference_has_a_star_where_its_interval_excludes_0():
    assert show_difference(row({}, difference=(0.1, 0.1001))) == "+10.0 [+0.0, +20.0]"
    assert show_difference(row({}, difference=(0.1, 0.02))) == "+10.0 [+8.0, +12.0]*"


def test_the_page():
    effect = {
        "setting": "order", "values": ["depth", "breadth"], "metric": "f1", "lowest": 0.4, "highest": 0.5,
        "fewest_calls": 3.25, "most_calls": 9.0, "surely": [],
    }  # fmt: skip
    rows = [row({}), row({"order": "breadth"}, difference=(0, 0.1)), row({"k": 1}, difference=(0, 0.1))]
    page = as_page(table(*rows, simulated=True, effects=[effect]))
    lines = page.splitlines()
    assert lines[0] == "# tor over k and order, on a/model, 20 questions" == f"# {sweep_title(table(*rows))}"
    assert lines[2].startswith("**SIMULATED")
    assert lines[4:6] == [
        "| k | order | F1 | differs | calls | tokens | seconds |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    assert (
        "- order (depth, breadth): F1 from 40.0 to 50.0; no value is shown to differ from the default; calls from "
        "3.2 to 9.0" in lines
    )
    assert "2 points are compared: by chance alone one interval in 20 excludes 0." in lines
    assert 'Settings by default: `{"k":5}`' in lines
