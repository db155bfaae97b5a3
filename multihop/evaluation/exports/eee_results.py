"""The results of a run as Every Eval Ever has them: for each metric what it is, its mean, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ujson

from ...data import hub
from ..journal.header import Header
from ..report.report import program_name
from ..report.statistics import RESAMPLES, bootstrap_means
from .eee_model import as_texts
from .lm_eval_files import standard_error

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REGISTERED = {"em": ("exact-match", "accuracy"), "f1": ("f1", "f1")}
"""Metrics that the project's registry knows, by their ids and kinds there; all others are named as multihop's."""
_SHARES = re.compile(r"em|acc|f1|judged|sup-em|sup-f1|(all-)?recall@\w+")
"""Metrics between 0 and 1 of which more is better."""


def metric_config(metric: str) -> dict[str, Any]:
    """A record's "metric_config"; of a metric of one's own neither the range nor the direction is known.

    Examples:
        >>> from multihop.evaluation.exports.eee_results import metric_config
        >>> config = metric_config("K")
        >>> config["metric_id"], config["lower_is_better"], config["max_score"]
        ('multihop.K', True, 'Infinity')
    """
    identifier, kind = _REGISTERED.get(metric, (f"multihop.{metric}", None))
    config: dict[str, Any] = {"metric_id": identifier, "metric_name": metric, "lower_is_better": metric == "K"}
    if kind:
        config["metric_kind"] = kind
    if _SHARES.fullmatch(metric):
        return config | {"metric_unit": "proportion", "score_type": "continuous", "min_score": 0, "max_score": 1}
    if metric == "K":
        bounds = {"min_score": 0, "max_score": "Infinity"}
        return config | {"metric_unit": "passages", "score_type": "continuous", **bounds}
    return config | {"additional_details": {"bounds_status": "unknown", "polarity": "unknown"}}


def result_records(
    header: Header, task: str, metrics: Mapping[str, NDArray[np.float64]], details: dict[str, str]
) -> list[dict[str, Any]]:
    """The record's "evaluation_results".

    Args:
        header: The run's header.
        task: The name of the questions.
        metrics: The metrics' values, NaN where one does not apply.
        details: Details that go for all of them.
    """
    means, definitions, results = bootstrap_means(dict(metrics)), header["identity"].get("metrics", {}), []
    for metric, values in metrics.items():
        mean, error = means[metric], standard_error([float(value) for value in values if value == value])
        uncertainty: dict[str, Any] = {
            "confidence_interval": {
                "lower": mean.low,
                "upper": mean.high,
                "confidence_level": 0.95,
                "method": "percentiles of the means of questions drawn with replacement",
            },
            "num_samples": mean.n,
            "num_bootstrap_samples": RESAMPLES,
        }
        if not isinstance(error, str):
            uncertainty["standard_error"] = {"value": error, "method": "analytic"}
        config = metric_config(metric)
        if metric in definitions:
            config["metric_parameters"] = {"definition": ujson.dumps(definitions[metric])}
        results.append(
            {
                "evaluation_result_id": metric,
                "evaluation_name": task,
                "source_data": _source_data(header, task),
                "metric_config": config,
                "score_details": {"score": mean.mean, "details": details, "uncertainty": uncertainty},
                "generation_config": _generation(header),
            }
        )
    return results


def _source_data(header: Header, task: str) -> dict[str, Any]:
    source, data = header.get("source", ""), header["identity"]["data"]
    details = as_texts({"source": source or None, **data})
    if not source.startswith(hub.PREFIX):
        return {"dataset_name": task, "source_type": "other", "additional_details": details}
    home = hub.parse(source)
    place = {"hf_repo": home.name, "hf_split": home.split, "samples_number": data["questions"]}
    return {"dataset_name": task, "source_type": "hf_dataset", **place, "additional_details": details}


def _generation(header: Header) -> dict[str, Any]:
    """The program as the plan of the evaluation, and the parameters of its LM where all its steps have the same."""
    program, retriever = header["identity"]["program"], header["identity"].get("retriever")
    decodings = [lm.get("decoding", {}) for lm in header["identity"].get("lm", {}).values()]
    alike = decodings[0] if decodings and all(each == decodings[0] for each in decodings) else {}
    plan = {
        "name": program_name(header),
        "steps": list(program.get("prompts", {})),
        "config": as_texts(program.get("settings", {})),
    }
    arguments = {name: alike[name] for name in ("temperature", "top_p", "top_k", "max_tokens") if alike.get(name)}
    if alike.get("temperature") == 0:
        arguments["temperature"] = 0
    told = {"retriever": retriever, "seed": header["seed"], "decoding": decodings or None}
    return {"generation_args": {**arguments, "eval_plan": plan}, "additional_details": as_texts(told)}
