"""The tables of docs/sensitivity.md have places for the sweeps that the page names."""

import re
from pathlib import Path

import pytest
from scripts import load_script

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "sensitivity.md").read_text()
FIGURE = {"mean": 0.5, "low": 0.4, "high": 0.6}
TABLE = {
    "program": "one-step", "settings": {"k": 5}, "swept": ["k"], "lms": ["a/model"], "retriever": None,
    "simulated": False, "points": 2, "stopped": False,
    "rows": [
        {
            "settings": {"k": k}, "changed": changed, "folder": "points/x", "n": 9, "errors": 0, "over_budget": 0,
            "metrics": {name: {**FIGURE, "n": 9, "mean_over_all": 0.5} for name in ("em", "f1", "recall@5")},
            "differences": differences, "calls": FIGURE, "tokens": FIGURE, "seconds": FIGURE,
            "paid_calls": 9, "paid_usd": 0.0,
        }
        for k, changed, differences in (
            (5, {}, {}),
            (3, {"k": 3}, {"f1": {"mean": 0.0, "low": -0.1, "high": 0.1, "n": 9, "p_value": 1.0}}),
        )
    ],
    "effects": [
        {
            "setting": "k", "values": [5, 3], "metric": "f1", "lowest": 0.5, "highest": 0.5, "fewest_calls": 1.0,
            "most_calls": 1.0, "surely": [],
        }
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def maker():
    return load_script(DOCS / "make_sensitivity.py")


def test_every_sweep_of_the_page_has_its_place(maker):
    commands = PAGE.replace("\\\n", " ").splitlines()
    named = [
        re.search(r"--out runs/(\S+)", line)[1]
        for line in commands
        if line.startswith("multihop sweep") and "--over" in line
    ]
    assert len(named) == 11
    for name in dict.fromkeys(named):
        assert f"<!-- {name} -->" in PAGE
    for folder in re.search(r"make_sensitivity.py (runs/qwen.*)", PAGE)[1].split():
        assert f"--out {folder}" in PAGE


def test_a_table_goes_where_its_mark_is(maker):
    table = "\n".join(maker.lines(TABLE))
    assert table.splitlines() == [
        "| k | EM | F1 | differs | calls | tokens | seconds |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| 5 (default) | 50.0±10.0 | 50.0±10.0 | – | 0.50±0.10 | 0±0 | 0.50±0.10 |",
        "| 3 | 50.0±10.0 | 50.0±10.0 | +0.0 [-10.0, +10.0] | 0.50±0.10 | 0±0 | 0.50±0.10 |",
        "",
        "- k (5, 3): F1 from 50.0 to 50.0; no value is shown to differ from the default; calls 1.0 at every value.",
    ]
    page = "before\n<!-- mine -->\nold\n<!-- end -->\nafter\n"
    once = maker.with_table(page, "mine", table)
    assert once == f"before\n<!-- mine -->\n\n{table}\n\n<!-- end -->\nafter\n"
    assert maker.with_table(once, "mine", table) == once
    with pytest.raises(SystemExit, match="the page has no mark '<!-- other -->'"):
        maker.with_table(page, "other", table)


def test_a_simulation_has_no_time(maker):
    head = next(maker.lines({**TABLE, "simulated": True})).splitlines()[0]
    assert head == "| k | EM | F1 | differs | calls | tokens |"
