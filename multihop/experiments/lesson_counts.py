"""The training data that EfficientRAG's labeler and filter learn from, made of training questions and counted."""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ..base.texts import say_count
from ..data import open_corpus
from ..training.mix import Material, make_lessons
from .experiment import Experiment, QuestionSet, TableRow
from .figures import LESSONS
from .opening import OpenedSet
from .study_table import StudyCell, StudyRow, StudyTable


class LessonCounts(NamedTuple):
    """The training data made of one set's questions."""

    labeler: int
    """Chunks that are labelled and tagged, each under one query."""
    filter: int
    """Next queries."""
    questions: int
    """Training questions that went in."""


def count_lessons(asked: QuestionSet, folder: Path) -> LessonCounts:
    """The training data of a set's questions, counted; labels follow from gold.

    Args:
        asked: The training questions, and the passages that negatives are found among.
        folder: The study's folder.
    """
    opened = OpenedSet(asked, folder, None)
    questions = list(islice(asked.selection.choose(opened.questions), asked.limit))
    material = Material(questions, [], list(open_corpus(opened.source)))
    return LessonCounts(
        labeler=sum(len(lesson.candidates) for lesson in make_lessons("labeler", material)),
        filter=len(make_lessons("filter", material)),
        questions=len(questions),
    )


def counts_lessons(experiment: Experiment) -> bool:
    """True if the experiment counts training data, and has no program answer."""
    return all(column.metric.startswith(LESSONS) for column in experiment.columns)


def lesson_table(experiment: Experiment, asked: Mapping[str, QuestionSet], folder: Path) -> StudyTable:
    """The table of an experiment that counts training data.

    Args:
        experiment: The experiment, all of whose measures are of training data.
        asked: The set to ask in the place of each of its sets.
        folder: The study's folder.
    """
    counts: dict[str, LessonCounts] = {}
    for name, each in asked.items():
        same = next((counts[other] for other in counts if asked[other] == each), None)
        counts[name] = same or count_lessons(each, folder)
    return {
        "experiment": experiment.name,
        "title": experiment.title,
        "paper": experiment.paper,
        "place": experiment.place,
        "caveats": list(_caveats(experiment, asked, counts)),
        "differs": list(experiment.differs),
        "stopped": False,
        "rows": [
            _row(experiment, row, name, asked[name], counts[name])
            for row in experiment.rows
            for name in experiment.sets
        ],
    }


def _caveats(
    experiment: Experiment, asked: Mapping[str, QuestionSet], counts: Mapping[str, LessonCounts]
) -> Iterable[str]:
    if experiment.lm:
        yield f"labels follow from gold, where those of the paper are by {experiment.lm}"
    for name, found in counts.items():
        meant, given = experiment.sets[name], asked[name]
        if Path(given.questions).name != Path(meant.questions).name:
            yield f"{given.questions} in the place of the training questions of {meant.title}"
        elif meant.size is not None and found.questions < meant.size:
            yield f"{say_count(found.questions, 'question')} of {meant.title}, not {meant.size:,}"
    yield f"negatives found by bm25, not {experiment.retriever}"


def _row(experiment: Experiment, row: TableRow, name: str, asked: QuestionSet, found: LessonCounts) -> StudyRow:
    return {
        "row": row.name,
        "lm": experiment.lm,
        "set": experiment.sets[name].title,
        "asked": asked.questions,
        "program": row.program,
        "settings": {},
        "folder": "",
        "repeats": 1,
        "lms": [],
        "retriever": None,
        "n": found.questions,
        "errors": 0,
        "calls": 0.0,
        "tokens": None,
        "paid_calls": 0,
        "paid_usd": 0.0,
        "cells": list(_cells(experiment, row, name, found)),
        "note": "; ".join(text for text in (row.note, row.differs) if text),
    }


def _cells(experiment: Experiment, row: TableRow, name: str, found: LessonCounts) -> Iterable[StudyCell]:
    for column, published in zip(experiment.columns, row.published, strict=True):
        if column.set != name:
            continue
        ours = float(found.filter if column.metric == f"{LESSONS}filter" else found.labeler)
        yield {
            "measure": column.title or column.metric.removeprefix(LESSONS),
            "metric": column.metric,
            "published": published,
            "published_lm": experiment.lm_behind(row, column),
            "ours": ours,
            "low": None,
            "high": None,
            "n": found.questions,
            "asked": found.questions,
            "difference": None if published is None else ours - published,
        }
