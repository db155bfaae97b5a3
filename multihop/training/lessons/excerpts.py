"""Paragraphs cut to a length that training can afford: whole sentences around the one that counts."""

import random
from functools import lru_cache

from ...base.english import Span, content_words, sentence_spans


@lru_cache(maxsize=1 << 16)
def spans_of(text: str) -> list[Span]:
    """The sentences of a text that is not blank, and the whole of one that is; many lessons show the same text."""
    return sentence_spans(text) or [(0, len(text))]


def closest_sentence(text: str, question: str) -> Span:
    """The sentence that shares most words with the question; the first of equals.

    Examples:
        >>> from multihop.training.lessons.excerpts import closest_sentence
        >>> text = "Emma is a novel. Jane Austen wrote it. It sold well."
        >>> text[slice(*closest_sentence(text, "Who wrote Emma's first review?"))]
        'Emma is a novel.'
    """
    asked = set(content_words(question))
    spans = spans_of(text)
    return max(spans, key=lambda span: len(asked.intersection(content_words(text[slice(*span)]))))


def excerpt(text: str, focus: Span, words: int, dice: random.Random) -> Span:
    """The sentences that hold the focus, and as many before and after them, drawn at random, as fit into so many words.

    Examples:
        >>> import random
        >>> from multihop.training.lessons.excerpts import excerpt
        >>> text = "It rains. Emma is a novel. Jane Austen wrote it. It sold well."
        >>> text[slice(*excerpt(text, (27, 38), 8, random.Random(1)))]
        'Emma is a novel. Jane Austen wrote it.'
    """
    spans = spans_of(text)
    sizes = [len(text[slice(*span)].split()) for span in spans]
    inside = [place for place, span in enumerate(spans) if span[0] < focus[1] and focus[0] < span[1]] or [0]
    first, last = inside[0], inside[-1]
    room = words - sum(sizes[first : last + 1])
    while True:
        before, after = first > 0 and sizes[first - 1] <= room, last + 1 < len(spans) and sizes[last + 1] <= room
        if not before and not after:
            return spans[first][0], spans[last][1]
        if before and (not after or dice.random() < 0.5):
            first -= 1
            room -= sizes[first]
        else:
            last += 1
            room -= sizes[last]
