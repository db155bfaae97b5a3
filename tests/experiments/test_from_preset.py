"""An experiment takes from its preset what it does not say, and says what differs from the paper."""

import pytest
from paper_tables import OF_PAPERS

from multihop import InputError
from multihop.experiments import open_experiment
from multihop.programs import open_preset

TABLE = """
title = "A table"
preset = "{preset}"
place = "Table 1"
{more}
columns = [{{ set = "hotpotqa", metric = "f1" }}, {{ set = "2wikimultihopqa", metric = "f1" }}]

sets.hotpotqa = {{ title = "HotpotQA", questions = "little" }}
sets.2wikimultihopqa = {{ title = "2Wiki", questions = "little" }}

[[rows]]
name = "A"
program = "{program}"
{row}
"""


@pytest.fixture
def opened(tmp_path):
    """Opens a table with one row."""

    def open_table(row="", *, preset="mzqa/table-1", program="mzqa", more=""):
        path = tmp_path / "table.toml"
        path.write_text(TABLE.format(preset=preset, program=program, row=row, more=more))
        return open_experiment(path)

    return open_table


def test_a_row_has_the_values_of_the_preset_on_each_set(opened):
    experiment = opened()
    (row,) = experiment.rows
    assert experiment.settings(row, "hotpotqa") == {
        "iterations": 20, "depth": 4, "k": 6, "candidates": 5, "parallel": 1, "reuse": "none", "stops": [],
        "exploration": 1.0
    }  # fmt: skip
    assert experiment.settings(row, "2wikimultihopqa") == {**experiment.settings(row, "hotpotqa"), "k": 8}
    assert (row.shots, experiment.shots, experiment.decoding) == (0, 0, {"temperature": 0.1, "top_p": 1.0})
    assert (experiment.paper, experiment.lm) == ("MZQA (Lee et al., 2024)", "gpt-3.5-turbo-1106")
    assert experiment.retriever == "BM25 (Elasticsearch)"


def test_what_a_table_says_itself_counts(opened):
    experiment = opened("settings = { k = 2 }\nshots = 1", more='lm = "mine"\ndecoding = { top_p = 0.5 }')
    (row,) = experiment.rows
    assert [experiment.settings(row, each)["k"] for each in experiment.sets] == [2, 2]
    assert (row.shots, experiment.lm) == (1, "mine")
    assert experiment.decoding == {"temperature": 0.1, "top_p": 0.5}
    on_one = opened("settings_on = { hotpotqa = { k = 3 } }")
    assert [on_one.settings(on_one.rows[0], each)["k"] for each in on_one.sets] == [3, 8]


def test_what_differs_is_made_of_both(opened):
    experiment = opened(
        "settings = { k = 2, depth = 3, exploration = 2.0 }\nshots = 1",
        more='decoding = { temperature = 0.0 }\ndiffers = ["And more."]',
    )
    assert list(experiment.differs) == [
        "A: depth: 3 here, 4 in the paper (section 5.1).",
        "A: k on HotpotQA: 2 here, 6 in the paper (table 4).",
        "A: k on 2Wiki: 2 here, 8 in the paper (table 4).",
        "A: demonstrations a step: 1 here, 0 in the paper (section 5.1).",
        "The temperature is 0.0 here, and 0.1 in the paper (appendix C).",
        "The paper does not give the longest output; here it is the LM's own, on a server of one's own 1,024 tokens.",
        "The paper does not give the number of sub-questions that MZQA proposes; here 5, as appendix C has it for the "
        "trees it is compared with; the paper's own figures show 4 at the root and at most 3 below.",
        "The paper does not give the exploration weight of MZQA; here 2.0.",
        "And more.",
    ]


def test_a_preset_that_cannot_be_used_is_named_with_the_file(opened):
    with pytest.raises(InputError, match="table.toml, preset: unknown preset 'mzqa/table-99'"):
        opened(preset="mzqa/table-99")
    with pytest.raises(InputError, match="table.toml, preset: preset 'mzqa/table-1' is of mzqa, "):
        opened(program="tor")


@pytest.mark.parametrize("name", OF_PAPERS)
def test_a_table_of_a_paper_tells_everything_that_the_paper_leaves_open(name):
    experiment = open_experiment(name)
    preset = open_preset(experiment.preset)
    assert experiment.preset == name.replace("-", "/", 1)
    for row in experiment.rows:
        for setting, value in preset.programs[row.program].settings.items():
            if not value.place and setting not in experiment.varies:
                assert value.not_given() in experiment.differs, setting
    for value in preset.decoding.values():
        assert value.place or value.not_given() in experiment.differs
