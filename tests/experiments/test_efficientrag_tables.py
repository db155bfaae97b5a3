"""The tables of EfficientRAG show what the paper counts: its own loop, its pool, gold among other chunks."""

from operator import itemgetter

import pytest
from simulated import simulated

from multihop import scripted
from multihop.evaluation.journal import read_rows
from multihop.experiments import experiment_names, open_experiment, reproduce

TABLES = [name for name in experiment_names() if name.startswith("efficientrag-table-")]


def made(name, rows, folder, files, **options):
    """The table's rows that were run, and the journal of each."""
    table = reproduce(name, rows=rows, out=folder, lm=simulated, limit=3, **files, **options)
    run = [row for row in table["rows"] if row["n"]]
    return table, run, [sorted(read_rows(folder / row["folder"]), key=itemgetter("id")) for row in run]


@pytest.mark.parametrize("name", TABLES)
def test_efficientrag_runs_as_in_the_paper(name):
    rows = [row for row in open_experiment(name).rows if row.program == "efficientrag"]
    assert rows
    for row in rows:
        assert row.settings.items() >= {"k": 10, "hops": 4, "continue_at": 0.5, "useful_at": 0.2}.items()


def test_mixed_chunks_are_all_gold_ones_among_others_up_to_ten(little_files, tmp_path):
    judge = scripted(lambda prompt: {"correct": True})
    names = ["direct", "oracle chunks", "mixed chunks"]
    table, run, journals = made("efficientrag-figure-1", names, tmp_path, little_files, judge=judge)
    assert [row["row"] for row in run] == names
    direct, oracle, mixed = ([[name for name, _ in each["passages"]] for each in rows] for rows in journals)
    gold = [each["supporting"] for each in journals[0]]
    assert direct == [[], [], []]
    assert [sorted(names) for names in oracle] == [sorted(names) for names in gold]
    assert [len(set(names)) for names in mixed] == [10, 10, 10]
    assert all(set(names) <= set(came) for names, came in zip(gold, mixed, strict=True))
    assert "searched by bm25, not Contriever-MSMARCO" in table["caveats"]
