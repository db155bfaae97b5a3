"""A run in the files that FlashRAG writes of its own runs, with its metrics by its own rules."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import ujson

from ...base import MismatchError, writing
from ...english.normal_form import normal_form
from ...retrieval import Passage
from ..metrics.answer import exact_match, f1
from ..report.report import lm_names, program_name
from .run import ExportedQuestion, check_export_folder, read_run

_CLOSED = {"yes", "no", "noanswer"}


def write_flashrag(
    folder: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    task: str | None = None,
    passages: Iterable[Passage] | None = None,
    k: int = 5,
) -> tuple[Path, Path, Path]:
    """Write metric_score.txt, intermediate_data.json and row.csv, and return their paths.

    The metrics are computed anew from answers and passages, by FlashRAG's rules: "acc" is whether an accepted answer is
    within the answer, "recall" and "precision" are of the answer's tokens, and "retrieval_recall_topK" is whether any
    of the first k passages holds an accepted answer, which is not the recall of gold passages. FlashRAG has no errors:
    a question that failed counts as answered with nothing.

    Args:
        folder: The run's folder.
        to: The folder to write to.
        task: The name of the questions; by default the name of the run's folder.
        passages: The corpus that was searched; without it nothing is said of retrieval.
        k: The number of each question's passages that count.

    Raises:
        InputError: The folder holds no run, a damaged one, or one whose passages are not those of the corpus.
    """
    header, questions = read_run(folder)
    name, target = task or Path(folder).resolve().name, check_export_folder(to)
    texts = None if passages is None else _texts(questions, passages, k, folder)
    scores = [_scores(question, texts, k) for question in questions]
    means = {metric: sum(score[metric] for score in scores) / len(scores) for metric in scores[0]}
    paths = target / "metric_score.txt", target / "intermediate_data.json", target / "row.csv"
    with writing(paths[0]) as file:
        file.writelines(f"{metric}: {mean}\n" for metric, mean in means.items())
    with writing(paths[1]) as file:
        items = [_item(question, score, texts) for question, score in zip(questions, scores, strict=True)]
        ujson.dump(items, file, ensure_ascii=False, escape_forward_slashes=False, indent=4)
    with writing(paths[2]) as file:
        errors = sum(question.answer is None for question in questions)
        row = {
            "method": program_name(header),
            "model": lm_names(header),
            "dataset": name,
            "questions": len(questions),
            "errors": errors,
            **{metric: round(100 * mean, 2) for metric, mean in means.items()},
        }
        table = csv.writer(file, lineterminator="\n")
        table.writerows([row.keys(), row.values()])
    return paths


def token_scores(prediction: str, answers: Iterable[str]) -> tuple[float, float]:
    """Precision and recall of the answer's tokens, each the best over the accepted answers."""
    precision = recall = 0.0
    predicted = normal_form(prediction)
    for answer in answers:
        expected = normal_form(answer)
        if predicted != expected and {predicted, expected} & _CLOSED:
            continue
        shared = (Counter(predicted.split()) & Counter(expected.split())).total()
        if shared:
            precision = max(precision, shared / len(predicted.split()))
            recall = max(recall, shared / len(expected.split()))
    return precision, recall


def _scores(question: ExportedQuestion, texts: Mapping[str, str] | None, k: int) -> dict[str, float]:
    answer = question.answer or ""
    precision, recall = token_scores(answer, question.answers)
    scores = {
        "em": max((exact_match(answer, accepted) for accepted in question.answers), default=0.0),
        "f1": max((f1(answer, accepted) for accepted in question.answers), default=0.0),
        "acc": float(any(normal_form(accepted) in normal_form(answer) for accepted in question.answers)),
        "precision": precision,
        "recall": recall,
    }
    if texts is not None:
        accepted = [normal_form(each) for each in question.answers]
        read = [normal_form(texts[name]) for name in question.passages[:k]]
        hits = [any(each in text for each in accepted) for text in read]
        scores[f"retrieval_recall_top{k}"] = float(any(hits))
        scores[f"retrieval_precision_top{k}"] = sum(hits) / len(hits) if hits else 0.0
    return scores


def _texts(
    questions: Sequence[ExportedQuestion], passages: Iterable[Passage], k: int, folder: str | os.PathLike[str]
) -> dict[str, str]:
    """The contents of the passages that came, as FlashRAG's corpora have them."""
    wanted = {name for question in questions for name in question.passages[:k]}
    texts = {each.id: f'"{each.title}"\n{each.text}' for each in passages if each.id in wanted}
    if missing := sorted(wanted - texts.keys()):
        raise MismatchError(
            f"{len(missing):,} passages of {folder} are not in the corpus, such as '{missing[0]}'; give --corpus the "
            "one that was searched."
        )
    return texts


def _item(question: ExportedQuestion, scores: Mapping[str, float], texts: Mapping[str, str] | None) -> dict[str, Any]:
    found = [
        {"id": name, **({"contents": texts[name]} if texts and name in texts else {})} for name in question.passages
    ]
    return {
        "id": question.id,
        "question": question.question,
        "golden_answers": question.answers,
        "output": {"pred": question.answer or "", "retrieval_result": found, "metric_score": scores},
        "metadata": {"type": question.type, "hops": question.hops, "supporting": question.supporting},
    }
