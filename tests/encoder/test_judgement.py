"""The answers that are read off the logits of one passage."""

import numpy as np
import pytest

from multihop.encoder import condense
from multihop.encoder.judgement import LONGEST_ANSWER, _answers
from multihop.encoder.layout import TOKENS, Window


def window_of(size):
    return Window([0] * size, 0, [(3 * place, 3 * place + 2) for place in range(size)], [])


@pytest.mark.parametrize("size", [1, 2, 15, 16, 17, 40])
def test_the_likeliest_stretches_are_those_of_all_stretches(size):
    logits = np.random.default_rng(size).standard_normal((size, len(TOKENS))).astype(np.float32)
    start, end = (logits[:, TOKENS.index(name)].astype(np.float64) for name in ("start", "end"))
    every = [
        (start[first] - np.logaddexp.reduce(start) + end[last] - np.logaddexp.reduce(end), first, last)
        for first in range(size)
        for last in range(first, min(size, first + LONGEST_ANSWER))
    ]
    best = sorted(every, reverse=True)[:3]
    said = _answers(window_of(size), logits)
    assert [(begin, stop) for begin, stop, _ in said] == [(3 * first, 3 * last + 2) for _, first, last in best]
    assert [score for _, _, score in said] == pytest.approx([score for score, _, _ in best])


def test_a_window_without_a_passage_has_no_answer():
    assert _answers(window_of(0), np.zeros((0, len(TOKENS)), np.float32)) == []


TEXT = "Emma | A novel. It sold well. Jane Austen wrote it. It is long."


def mark(words):
    return (TEXT.index(words), TEXT.index(words) + len(words))


def test_everything_stays_where_it_fits():
    assert condense(TEXT, []) == TEXT


def test_marked_sentences_come_before_the_first_and_the_first_before_the_rest():
    assert condense(TEXT, [mark("Jane Austen")], words=4) == "Jane Austen wrote it."
    assert condense(TEXT, [mark("Jane Austen")], words=8) == "Emma | A novel. Jane Austen wrote it."
    assert condense(TEXT, [], words=7) == "Emma | A novel. It sold well."


def test_nothing_condenses_to_nothing():
    assert condense("", []) == ""
