"""The head of a card: the description that the hub reads, lists and searches."""

import hashlib
from typing import Any

from ...evaluation.report.report import show_number
from ...evaluation.report.summary import usd_a_question
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
    from huggingface_hub import EvalResult, ModelCardData

    saved = shared.saved
    about: dict[str, Any] = {
        "program": saved.ours["program"],
        "format": saved.ours["format"],
        "sha256": hashlib.sha256(shared.file).hexdigest(),
        "compiled_for": compiled_for(saved.about),
        "retriever": saved.ours["retriever"],
    }
    results = []
    if run is not None:
        metrics = {name: run.summary["metrics"][name] for name in AT_THE_HEAD if name in run.summary["metrics"]}
        data, cost = run.header["identity"]["data"], run.summary["cost"]
        asked = {"source": run.source, "questions": run.summary["n"], "fingerprint": data["fingerprint"]}
        about |= {
            "simulated": run.summary["simulated"],
            "measured_on": asked,
            "measured": {
                name: {"mean": each["mean"], "interval": [each["low"], each["high"]], "questions": each["n"]}
                for name, each in metrics.items()
            },
            "cost": {
                "calls": cost["calls"]["mean"],
                "tokens": token_count(cost["tokens"]) / max(1, run.summary["n"]),
                "usd": usd_a_question(run.summary),
            },
        }
        results = (
            []
            if run.summary["simulated"]
            else [
                EvalResult(
                    task_type=TASK,
                    dataset_type=run.source,
                    dataset_name=run.source,
                    dataset_args=dict(asked),
                    metric_type=AT_THE_HEAD[name],
                    metric_name=name,
                    metric_value=float(show_number(name, metric["mean"])),
                )
                for name, metric in metrics.items()
            ]
        )
    described = ModelCardData(
        library_name="multihop",
        license=licence,
        pipeline_tag=TASK,
        tags=["multihop", "dspy", "multi-hop", "retrieval-augmented-generation"],
        model_name=title,
        eval_results=results or None,
        multihop=about,
    )
    return f"---\n{described.to_yaml().strip()}\n---"
