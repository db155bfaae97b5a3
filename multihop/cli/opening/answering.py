"""The programs that `evaluate` asks, their metrics, and the runs of each: one, or several with other seeds."""

import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base import RunFailed
from .inputs import tell_user
from .this_process import heap_at_rest, importable_from_here, resumable

if TYPE_CHECKING:
    import dspy

    from ...data import Question, Reading
    from ...evaluation import Evaluation
    from ...evaluation.metrics import Metric
    from ...retrieval import Passage, RetrieverLike
    from ...runtime import Program


def named_references(
    questions: "Reading[Question]",
    passages: "Reading[Passage]",
    retriever: "RetrieverLike",
    out: Path,
    *,
    concurrency: int,
) -> "dict[str, tuple[Program, Path]]":
    """The floor and the ceiling by their names, each with the folder of its run."""
    from ...evaluation.references import references

    found = references(questions, passages, retriever, concurrency=concurrency)
    return {name: (program, out / "references" / name.partition(",")[0]) for name, program in found}


def further_metrics(names: Sequence[str] | None, rules: str, judge: "dspy.LM | None") -> "list[Metric]":
    """The metrics that were asked for besides those of every run.

    Raises:
        InputError: There is no such metric.
    """
    from ...evaluation import metric_named
    from ...evaluation.metrics import Judged

    importable_from_here(*(names or ()))
    named = [metric_named(name, rules=rules) for name in names or ()]
    return named if judge is None else [*named, Judged(judge)]


def run_program(
    name: str,
    program: "Program",
    out: Path,
    questions: "Reading[Question]",
    *,
    total: int,
    seed: int,
    repeats: int | None,
    **options: Any,
) -> Any:
    """A run of the program in the folder; with `repeats` so many, in folders of the folder.

    Args:
        name: The name under which its progress is shown.
        program: The program.
        out: The folder.
        questions: The questions of the source.
        total: The number of them that are asked.
        seed: The seed of the first run.
        repeats: The number of runs; None for one.
        **options: The other options of each run, as `evaluate` takes them.
    """
    from ...evaluation import evaluate, evaluate_repeatedly
    from ...evaluation.progress import Progress

    # Ray tells of dead actors on stdout, which is for results
    with redirect_stdout(sys.stderr), resumable(f"{out} keeps what is finished"), heap_at_rest():
        if repeats is None:
            return evaluate(program, questions, out=out, seed=seed, progress=Progress(name, total), **options)

        def show(folder: str) -> Progress:
            return Progress(f"{name}, {folder}", total)

        return evaluate_repeatedly(program, questions, repeats=repeats, out=out, seed=seed, progress=show, **options)


def check_answered(runs: Iterable["Evaluation"]) -> None:
    """Refuse to call it a result where every question of every run failed, or the last ones all in the same way.

    Raises:
        RunFailed: They did; the message has the first error, or the last one.
    """
    from ...evaluation.stopping import check_ending

    runs = list(runs)
    if all(run.summary["n_error"] == run.summary["n"] for run in runs):
        error = next(runs[0].rows()).get("error")
        if error is not None:
            reason = f": {error['message']}" if error["message"] else "."
            raise RunFailed(f"every question failed, the first with {error['type']}{reason}")
    for run in runs:
        check_ending(run.rows(), run.folder)


def tell_same_answers(lms: Iterable[str], *, seed: int, repeats: int | None) -> None:
    """Say which LMs will hardly answer otherwise with another seed, where another seed was asked for."""
    names = list(lms)
    if names and (seed or (repeats or 1) > 1):
        whose = " and ".join(names)
        tell_user(f"{whose}: decoded greedily, so that another seed asks anew and is likely to get the same answers.")
