"""The exact best passages of a query, found without adding up the scores of all that share a word with it."""

import math
from collections import Counter
from typing import Any, NamedTuple

from ..base.imports import NDArray, np
from .inverted_index import Postings, release_pages

FEW = 1 << 20
"""Passages up to which all scores are added up, which is no slower there."""
_CHEAPER = 4
"""Scores that can be added one after the other in the time of one look-up."""
_TRIED = 8
"""The passages scored whole for each hit wanted, to get a lower bound of the hits' scores."""

_SEARCHED = 1 << 27
"""Scores in the lists of searched terms until the memory of mapped files is given back: a gigabyte, places included."""


class WordSearch:
    """Ranks the passages of an inverted index; safe to be asked by several threads at once."""

    def __init__(self, postings: Postings, passages: int) -> None:
        self.postings = postings
        self._passages = passages
        self._searched = 0
        # Kept from search to search: fresh memory would cost a page fault every thousand passages.
        self._spare_scores: list[NDArray[np.float32]] = []

    def __reduce__(self) -> Any:
        return WordSearch, (self.postings, self._passages)

    def find_best(self, terms: list[int], k: int) -> tuple[list[int], list[float]]:
        """The places and scores of the `k` passages that match the terms best; equal ones in the order of the corpus.

        Repeated terms count again. Passages that hold none of the terms are never among them.
        """
        if not terms:
            return [], []
        try:
            scores = self._spare_scores.pop()
        except IndexError:  # as many as there are threads searching
            scores = np.zeros(self._passages, np.float32)
        if self._passages <= FEW:
            accumulate(self.postings, terms, scores)
            found = best(scores, k)
        else:
            columns = self._columns(terms)
            found = self._rank(terms, _Narrowing(columns, k, len(terms), scores).run(), k)
            self._searched += sum(len(column.places) for column in columns)
            if self._searched >= _SEARCHED:  # else the mapped memory would grow to the whole index
                self._searched = 0
                release_pages(self.postings)
        self._spare_scores.append(scores)
        return found

    def _columns(self, terms: list[int]) -> "list[_Column]":
        """The query's terms, those first that can add the most."""
        columns = []
        for term, times in Counter(terms).items():
            highest = times * float(self.postings.highest[term])
            columns.append(_Column(*self.postings.column(term), times, highest))
        return sorted(columns, key=lambda column: -column.highest)

    def _rank(self, terms: list[int], places: "NDArray[np.int32]", k: int) -> tuple[list[int], list[float]]:
        """The best of these passages."""
        scores = np.zeros(len(places), np.float32)
        for term in terms:  # in the order of the query, so that sums are rounded as those of all passages are
            scores += look_up(*self.postings.column(term), places)
        order = np.argsort(-scores, kind="stable")[:k]
        order = order[scores[order] > 0]
        return places[order].tolist(), scores[order].tolist()


class _Column(NamedTuple):
    """A term of the query."""

    data: "NDArray[np.float32]"
    """A score for each of the places."""
    places: "NDArray[np.int32]"
    """The passages that hold the term."""
    times: int
    """The number of times that the query has it."""
    highest: float
    """The most that any passage gets for it."""


class _Narrowing:
    """The search for one query, its rare terms first.

    Once the terms that are left cannot, all together, lift a passage that has none of the others into the first `k`,
    only those that have one are in question (the "MaxScore" of Howard Turtle and James Flood, "Query Evaluation:
    Strategies and Optimizations", 1995).
    """

    def __init__(self, columns: list[_Column], k: int, terms: int, scores: "NDArray[np.float32]") -> None:
        """`terms` is the number of the query's terms; `scores` are zeros, and are left so."""
        self._columns, self._k, self._scores = columns, k, scores
        self._floor = 0.0
        """A lower bound of the k-th best passage's score."""
        # Rounding takes far less than this from a sum, or adds far less to it.
        self._slack = 1 - (terms + 4) * 2.0**-21

    def run(self) -> "NDArray[np.int32]":
        """The places of some passages, in the order of the corpus, the best `k` among them."""
        number = tried = 0
        found = np.empty(0, np.int32)
        while number < len(self._columns) and self._rest(number) >= self._floor * self._slack:
            self._add(self._columns[number])
            found = np.concatenate([found, self._columns[number].places])
            number += 1
            if len(found) > 4 * tried:
                tried = len(found)
                self._raise_floor(found, number)
        while number < len(self._columns) and len(self._columns[number].places) <= _CHEAPER * len(found):
            self._add(self._columns[number])
            number += 1
        reached = self._raise_floor(found, number)
        found = np.unique(found[reached + self._rest(number) >= self._floor * self._slack])
        reached = self._scores[found]
        self._clear(number)
        for later, column in enumerate(self._columns[number:], number + 1):
            reached = reached + column.times * look_up(column.data, column.places, found)
            kept = reached + self._rest(later) >= self._floor * self._slack
            found, reached = found[kept], reached[kept]
        return found

    def _rest(self, number: int) -> float:
        """The most that the columns from that one on can add to a score."""
        return sum(column.highest for column in self._columns[number:])

    def _add(self, column: _Column) -> None:
        np.add.at(self._scores, column.places, column.data if column.times == 1 else column.times * column.data)

    def _raise_floor(self, found: "NDArray[np.int32]", number: int) -> "NDArray[np.float32]":
        """Score the likeliest passages whole; returns the scores of all, without the columns from that one on."""
        reached: NDArray[np.float32] = self._scores[found]
        first = max(0, len(found) - _TRIED * self._k)
        likeliest = np.unique(found[np.argpartition(reached, first)[first:]]) if first else np.unique(found)
        if len(likeliest) >= self._k:
            whole = self._scores[likeliest]
            for column in self._columns[number:]:
                whole += column.times * look_up(column.data, column.places, likeliest)
            kth = len(whole) - self._k
            self._floor = max(self._floor, float(np.partition(whole, kth)[kth]))
        return reached

    def _clear(self, number: int) -> None:
        """Make the scores zero again, after this number of columns was added."""
        added = [column.places for column in self._columns[:number]]
        if _CHEAPER * sum(map(len, added)) > len(self._scores):
            self._scores.fill(0)
        else:
            for places in added:
                self._scores[places] = 0


def look_up(
    data: "NDArray[np.float32]", places: "NDArray[np.int32]", wanted: "NDArray[np.int32]"
) -> "NDArray[np.float32]":
    """A term's scores for some passages, given in the order of the corpus; zero for those without it."""
    scores = np.zeros(len(wanted), np.float32)
    if len(places):
        at = places.searchsorted(wanted)
        at[at == len(places)] = 0
        held = (places[at] == wanted).nonzero()[0]
        scores[held] = data[at[held]]
    return scores


def accumulate(postings: Postings, terms: list[int], scores: "NDArray[np.float32]") -> None:
    """Fill `scores`, one entry a passage, with the sum over the terms, repeated terms counting again."""
    scores.fill(0)
    for term in terms:
        data, places = postings.column(term)
        np.add.at(scores, places, data)


def best(scores: "NDArray[np.float32]", k: int) -> tuple[list[int], list[float]]:
    """The positions and values of the `k` highest scores above zero, best first; of equals the earlier comes first.

    Sorting or partitioning a million scores takes ten times longer than summing them up. So the scores are dealt out
    to many groups: the k-th highest of the groups' maxima, which are cheap, is reached by at least k scores and
    exceeded by few, and only those are sorted.
    """
    floor = _floor(scores, k)
    places = np.flatnonzero(scores >= floor) if floor > 0 else np.flatnonzero(scores > 0)
    values = scores[places]
    if len(places) > 8 * k:
        reaching = values >= np.partition(values, len(values) - k)[len(values) - k]
        places, values = places[reaching], values[reaching]
    order = np.argsort(-values, kind="stable")[:k]
    return places[order].tolist(), values[order].tolist()


def _floor(scores: "NDArray[np.float32]", k: int) -> float:
    """A number that at least `k` of the scores reach; the lowest where there are too few to be worth the search."""
    groups = 8 * k + math.isqrt(len(scores))
    if len(scores) < 2 * groups:
        return -math.inf
    dealt = scores[: len(scores) // groups * groups].reshape(-1, groups)
    return float(np.partition(dealt.max(axis=0), groups - k)[groups - k])
