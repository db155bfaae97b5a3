"""A run in the two files of lm-evaluation-harness: its results, and its samples."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import ujson

from ...base import writing
from ..journal.header import Header
from ..journal.journal import read_rows
from ..matching import describe_matching
from ..report.columns import Columns
from ..report.report import lm_names, program_name
from .run import ExportedQuestion, check_export_folder, check_header, measured_columns, read_run

NAMES = {"em": "exact_match"}
"""The harness's own name for a metric of ours, where it has another."""
FILTER = "none"
"""Its name for answers that are taken as they are."""


def write_lm_eval(
    folder: str | os.PathLike[str], to: str | os.PathLike[str], *, task: str | None = None
) -> tuple[Path, Path]:
    """Write results_DATE.json and samples_TASK_DATE.jsonl, and return their paths.

    Means and standard errors are over the questions that were answered, and errors are no samples: "n-samples" has
    both counts. What the harness has no place for is under "multihop" in the results.

    Args:
        folder: The run's folder.
        to: The folder to write to.
        task: The name of the questions; by default the name of the run's folder.

    Raises:
        InputError: The folder holds no run, or a damaged one.
    """
    header, questions = read_run(folder)
    check_header(header, folder)
    name = task or Path(folder).resolve().name
    target, date = check_export_folder(to), header["started"].replace(":", "-")
    results, samples = target / f"results_{date}.json", target / f"samples_{_file_name(name)}_{date}.jsonl"
    columns = Columns(read_rows(folder))
    metrics = measured_columns(columns)
    with writing(results) as file:
        value = _results(header, questions, name, metrics)
        ways = [labels.matched_by for labels in columns.labels if labels.matched_by]
        value["multihop"]["recall"] = describe_matching({way: ways.count(way) for way in sorted(set(ways))})
        ujson.dump(value, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)
    with writing(samples) as file:
        for number, question in enumerate(questions):
            if question.answer is not None:
                line = _sample(number, question, name, set(metrics))
                file.write(ujson.dumps(line, ensure_ascii=False, escape_forward_slashes=False) + "\n")
    return results, samples


def standard_error(values: Sequence[float]) -> float | str:
    """The standard error of the mean, as the harness has it; "N/A" of a single value.

    Examples:
        >>> from multihop.evaluation.exports.lm_eval_files import standard_error
        >>> standard_error([1.0, 0.0, 0.0, 0.0]), standard_error([1.0])
        (0.25, 'N/A')
    """
    if len(values) < 2:
        return "N/A"
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))


def _results(
    header: Header, questions: Sequence[ExportedQuestion], task: str, metrics: dict[str, Any]
) -> dict[str, Any]:
    identity, answered = header["identity"], [question for question in questions if question.answer is not None]
    numbers: dict[str, Any] = {"alias": task, "sample_len": len(answered)}
    for metric, column in metrics.items():
        values = [float(value) for value in column if value == value]
        numbers[f"{_named(metric)},{FILTER}"] = sum(values) / len(values)
        numbers[f"{_named(metric)}_stderr,{FILTER}"] = standard_error(values)
    better = {_named(metric): metric != "K" for metric in metrics}
    shots = max((len(prompt.get("demos", ())) for prompt in identity["program"].get("prompts", {}).values()), default=0)
    settings, model = identity["program"].get("settings", {}), f"{program_name(header)} on {lm_names(header)}"
    listed = [
        {"metric": metric, "aggregation": "mean", "higher_is_better": is_better} for metric, is_better in better.items()
    ]
    decoding = {step: lm.get("decoding", {}) for step, lm in identity.get("lm", {}).items()}
    return {
        "results": {task: numbers},
        "group_subtasks": {task: []},
        "configs": {
            task: {
                "task": task,
                "output_type": "generate_until",
                "num_fewshot": shots,
                "metric_list": listed,
                "filter_list": [{"name": FILTER}],
                "repeats": 1,
                "metadata": {"version": 1, "settings": settings, "metrics": identity.get("metrics", {})},
            }
        },
        "versions": {task: 1},
        "n-shot": {task: shots},
        "higher_is_better": {task: better},
        "n-samples": {task: {"original": identity["data"]["questions"], "effective": len(answered)}},
        "config": {
            "model": "multihop",
            "model_args": {"program": program_name(header), "lm": lm_names(header), **settings},
            "limit": header["limits"]["questions"],
            "gen_kwargs": decoding,
            "random_seed": header["seed"],
        },
        "git_hash": header["git"],
        "date": datetime.fromisoformat(header["started"]).timestamp(),
        "task_hashes": {task: identity["data"]["fingerprint"]},
        "model_source": "multihop",
        "model_name": model,
        "model_name_sanitized": re.sub(r'["<>:/|\\?*\[\]]+', "__", model),
        "multihop": {
            "simulated": bool(header.get("simulated", False)),
            "status": header["status"],
            "errors": len(questions) - len(answered),
            "retriever": identity.get("retriever"),
            "packages": header["packages"],
        },
    }


def _sample(number: int, question: ExportedQuestion, task: str, known: set[str]) -> dict[str, Any]:
    doc = {
        "id": question.id,
        "question": question.question,
        "answers": question.answers,
        "supporting": question.supporting,
        "type": question.type,
        "hops": question.hops,
    }
    target = question.answers[0] if question.answers else ""
    measured = {_named(name): value for name, value in question.metrics.items() if name in known}
    return {
        "doc_id": number,
        "doc": doc,
        "target": target,
        "arguments": {"gen_args_0": {"arg_0": question.question, "arg_1": {}}},
        "resps": [[question.answer]],
        "filtered_resps": [question.answer],
        "filter": FILTER,
        "metrics": list(measured),
        "doc_hash": _hash(ujson.dumps(doc, ensure_ascii=False, escape_forward_slashes=False, indent=2)),
        "prompt_hash": _hash(question.question),
        "target_hash": _hash(target),
        "task_name": task,
        **measured,
    }


def _named(metric: str) -> str:
    return NAMES.get(metric, metric)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _file_name(task: str) -> str:
    return re.sub(r"\W", "_", task)
