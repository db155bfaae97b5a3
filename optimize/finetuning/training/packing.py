"""Conversations laid side by side, so that what several of them begin with goes through the model once.

Rows of one step begin with the same instructions, and those of one question go on alike. Packed, a row's tokens see
the tokens of that row alone, at the places that they have in it: the losses are those of the rows one by one.
"""

import random
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from .conversations import Example


class Pack(NamedTuple):
    """Several rows as one sequence of tokens."""

    tokens: list[int]
    """All tokens, each shared one once."""
    places: list[int]
    """The place of each token in its rows."""
    sees: np.ndarray | None
    """For each token, those that it sees; None where there is one row, which sees all that stands before."""
    asked: list[int]
    """Where in `tokens` an answer's next token is to be said, for each token of each answer."""
    said: list[int]
    """The token that is to be said there."""


def pack(rows: Iterable[Example]) -> Pack:
    """The rows as one sequence.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import Example
        >>> from multihop.optimize.finetuning.training.packing import pack
        >>> two = pack([Example((5, 6, 7, 1), 2, "a"), Example((5, 6, 8, 9, 1), 3, "b")])
        >>> two.tokens, two.places
        ([5, 6, 7, 1, 8, 9, 1], [0, 1, 2, 3, 2, 3, 4])
        >>> two.asked, two.said
        ([1, 2, 4, 5], [7, 1, 9, 1])
        >>> two.sees[4].astype(int).tolist()
        [1, 1, 0, 0, 1, 0, 0]
    """
    ordered = sorted(rows)
    tokens: list[int] = []
    places: list[int] = []
    before: list[int] = []
    asked: list[int] = []
    said: list[int] = []
    way: list[int] = []
    earlier: Sequence[int] = ()
    for row in ordered:
        way = way[: shared(earlier, row.tokens)]
        for token in row.tokens[len(way) :]:
            before.append(way[-1] if way else -1)
            places.append(len(way))
            way.append(len(tokens))
            tokens.append(token)
        asked += way[row.asked - 1 : -1]
        said += row.tokens[row.asked :]
        earlier = row.tokens
    sees = None
    if len(ordered) > 1:
        sees = np.eye(len(tokens), dtype=bool)
        for token, parent in enumerate(before):
            if parent >= 0:
                sees[token] |= sees[parent]
    return Pack(tokens, places, sees, asked, said)


def shared(one: Sequence[int], other: Sequence[int]) -> int:
    """The number of tokens that both begin with.

    Examples:
        >>> from multihop.optimize.finetuning.training.packing import shared
        >>> shared((1, 2, 3), (1, 2, 4, 5))
        2
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def packs(rows: Iterable[Example], most: int) -> list[list[Example]]:
    """The rows in packs of at most so many tokens, a longer row alone; 0 makes a pack of each row.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import Example
        >>> from multihop.optimize.finetuning.training.packing import packs
        >>> rows = [Example((5, 6, n), 2, "") for n in range(4)]
        >>> [len(each) for each in packs(rows, 5)]
        [3, 1]
    """
    found: list[list[Example]] = []
    size = 0
    for row in sorted(rows):
        more = len(row.tokens) - (shared(found[-1][-1].tokens, row.tokens) if found else 0)
        if not found or size + more > most:
            found.append([])
            size, more = 0, len(row.tokens)
        found[-1].append(row)
        size += more
    return found


def steps_of_pass(rows: Iterable[Example], number: int, *, batch: int, seed: int) -> list[list[Example]]:
    """The rows of each step of a pass: the questions in an order of the pass's own, rows of one question together.

    Examples:
        >>> from multihop.optimize.finetuning.training.conversations import Example
        >>> from multihop.optimize.finetuning.training.packing import steps_of_pass
        >>> rows = [Example((n,), 0, f"question {n // 2}") for n in range(6)]
        >>> [[row.tokens[0] for row in step] for step in steps_of_pass(rows, 0, batch=4, seed=0)]
        [[2, 3, 0, 1], [4, 5]]
    """
    groups: dict[str, list[Example]] = {}
    for row in rows:
        groups.setdefault(row.question, []).append(row)
    order = list(groups)
    random.Random(f"{seed}, pass {number}").shuffle(order)
    ordered = [row for question in order for row in groups[question]]
    return [ordered[start : start + batch] for start in range(0, len(ordered), batch)]
