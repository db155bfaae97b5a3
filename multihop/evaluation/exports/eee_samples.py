"""The lines of Every Eval Ever's samples: each question once for each of its metrics, as the schema asks."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from .eee_model import as_texts
from .run import ExportedQuestion


def sample_lines(
    questions: Iterable[ExportedQuestion], metrics: Collection[str], task: str, keys: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """The lines; questions that failed have none.

    A program's answer is one turn here, whatever it did for it; its steps are in the run. An answer counts as correct
    by its exact match, in the lines of all metrics.

    Args:
        questions: The questions.
        metrics: The metrics that the record has results of.
        task: The name of the questions.
        keys: The fields that all lines have: what joins them to their record.
    """
    for question in questions:
        if question.answer is None:
            continue
        line = {**keys, "evaluation_name": task, **_said(question, question.answer)}
        for metric, score in question.metrics.items():
            if metric in metrics:
                correct = question.metrics.get("em", score) == 1
                yield {
                    **line,
                    "evaluation_result_id": metric,
                    "evaluation": {"score": score, "is_correct": correct, "num_turns": 1},
                }


def _said(question: ExportedQuestion, answer: str) -> dict[str, Any]:
    into, out = question.tokens
    about = {
        "type": question.type or None,
        "hops": question.hops or None,
        "supporting": question.supporting,
        "passages": question.passages,
    }
    return {
        "sample_id": question.id,
        "sample_hash": sample_hash(question.question, question.answers),
        "interaction_type": "single_turn",
        "input": {"raw": question.question, "reference": list(question.answers)},
        "output": {"raw": [answer]},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": answer,
                "extraction_method": "none",
                "is_terminal": True,
            }
        ],
        "token_usage": {"input_tokens": into, "output_tokens": out, "total_tokens": into + out},
        "performance": {"latency_ms": 1000 * question.seconds},
        "metadata": as_texts(about),
    }


def sample_hash(question: str, answers: Iterable[str]) -> str:
    """The hash by which the same question is known in the records of all tools.

    Examples:
        >>> from multihop.evaluation.exports.eee_samples import sample_hash
        >>> sample_hash("Who wrote Emma?", ["Jane Austen"])[:8]
        'bd29afd1'
    """
    known = json.dumps({"raw": question, "reference": list(answers)}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(known.encode("utf-8")).hexdigest()
