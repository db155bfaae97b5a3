"""The training data that EfficientRAG's labeler and filter learn from, made of training questions and counted."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import dspy

from ..base import InputError
from ..base.texts import say_count
from ..data import open_corpus
from ..optimize.prompts.stages import Spending, Spent
from ..retrieval import BM25
from ..training.lessons.hop_queries import hop_query_lessons
from ..training.lessons.teacher import Teacher
from .aliases import is_published_lm
from .answering import Answering
from .experiment import Experiment, QuestionSet, TableRow
from .figures import LESSONS
from .opening import OpenedSet, StudyLM
from .study_table import StudyCell, StudyRow, StudyTable

BUILT_IN = "multihop/local"
"""The LM that writes no labels; with it all labels follow from gold."""


class LessonCounts(NamedTuple):
    """The training data made of one set's questions."""

    labeler: int
    """Chunks that are labelled and tagged, each under one query."""
    filter: int
    """Next queries."""
    questions: int
    """Training questions that went in."""
    calls: int
    """LM calls that were paid."""
    lm: str | None
    """The LM that wrote the labels; None where they follow from gold."""


def count_lessons(asked: QuestionSet, lm: StudyLM, folder: Path, spending: Spending) -> LessonCounts:
    """The training data of a set's questions, labelled by an LM as in the paper and counted.

    Args:
        asked: The training questions, and the passages that negatives are found among.
        lm: The LM that takes the questions apart, marks words and picks the next queries; with the built-in one all
            of that follows from gold.
        folder: The study's folder.
        spending: Counts the calls.

    Raises:
        Spent: No more calls may be made.
    """
    opened = OpenedSet(asked, folder, None)
    questions = list(islice(asked.selection.choose(opened.questions), asked.limit))
    pool, before, made = list(open_corpus(opened.source)), spending.calls, opened.lm(lm)
    teacher = None if made.model.startswith(BUILT_IN) else Teacher()
    with dspy.context(lm=made, usage_tracker=spending):
        lessons = list(hop_query_lessons(questions, pool, BM25.build(pool), teacher=teacher))
    return LessonCounts(
        labeler=sum(len(lesson.candidates) for lesson in lessons),
        filter=sum(len(lesson.queries) for lesson in lessons),
        questions=len(questions),
        calls=spending.calls - before,
        lm=made.model if teacher else None,
    )


def counts_lessons(experiment: Experiment) -> bool:
    """True if the experiment counts training data, and has no program answer."""
    return all(column.metric.startswith(LESSONS) for column in experiment.columns)


def lesson_table(
    experiment: Experiment,
    asked: Mapping[str, QuestionSet],
    lms: Answering,
    folder: Path,
    max_calls: int | None = None,
) -> StudyTable:
    """The table of an experiment that counts training data; answers that are kept are not paid again.

    Args:
        experiment: The experiment, all of whose measures are of training data.
        asked: The set to ask in the place of each of its sets.
        lms: The LMs of the study, of which that of the published data writes the labels.
        folder: The study's folder.
        max_calls: LM calls at most, over all invocations; sets for which they do not suffice stay empty.

    Raises:
        InputError: No LM is given.
    """
    lm = lms.by_name.get(experiment.lm or "", lms.beside)
    if lm is None:
        raise InputError(f"no LM is given to write the labels; give one for all rows, or as {experiment.lm}.")
    counts: dict[str, LessonCounts] = {}
    with Spending(max_calls, ledger=folder / "calls") as spending, suppress(Spent):
        for name, each in asked.items():
            spending.check()
            same = next((counts[other] for other in counts if asked[other] == each), None)
            counts[name] = same or count_lessons(each, lm, folder, spending)
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "paper": experiment.paper,
        "place": experiment.place,
        "caveats": list(_caveats(experiment, asked, counts)),
        "differs": list(experiment.differs),
        "stopped": len(counts) < len(asked),
        "rows": [
            _row(experiment, row, name, asked[name], counts.get(name))
            for row in experiment.rows
            for name in experiment.sets
        ],
    }


def _caveats(
    experiment: Experiment, asked: Mapping[str, QuestionSet], counts: Mapping[str, LessonCounts]
) -> Iterable[str]:
    for lm in dict.fromkeys(found.lm for found in counts.values()):
        here = "labels follow from gold" if lm is None else f"labelled by {lm}"
        if experiment.lm and (lm is None or not is_published_lm(experiment.lm, lm)):
            yield f"{here}, where those of the paper are by {experiment.lm}"
    for name, found in counts.items():
        meant, given = experiment.sets[name], asked[name]
        if Path(given.questions).name != Path(meant.questions).name:
            yield f"{given.questions} in the place of the training questions of {meant.title}"
        elif meant.size is not None and found.questions < meant.size:
            yield f"{say_count(found.questions, 'question')} of {meant.title}, not {meant.size:,}"
    if counts:
        yield f"negatives found by bm25, not {experiment.retriever}"
    if 0 < len(counts) < len(asked):
        yield "stopped where the LM calls were used up"


def _row(experiment: Experiment, row: TableRow, name: str, asked: QuestionSet, found: LessonCounts | None) -> StudyRow:
    return {
        "row": row.name,
        "lm": experiment.lm,
        "set": experiment.sets[name].title,
        "asked": asked.questions,
        "program": row.program,
        "settings": {},
        "folder": "",
        "repeats": int(found is not None),
        "lms": [found.lm] if found and found.lm else [],
        "retriever": None,
        "n": found.questions if found else 0,
        "errors": 0,
        "calls": found.calls / max(1, found.questions) if found else None,
        "tokens": None,
        "paid_calls": found.calls if found else None,
        "paid_usd": None if found is None or found.calls else 0.0,
        "cells": list(_cells(experiment, row, name, found)),
        "note": "; ".join(text for text in (row.note, row.differs) if text),
    }


def _cells(experiment: Experiment, row: TableRow, name: str, found: LessonCounts | None) -> Iterable[StudyCell]:
    for column, published in zip(experiment.columns, row.published, strict=True):
        if column.set != name:
            continue
        n = found.questions if found else 0
        ours = None if found is None else float(found.filter if column.metric == f"{LESSONS}filter" else found.labeler)
        yield {
            "measure": column.title or column.metric.removeprefix(LESSONS),
            "metric": column.metric,
            "published": published,
            "published_lm": experiment.lm_behind(row, column),
            "ours": ours,
            "low": None,
            "high": None,
            "n": n,
            "asked": n,
            "difference": None if ours is None or published is None else ours - published,
        }
