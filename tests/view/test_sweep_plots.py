import dspy
import pytest

from multihop import BM25, Passage, Question, scripted
from multihop.experiments import sweep
from multihop.view.plots.sweep_plots import sweep_plots, write_sweep_plots

PAGES = [Passage(f"p{number}", f"Page {number}", f"Thing {number} is hue{number}.") for number in range(3)]
ASKED = [Question(id=f"q{number}", question=f"thing {number}?", answers=(f"hue{number}",)) for number in range(3)]


@pytest.fixture
def swept(tmp_path):
    def run(over, **options):
        lm = scripted(lambda prompt: {field.name: "hue1" for field in prompt.output_fields})
        with dspy.context(lm=lm):
            return sweep("iter-retgen", ASKED, retriever=BM25.build(PAGES), over=over, out=tmp_path, **options)

    return run


def lines(plot):
    return [len(line["places"]) for line in plot["lines"]]


def test_a_line_for_each_value_of_the_other_setting(swept, tmp_path):
    table = swept({"k": [1, 2, 5], "turns": [1, 3]})
    plots = sweep_plots(table, tmp_path)
    assert {name: lines(plot) for name, plot in plots.items()} == {"k": [3, 3], "turns": [2, 2, 2]}
    assert plots["k"]["title"] == "f1 by k"
    assert [path.name for path in write_sweep_plots(table, tmp_path)] == ["k.svg", "turns.svg"]
    assert (tmp_path / "k.svg").read_text().startswith("<svg")


def test_each_setting_alone_is_one_line(swept, tmp_path):
    table = swept({"k": [1, 2], "retries": [0, 1]}, one_at_a_time=True)
    plots = sweep_plots(table, tmp_path)
    assert {name: lines(plot) for name, plot in plots.items()} == {"k": [3], "retries": [3]}


def test_of_many_combinations_those_with_the_other_settings_as_by_default(swept, tmp_path):
    plots = sweep_plots(swept({"k": [1, 5], "turns": [1, 3], "retries": [0, 1, 2]}), tmp_path)
    assert {name: lines(plot) for name, plot in plots.items()} == {"k": [2], "turns": [2], "retries": [3, 3, 3, 3]}


def test_a_setting_of_one_value_has_no_plot(swept, tmp_path):
    assert sweep_plots(swept({"k": [5]}), tmp_path) == {}
