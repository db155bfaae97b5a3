"""`multihop export`: a finished run in the files of another tool."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..options.amounts import AtLeastOne
from ..options.single import AsJSON


def export_command(
    run: Path,
    /,
    *,
    as_: Annotated[Literal["lm-eval", "flashrag", "trec"], Parameter(name="--as")],
    to: Path,
    task: str | None = None,
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    k: AtLeastOne = 5,
    json: AsJSON = False,
) -> None:
    """Write a finished run in the files of another tool.

    The tools are lm-evaluation-harness, FlashRAG and TREC.

    For example:

        multihop export runs/dev --as lm-eval --task hotpotqa --to results
        multihop export runs/dev --as flashrag --task hotpotqa --corpus corpus.jsonl --to results/flashrag
        multihop export runs/dev --as trec --to results/trec

    Parameters
    ----------
    run
        The run's folder.
    as_
        "lm-eval": results_DATE.json and samples_TASK_DATE.jsonl, errors left out; "flashrag": metric_score.txt and
        intermediate_data.json by FlashRAG's own rules, errors as wrong, and row.csv; "trec": run.trec and qrels.trec.
    to
        The folder to write to.
    task
        For lm-eval and flashrag: what the questions are called; by default the name of the run's folder.
    corpus
        For flashrag: the corpus or index that was searched; without it nothing is said of retrieval.
    k
        For flashrag with --corpus: how many passages of each question count.
    """
    from ...base import InputError
    from ...evaluation import write_flashrag, write_lm_eval, write_trec
    from ..opening.inputs import Inputs
    from ..showing.output import tell_written

    if corpus is not None and as_ != "flashrag":
        raise InputError(f"--corpus goes with --as flashrag, not with --as {as_}.")
    if task is not None and as_ == "trec":
        raise InputError("--task goes with --as lm-eval and --as flashrag; TREC's files name no task.")
    paths: tuple[Path, ...]
    if as_ == "lm-eval":
        paths = write_lm_eval(run, to, task=task)
    elif as_ == "flashrag":
        passages = None if corpus is None else Inputs(corpus=corpus).passages(corpus)
        paths = write_flashrag(run, to, task=task, passages=passages, k=k)
    else:
        paths = write_trec(run, to)
    tell_written(paths, json=json)
