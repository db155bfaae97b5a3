from io import StringIO

from rich.console import Console

from multihop.cli.show_experiments import show_experiments
from multihop.experiments import experiment_names, open_experiment


def test_no_figure_is_cut_where_the_terminal_is_narrow():
    text = StringIO()
    show_experiments([open_experiment(name) for name in experiment_names()], Console(file=text, width=80))
    lines = {line.split()[0]: line.rstrip() for line in text.getvalue().splitlines() if line.strip()}
    assert lines["efficientrag-table-2"].endswith(" 8     179,184    335,970")
    assert lines["mzqa-figure-3"].endswith(" 5      22,500      9.4 M")
    assert max(map(len, lines.values())) <= 80
    assert "…" not in text.getvalue()
