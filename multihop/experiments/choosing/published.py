"""The published F1 of papers, for LMs with which nothing was measured here."""

from collections.abc import Iterator
from typing import NamedTuple

from ..experiment import Measure
from .lm_kind import kind_of_size, size_in_name

OURS = "multihop"
"""The paper of the tables that are our own."""


class PublishedFigure(NamedTuple):
    """The F1 of a method on a question set, as a paper has it: its own prompts, corpus and questions."""

    f1: float
    """The figure, in percent."""
    program: str
    """The program that stands for the paper's row here."""
    row: str
    """The row's name in the paper."""
    set: str
    """The question set's short name."""
    lm: str
    """The LM behind it."""
    paper: str
    """The paper."""
    place: str
    """The table or figure."""
    experiment: str
    """The experiment that runs it here, as `multihop reproduce` takes it."""


def published_figures(question_set: str, kind: str) -> list[PublishedFigure]:
    """The figures that papers report of a question set with LMs of a kind: the highest of each program, the best first.

    Args:
        question_set: The set's short name.
        kind: A kind of LMs.

    Examples:
        >>> from multihop.experiments.choosing.published import published_figures
        >>> best = published_figures("hotpotqa", "medium")[0]
        >>> best.f1, best.program, best.lm, best.place
        (60.89, 'iter-retgen', 'Llama-3-8B-Instruct', 'Table 3')
    """
    best: dict[str, PublishedFigure] = {}
    for each in _all_figures():
        if (each.set, kind_of_size(size_in_name(each.lm))) == (question_set, kind):
            best[each.program] = max(best.get(each.program, each), each, key=lambda figure: figure.f1)
    return sorted(best.values(), key=lambda figure: -figure.f1)


def _all_figures() -> Iterator[PublishedFigure]:
    """Every published F1 over all questions of a set, but those of our own tables."""
    from ..catalog import experiment_names, open_experiment  # which load DSPy, as a choice alone does not

    for name in experiment_names():
        table = open_experiment(name)
        if table.paper == OURS:
            continue
        for row in table.rows:
            for column, figure in zip(table.columns, row.published, strict=True):
                lm, measure = table.lm_behind(row, column), table.measure(row, column)
                if figure is not None and lm is not None and measure == Measure("f1"):
                    yield PublishedFigure(figure, row.program, row.name, column.set, lm, table.paper, table.place, name)
