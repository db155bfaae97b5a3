"""`multihop export`: a finished run in the files of another tool."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..options.amounts import AtLeastOne
from ..options.single import AsJSON

_GOES_WITH = {
    "task": ("lm-eval", "flashrag", "eee", "eval-results"),
    "corpus": ("flashrag",),
    "model": ("eee",),
    "organization": ("eee",),
    "dataset": ("eval-results",),
    "metric": ("eval-results",),
    "source": ("eval-results",),
}
"""The forms that each option is for."""


def export_command(
    run: Path,
    /,
    *,
    as_: Annotated[Literal["lm-eval", "flashrag", "trec", "eee", "eval-results"], Parameter(name="--as")],
    to: Path,
    task: str | None = None,
    corpus: Annotated[str | None, Parameter(alias="-c")] = None,
    k: AtLeastOne = 5,
    model: str | None = None,
    organization: str | None = None,
    dataset: str | None = None,
    metric: str | None = None,
    source: str | None = None,
    json: AsJSON = False,
) -> None:
    """Write a finished run in the files of another tool.

    The tools are lm-evaluation-harness, FlashRAG, TREC, Every Eval Ever, and the hub's evaluation results.

    For example:

        multihop export runs/dev --as lm-eval --task hotpotqa --to results
        multihop export runs/dev --as flashrag --task hotpotqa --corpus corpus.jsonl --to results/flashrag
        multihop export runs/dev --as trec --to results/trec
        multihop export runs/dev --as eee --task hotpotqa --organization "My lab" --to results/eee
        multihop export runs/dev --as eval-results --dataset OWNER/NAME --task default --to results/hub

    Parameters
    ----------
    run
        The run's folder.
    as_
        "lm-eval": results_DATE.json and samples_TASK_DATE.jsonl, errors left out; "flashrag": metric_score.txt and
        intermediate_data.json by FlashRAG's own rules, errors as wrong, and row.csv; "trec": run.trec and qrels.trec;
        "eee": data/TASK/OWNER/MODEL/UUID.json and UUID_samples.jsonl of Every Eval Ever, errors left out;
        "eval-results": .eval_results/DATASET-TASK.yaml for the model's repository on the hub.
    to
        The folder to write to.
    task
        For lm-eval, flashrag and eee: what the questions are called; by default the name of the run's folder. For
        eval-results: the id of the task in the data set's eval.yaml.
    corpus
        For flashrag: the corpus or index that was searched; without it nothing is said of retrieval.
    k
        For flashrag with --corpus: how many passages of each question count.
    model
        For eee: the name on the hub, OWNER/NAME, of the model that answered; by default the run's name of its LM.
    organization
        For eee: the name of who reports the results.
    dataset
        For eval-results: the benchmark's data set on the hub, OWNER/NAME.
    metric
        For eval-results: the metric that the task is about; by default em.
    source
        For eval-results: the address of what the result can be checked with.
    """
    from ...base import InputError
    from ...evaluation import write_eee, write_eval_results, write_flashrag, write_lm_eval, write_trec
    from ..opening.inputs import Inputs
    from ..showing.output import tell_written

    given = {
        "task": task, "corpus": corpus, "model": model, "organization": organization, "dataset": dataset,
        "metric": metric, "source": source,
    }  # fmt: skip
    for name, forms in _GOES_WITH.items():
        if given[name] is not None and as_ not in forms:
            listed = " or ".join([*([", ".join(forms[:-1])] if forms[:-1] else []), forms[-1]])
            raise InputError(f"--{name} goes with --as {listed}, not with --as {as_}.")
    paths: tuple[Path, ...]
    if as_ == "lm-eval":
        paths = write_lm_eval(run, to, task=task)
    elif as_ == "flashrag":
        passages = None if corpus is None else Inputs(corpus=corpus).passages(corpus)
        paths = write_flashrag(run, to, task=task, passages=passages, k=k)
    elif as_ == "eee":
        paths = write_eee(run, to, task=task, model=model, organization=organization or "unknown")
    elif as_ == "eval-results":
        if dataset is None or task is None:
            raise InputError(
                "--as eval-results needs --dataset OWNER/NAME, the benchmark's data set on the hub, and --task, the id "
                "of the task in its eval.yaml."
            )
        paths = write_eval_results(run, to, dataset=dataset, task=task, metric=metric or "em", source=source)
    else:
        paths = write_trec(run, to)
    tell_written(paths, json=json)
