"""A run as Every Eval Ever has it: one record of its results, and one line for each question and metric."""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import ujson

from ...base import InputError, writing
from ..journal.header import Header
from ..journal.journal import read_rows
from ..matching import describe_matching
from ..report.columns import Columns
from ..report.report import program_name
from .eee_model import as_texts, describe_model, record_folder
from .eee_results import result_records
from .eee_samples import sample_lines
from .run import check_export_folder, check_header, measured_columns, read_run

SCHEMA = "0.3.0"
"""The version of the schema that is written."""


def write_eee(
    folder: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    task: str | None = None,
    model: str | None = None,
    organization: str = "unknown",
) -> tuple[Path, Path]:
    """Write data/TASK/OWNER/MODEL/UUID.json and UUID_samples.jsonl, and return their paths.

    Means, standard errors and intervals are over the questions that were answered; errors are no samples, and each
    result says how many there were. The same run gets the same name again.

    Args:
        folder: The run's folder.
        to: The folder to write to: a copy of the datastore, or any other.
        task: The name of the questions; by default the name of the run's folder.
        model: The name on the hub, OWNER/NAME, of the model that answered; by default the run's own name of its LM.
        organization: The name of who reports the results.

    Raises:
        InputError: The folder holds no run, a damaged one, or one in which nothing was measured.
    """
    header, questions = read_run(folder)
    check_header(header, folder)
    name, target = task or Path(folder).resolve().name, check_export_folder(to)
    columns, about = Columns(read_rows(folder)), describe_model(header, model)
    metrics, started = measured_columns(columns), f"{datetime.fromisoformat(header['started']).timestamp():.0f}"
    if not metrics:
        raise InputError(f"{folder} is a run in which nothing was measured; there is nothing to report.")
    identifier = f"{name}/{about['id']}/{program_name(header)}-{started}"
    place, stem = record_folder(name, about["id"]), _stem(identifier, header)
    record, samples = target / place / f"{stem}.json", target / place / f"{stem}_samples.jsonl"
    keys = {"schema_version": SCHEMA, "evaluation_id": identifier, "model_id": about["id"]}
    rows, checksum = _write_lines(samples, sample_lines(questions, metrics, name, keys))
    ways = [labels.matched_by for labels in columns.labels if labels.matched_by]
    details = {
        "questions": len(questions),
        "errors": sum(question.answer is None for question in questions),
        "recall": describe_matching({way: ways.count(way) for way in sorted(set(ways))}),
    }
    value: dict[str, Any] = {
        "schema_version": SCHEMA,
        "evaluation_id": identifier,
        "evaluation_timestamp": started,
        "retrieved_timestamp": f"{time.time():.0f}",
        **_origin(header, organization),
        "model_info": about,
        "evaluation_results": result_records(header, name, metrics, as_texts(details)),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{place}/{samples.name}",
            "hash_algorithm": "sha256",
            "checksum": checksum,
            "total_rows": rows,
        },
    }
    with writing(record) as file:
        ujson.dump(value, file, ensure_ascii=False, escape_forward_slashes=False, indent=2)
    return record, samples


def _origin(header: Header, organization: str) -> dict[str, Any]:
    """Who reports the results, and with what they were made."""
    run = {"simulated": bool(header.get("simulated", False)), "status": header["status"], "git": header["git"]}
    return {
        "source_metadata": {
            "source_name": "multihop",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
            "additional_details": as_texts(run),
        },
        "eval_library": {
            "name": "multihop",
            "version": header["packages"]["multihop"],
            "additional_details": as_texts({"packages": header["packages"], "python": header.get("python")}),
        },
    }


def _write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> tuple[int, str]:
    """Write the lines, and return how many there were and the checksum of the file."""
    digest, count = hashlib.sha256(), 0
    with writing(path, "wb") as file:
        for line in lines:
            told = f"{ujson.dumps(line, escape_forward_slashes=False)}\n".encode()  # its readers split at U+2028 too
            digest.update(told)
            file.write(told)
            count += 1
    return count, digest.hexdigest()


def _stem(identifier: str, header: Header) -> str:
    """A UUID of the form that the datastore asks for, made of the run: to export it again is to write it again."""
    known = ujson.dumps([identifier, header["identity"]], sort_keys=True)
    return str(uuid.UUID(bytes=hashlib.blake2b(known.encode(), digest_size=16).digest(), version=4))
