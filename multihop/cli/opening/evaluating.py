"""The programs and metrics of `evaluate`: the program, the references beside it, and the metrics asked for."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...base import InputError
from .own_code import importable_from_here
from .sources import is_artefact

if TYPE_CHECKING:
    import dspy

    from ...data import Question, Reading
    from ...evaluation.metrics import Metric
    from ...retrieval import Passage, RetrieverLike
    from ...runtime import Program

NamedPrograms = dict[str, tuple["Program", Path]]
"""Programs by the names of their rows, each with the folder of its run."""


def named_program(name: str, program: "Program", out: Path) -> NamedPrograms:
    """The program under its name; a saved one under that of its file."""
    return {Path(name).stem if is_artefact(name) else program.name: (program, out)}


def named_references(
    questions: "Reading[Question]",
    passages: "Reading[Passage]",
    retriever: "RetrieverLike",
    out: Path,
    *,
    concurrency: int,
) -> NamedPrograms:
    """The floor and the ceiling, in folders of the run's."""
    from ...evaluation.references import references

    found = references(questions, passages, retriever, concurrency=concurrency)
    return {name: (program, out / "references" / name.partition(",")[0]) for name, program in found}


def run_metrics(
    names: Sequence[str] | None, rules: str, judge: "dspy.LM | None", *, exact_is_right: bool = False
) -> "tuple[list[Metric], list[str]]":
    """The metrics of the run, and the names of those that were asked for besides the ones of every run.

    Args:
        names: Further metrics, by name or as MODULE:METRIC.
        rules: Whose official rules score the answers.
        judge: What judges answers, if anything does.
        exact_is_right: It is not asked about answers that match exactly.

    Raises:
        InputError: Nothing judges, and yet it is said what is not judged.
    """
    if exact_is_right and judge is None:
        raise InputError("--exact-is-right says what a judge is not asked; give the judge as well, as --judge-lm LM.")
    from ...evaluation import default_metrics, metric_named
    from ...evaluation.metrics import Judged

    importable_from_here(*(names or ()))
    further = [metric_named(name, rules=rules) for name in names or ()]
    further += [Judged(judge, exact_is_right=exact_is_right)] if judge is not None else []
    return [*default_metrics(rules=rules), *further], [each.name for each in further]
