"""`multihop compare`: two runs side by side, question by question."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def compare_command(a: Path, b: Path, /, *, different_data: Annotated[bool, Parameter(negative=())] = False) -> None:
    """Compare two runs over the questions that both answered.

    For example:

        multihop compare runs/first runs/second

    Parameters
    ----------
    a
        The first run's folder.
    b
        The second run's folder.
    different_data
        Go on even if the runs were made on different question sets.
    """
    from rich.console import Console

    from ..evaluation import compare
    from ..terminal.results import show_comparison

    show_comparison(compare(a, b, different_data=different_data), Console())
