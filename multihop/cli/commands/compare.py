"""`multihop compare`: runs side by side, question by question."""

from functools import partial
from pathlib import Path

from ... import evaluation
from ..shared_options import Several, Switch


def compare_command(
    *runs: Path,
    different_data: Switch = False,
    metric: Several = None,
    to: Path | None = None,
    json: Switch = False,
) -> None:
    """Compare runs over the questions that all of them answered.

    Two are compared metric by metric; of more, each is compared with the first.

    For example:

        multihop compare runs/first runs/second
        multihop compare runs/first runs/second runs/third --to table.tex
        multihop compare runs/first runs/second --metric f1 --metric judged

    Parameters
    ----------
    runs
        The runs' folders.
    different_data
        Go on even if the runs were made on different question sets.
    metric
        A metric that is shown and written; may be given more than once, in the order of the columns. By default all of
        them, and of three runs or more, and in FILE.tex, EM, F1, recall@5 and those that no run has by default.
    to
        Also write a table with a row for each run to this file: FILE.csv, FILE.tex (needs the package booktabs) or
        FILE.json.
    json
        Print the rows as JSON instead of the table.
    """
    from ...base import InputError, unknown, writing
    from ...evaluation.comparison_table import TableFormat, comparison_rows, comparison_table
    from ..output import tell_result
    from ..show_comparison import MOST, show_comparison

    if not 2 <= len(runs) <= MOST:
        raise InputError(f"compare takes the folders of 2 to {MOST} runs, not of {len(runs)}.")
    formats: dict[str, TableFormat] = {".csv": "csv", ".tex": "latex", ".json": "json"}
    if to is not None and to.suffix not in formats:
        raise unknown("ending of a table's file", to.suffix, formats)
    comparisons = evaluation.compare_with_first(runs, different_data=different_data)
    show = partial(show_comparison, comparisons, metrics=metric)
    tell_result(json, lambda: comparison_rows(comparisons, metric), show)
    if to is not None:
        with writing(to) as file:
            file.write(comparison_table(comparisons, formats[to.suffix], metric))
