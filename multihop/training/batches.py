"""Lessons as tensors: their inputs, padded, with the targets of every head."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from tokenizers import Tokenizer

from ..base.english import Span
from ..encoder.layout import POOLED, WINDOW, Window, layout
from .lessons.lesson import LabelledPassage, Lesson, QueryLesson

IGNORED = -100
"""The target of what a loss leaves out."""
ANSWERS = POOLED.index("none")
"""From here on the pooled verdicts say where the answer is."""
_NONE, _SPAN, _YES, _NO = range(4)
_FILLERS = {"ids": 0, "mask": 0, "types": 0, "useful": IGNORED, "kept": IGNORED}
"""What is one number a token, and what it is padded with."""


class Batch(NamedTuple):
    """Inputs, and what the heads should say of them; `IGNORED` where they may say anything."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    group: torch.Tensor
    """The lesson that each input belongs to."""
    verdicts: torch.Tensor
    """Relevant, continue, enough."""
    answer: torch.Tensor
    """The place among none, span, yes, no."""
    useful: torch.Tensor
    kept: torch.Tensor
    start: torch.Tensor
    end: torch.Tensor


def collate(lessons: Sequence[Lesson], tokenizer: Tokenizer, window: int = WINDOW) -> Batch:
    """The inputs of some lessons with their targets, padded to the longest."""
    rows = [row for group, lesson in enumerate(lessons) for row in _rows(lesson, tokenizer, group, window)]
    longest = max(len(row["ids"]) for row in rows)
    columns = {name: [row[name] for row in rows] for name in Batch._fields}
    for name, filler in _FILLERS.items():
        columns[name] = [[*each, *[filler] * (longest - len(each))] for each in columns[name]]
    return Batch(**{name: torch.tensor(column) for name, column in columns.items()})


def _rows(lesson: Lesson, tokenizer: Tokenizer, group: int, window: int) -> list[dict[str, Any]]:
    """The inputs of a lesson before padding."""
    labelled: list[LabelledPassage | QueryLesson] = [*lesson.candidates, *lesson.queries]
    rows = []
    for each, windows in zip(labelled, layout(tokenizer, [each.pair for each in labelled], window), strict=True):
        shown = _window_of(each, windows) if isinstance(each, LabelledPassage) else windows[0]
        length, first = len(shown.ids), shown.first
        row = {
            "ids": shown.ids,
            "mask": [1] * length,
            "types": [0] * first + [1] * (length - first),
            "group": group,
            "verdicts": [IGNORED] * 3,
            "answer": IGNORED,
            "useful": [IGNORED] * length,
            "kept": [IGNORED] * length,
            "start": IGNORED,
            "end": IGNORED,
        }
        rows.append(row | (_judged(each, shown) if isinstance(each, LabelledPassage) else _picked(each, shown)))
    return rows


def _window_of(labelled: LabelledPassage, windows: Sequence[Window]) -> Window:
    """The window that holds the answer or most marks; the first of equals."""
    marks = [labelled.answer] if isinstance(labelled.answer, tuple) else list(labelled.useful)

    def held(window: Window) -> int:
        begin, end = (window.offsets[0][0], window.offsets[-1][1]) if window.offsets else (0, 0)
        return sum(begin <= mark[0] and mark[1] <= end for mark in marks)

    return max(windows, key=held)


def _judged(labelled: LabelledPassage, window: Window) -> dict[str, Any]:
    """The targets of a passage."""
    told: dict[str, Any] = {"verdicts": [int(labelled.relevant), int(labelled.leads_on), int(labelled.enough)]}
    if labelled.useful or labelled.helpful is not None:  # what is useful in a passage, if the passage is
        marks = labelled.useful if labelled.helpful is None else labelled.helpful
        told["useful"] = _marked(window, window.offsets, window.first, marks)
    if labelled.answer in ("yes", "no"):
        told["answer"] = _YES if labelled.answer == "yes" else _NO
    elif isinstance(labelled.answer, tuple):
        inside = [place for place, span in enumerate(window.offsets, window.first) if _meet(span, labelled.answer)]
        if inside:
            told |= {"answer": _SPAN, "start": inside[0], "end": inside[-1]}
    elif not labelled.enough:  # else the answer is elsewhere, or in other words
        told["answer"] = _NONE
    return told


def _picked(query: QueryLesson, window: Window) -> dict[str, Any]:
    """The targets of a next query."""
    asked = _marked(window, window.asked, 1, query.asked)
    found = _marked(window, window.offsets, window.first, query.found)
    return {"kept": [max(both) for both in zip(asked, found, strict=True)]}


def _marked(window: Window, spans: Sequence[Span], first: int, marks: Sequence[Span]) -> list[int]:
    """For each token from a place on, whether it is marked; nothing is said of the others."""
    told = [int(any(_meet(span, mark) for mark in marks)) for span in spans]
    return [*[IGNORED] * first, *told, *[IGNORED] * (len(window.ids) - first - len(told))]


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
