"""The head of a card: the description that the hub reads, lists and searches."""

import hashlib
from typing import Any

from ...data.hub import PREFIX as ON_HUB
from ...data.hub import parse
from ...evaluation.report.report import show_number
from ...evaluation.report.summary import Measured, usd_a_question
from ...runtime import token_count
from ..compiled_for import compiled_for
from .measured import MeasuredRun
from .shareable import Shareable

TASK = "question-answering"
"""The hub's name of what a program does."""
AT_THE_HEAD = {"em": "exact_match", "f1": "f1", "recall@5": "recall@5", "all-recall@5": "all-recall@5"}
"""The metrics that the hub is told, each with its name there; the report has all."""


def head(title: str, shared: Shareable, run: MeasuredRun | None, licence: str | None) -> str:
    """The description of the program for the hub, in YAML between two lines.

    Args:
        title: The name of the place.
        shared: The program.
        run: A run of it, if there is one to tell of; the hub is not told of one whose LM knew the gold.
        licence: Its licence, as the hub writes it.
    """
    from huggingface_hub import ModelCardData

    saved = shared.saved
    about: dict[str, Any] = {
        "program": saved.ours["program"],
        "format": saved.ours["format"],
        "sha256": hashlib.sha256(shared.file).hexdigest(),
        "compiled_for": compiled_for(saved.about),
        "retriever": saved.ours["retriever"],
    }
    if run is not None:
        about |= _measured(run)
    described = ModelCardData(
        library_name="multihop",
        license=licence,
        pipeline_tag=TASK,
        tags=["multihop", "dspy", "multi-hop", "retrieval-augmented-generation"],
        model_name=title,
        eval_results=_results(run) or None,
        multihop=about,
    )
    return f"---\n{described.to_yaml().strip()}\n---"


def _measured(run: MeasuredRun) -> dict[str, Any]:
    """What the run came to: the questions, the metrics with their intervals, and the cost of a question."""
    cost, n = run.summary["cost"], run.summary["n"]
    return {
        "simulated": run.summary["simulated"],
        "measured_on": _asked(run),
        "measured": {
            name: {"mean": each["mean"], "interval": [each["low"], each["high"]], "questions": each["n"]}
            for name, each in _metrics(run).items()
        },
        "cost": {
            "calls": cost["calls"]["mean"],
            "tokens": round(token_count(cost["tokens"]) / max(1, n), 1),
            "usd": usd_a_question(run.summary),
        },
    }


def _results(run: MeasuredRun | None) -> list[Any]:
    """The metrics as the hub lists them; none of a run whose LM knew the gold."""
    from huggingface_hub import EvalResult

    if run is None or run.summary["simulated"]:
        return []
    return [
        EvalResult(
            task_type=TASK,
            **_dataset(run.source),
            dataset_args=_asked(run),
            metric_type=AT_THE_HEAD[name],
            metric_name=name,
            metric_value=float(show_number(name, metric["mean"])),
        )
        for name, metric in _metrics(run).items()
    ]


def _metrics(run: MeasuredRun) -> dict[str, Measured]:
    return {name: run.summary["metrics"][name] for name in AT_THE_HEAD if name in run.summary["metrics"]}


def _asked(run: MeasuredRun) -> dict[str, Any]:
    fingerprint = run.header["identity"]["data"]["fingerprint"]
    return {"source": run.source, "questions": run.summary["n"], "fingerprint": fingerprint}


def _dataset(source: str) -> dict[str, Any]:
    """The questions as the hub lists them: a set of its own with its part, and anything else by its name.

    Examples:
        >>> from multihop.optimize.sharing.card_head import _dataset
        >>> _dataset("hub:hotpotqa")["dataset_type"], _dataset("data/dev.jsonl")["dataset_type"]
        ('hotpotqa/hotpot_qa', 'data/dev.jsonl')
    """
    if not source.startswith(ON_HUB):
        return {"dataset_type": source, "dataset_name": source}
    name = parse(source)
    return {
        "dataset_type": name.name,
        "dataset_name": source,
        "dataset_config": name.config,
        "dataset_split": name.split,
    }
