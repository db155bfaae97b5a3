"""Every experiment runs to its end, all its columns filled, on a few questions with an engine that costs nothing."""

import pytest
from simulated import simulated

from multihop import scripted
from multihop.experiments import open_experiment, reproduce
from multihop.experiments.figures import NOT_MEASURED

MOST_CHUNKS = 10
"""Chunks a query of EfficientRAG at most: the tiny encoder, which learned nothing, may go on from every one of them."""


LONG = ("efficientrag-table-3", "mzqa-figure-6", "zero-token")


@pytest.mark.parametrize(
    "name", ["resp-table-2", "tor-table-4", *(pytest.param(name, marks=pytest.mark.seconds) for name in LONG)]
)
def test_every_column_is_filled(name, little_files, tmp_path, tiny_encoder):
    asked = iter(range(10**6))
    judge = scripted(lambda prompt: {"correct": next(asked) % 2 == 0})
    searches = 8  # LM calls a question: what a search would go on to ask is not what this test is about
    experiment = open_experiment(name)
    rows = [  # for those that are compiled see test_learned_rows.py
        row.name
        for row in experiment.rows
        if row.compile is None and (row.program, row.settings.get("k", 0) > MOST_CHUNKS) != ("efficientrag", True)
    ]
    lms = dict.fromkeys(experiment.published_lms, simulated)  # each column has its own LM
    if any(each.asking for each in experiment.sets.values()):  # which only the paper's own set has
        little_files = {"questions": "little"}
    table = reproduce(
        name, out=tmp_path, lm=None if lms else simulated, lms=lms, judge=judge, limit=3, budget_calls=searches,
        rows=rows, **little_files,
    )  # fmt: skip
    assert (tmp_path / "table.md").read_text().startswith("**Not the published setting: ")
    assert len(table["rows"]) == len(experiment.sets) * sum(len(experiment.lms_behind(row)) for row in experiment.rows)
    for row in table["rows"]:
        if row["row"] not in rows:
            assert row["n"] == 0
            continue
        assert (row["n"], row["errors"]) == (3, 0)
        assert row["calls"] <= searches + 3  # what answers in the end is asked whatever was spent
        for cell in row["cells"]:
            unknown = " hops" in cell["measure"] or cell["metric"] in (NOT_MEASURED, "count:rounds")
            assert cell["ours"] is not None or unknown, (row["row"], cell)
