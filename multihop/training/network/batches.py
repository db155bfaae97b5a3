"""Lessons as tensors: groups of inputs of like length, padded, with every head's targets."""

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from tokenizers import Tokenizer

from ...base.english import Span
from ...encoder.layout import POOLED, WINDOW, Window, layout
from ..lessons.lesson import LabelledPassage, Lesson, QueryLesson

IGNORED = -100
"""The target of what a loss leaves out."""
_NONE, _SPAN, _YES, _NO = range(4)
STEP = 6000
"""Tokens that a step learns from at most, padding included."""
STRETCH = 256
"""Lessons among which those of like length share a batch."""
ANSWERS = POOLED.index("none")
"""From here on the pooled verdicts say where the answer is."""


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


class TrainingRow(NamedTuple):
    """One input with its targets, before padding."""

    window: Window
    group: int
    verdicts: tuple[int, int, int]
    answer: int
    useful: list[int]
    kept: list[int]
    start: int
    end: int


def batches(
    lessons: Sequence[Lesson], tokenizer: Tokenizer, dice: random.Random, *, window: int = WINDOW, tokens: int = STEP
) -> Iterator[Batch]:
    """All lessons once, in an order drawn at random, as many to a batch as fit into so many tokens."""
    order = list(lessons)
    dice.shuffle(order)
    for start in range(0, len(order), STRETCH):
        part = [_rows(lesson, tokenizer, place, window) for place, lesson in enumerate(order[start : start + STRETCH])]
        part.sort(key=_longest)
        made = list(_filled(part, tokens))
        dice.shuffle(made)
        for rows in made:
            yield _batch(rows)


def _filled(part: Sequence[list[TrainingRow]], tokens: int) -> Iterator[list[TrainingRow]]:
    """The rows of neighbouring lessons together, as many as fit into so many tokens once they are padded."""
    full: list[TrainingRow] = []
    for rows in part:
        if full and (len(full) + len(rows)) * _longest(rows) > tokens:
            yield full
            full = []
        full = [*full, *rows]
    yield full


def _longest(rows: Sequence[TrainingRow]) -> int:
    return max(len(row.window.ids) for row in rows)


def _rows(lesson: Lesson, tokenizer: Tokenizer, group: int, window: int) -> list[TrainingRow]:
    pairs = [*(each.pair for each in lesson.candidates), *(each.pair for each in lesson.queries)]
    laid_out = layout(tokenizer, pairs, window)
    rows = [
        _judged(each, _window_of(each, windows), group)
        for each, windows in zip(lesson.candidates, laid_out, strict=False)
    ]
    queries = zip(lesson.queries, laid_out[len(lesson.candidates) :], strict=True)
    return rows + [_query(each, windows[0], group) for each, windows in queries]


def _window_of(labelled: LabelledPassage, windows: Sequence[Window]) -> Window:
    """The window that holds the answer or most marks; the first of equals."""
    marks = [labelled.answer] if isinstance(labelled.answer, tuple) else list(labelled.useful)

    def held(window: Window) -> int:
        begin, end = window.offsets[0][0] if window.offsets else 0, window.offsets[-1][1] if window.offsets else 0
        return sum(begin <= mark[0] and mark[1] <= end for mark in marks)

    return max(windows, key=held)


def _judged(labelled: LabelledPassage, window: Window, group: int) -> TrainingRow:
    length = len(window.ids)
    useful, start, end = [IGNORED] * length, IGNORED, IGNORED
    if labelled.useful or labelled.helpful is not None:  # what is useful in a passage, if the passage is
        marks = labelled.useful if labelled.helpful is None else labelled.helpful
        for place, span in enumerate(window.offsets, window.first):
            useful[place] = int(any(_meet(span, mark) for mark in marks))
    answer = _NONE
    if labelled.answer in ("yes", "no"):
        answer = _YES if labelled.answer == "yes" else _NO
    elif isinstance(labelled.answer, tuple):
        inside = [place for place, span in enumerate(window.offsets, window.first) if _meet(span, labelled.answer)]
        answer, start, end = (_SPAN, inside[0], inside[-1]) if inside else (IGNORED, IGNORED, IGNORED)
    elif labelled.enough:
        answer = IGNORED  # the answer is elsewhere, or in other words
    verdicts = (int(labelled.relevant), int(labelled.leads_on), int(labelled.enough))
    return TrainingRow(window, group, verdicts, answer, useful, [IGNORED] * length, start, end)


def _query(query: QueryLesson, window: Window, group: int) -> TrainingRow:
    length = len(window.ids)
    kept = [IGNORED] * length
    for place, span in enumerate(window.asked, 1):
        kept[place] = int(any(_meet(span, mark) for mark in query.asked))
    for place, span in enumerate(window.offsets, window.first):
        kept[place] = int(any(_meet(span, mark) for mark in query.found))
    blank = (IGNORED, IGNORED, IGNORED)
    return TrainingRow(window, group, blank, IGNORED, [IGNORED] * length, kept, IGNORED, IGNORED)


def _meet(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _batch(rows: Sequence[TrainingRow]) -> Batch:
    longest = _longest(rows)

    def padded(values: Sequence[Sequence[int]], filler: int) -> torch.Tensor:
        return torch.tensor([[*each, *[filler] * (longest - len(each))] for each in values])

    lengths = [len(row.window.ids) for row in rows]
    return Batch(
        ids=padded([row.window.ids for row in rows], 0),
        mask=padded([[1] * length for length in lengths], 0),
        types=padded([[0] * row.window.first + [1] * (len(row.window.ids) - row.window.first) for row in rows], 0),
        group=torch.tensor([row.group for row in rows]),
        verdicts=torch.tensor([row.verdicts for row in rows]),
        answer=torch.tensor([row.answer for row in rows]),
        useful=padded([row.useful for row in rows], IGNORED),
        kept=padded([row.kept for row in rows], IGNORED),
        start=torch.tensor([row.start for row in rows]),
        end=torch.tensor([row.end for row in rows]),
    )
