"""Where the sentences of a paragraph begin and end, and the few of them that say what was marked."""

import re
from collections.abc import Iterable, Sequence

# A full stop after an initial, a title or a short form does not end a sentence.
_END = re.compile(
    r"(?<![ (.][A-Z]\.)(?<!^[A-Z]\.)(?<!\b(?:Mr|Dr|St|Jr|Sr|No|vs|ca)\.)(?<!\b(?:Mrs|Ltd|Rev|Col|Gen|Sgt|Inc)\.)"
    r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)]))\s+(?=[\"'“‘(]*[A-Z0-9])"
)
Span = tuple[int, int]
"""A stretch of a text: where it begins, and where it has ended."""


def sentence_spans(text: str) -> list[Span]:
    """Where each sentence stands.

    Examples:
        >>> from multihop.encoder.sentences import sentence_spans
        >>> text = "J. Smith was born in 1900. He wrote."
        >>> [text[start:end] for start, end in sentence_spans(text)]
        ['J. Smith was born in 1900.', 'He wrote.']
    """
    ends = [(found.start(), found.end()) for found in _END.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [(start, stop) for start, stop in zip(starts, stops, strict=True) if text[start:stop].strip()]


def split_sentences(text: str) -> list[str]:
    r"""The sentences of a paragraph, each on one line.

    Examples:
        >>> from multihop.encoder.sentences import split_sentences
        >>> split_sentences("It rains.  It\npours.")
        ['It rains.', 'It pours.']
    """
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]


def condense(text: str, marks: Sequence[Span], words: int = 55) -> str:
    """The text in at most about so many words: the sentences with most marks, then its first ones, in their order.

    The first sentence of a text "title | text" keeps its title.

    Examples:
        >>> from multihop.encoder.sentences import condense
        >>> condense("Emma | A novel. It sold well. Jane Austen wrote it.", [(30, 41)], words=8)
        'Emma | A novel. Jane Austen wrote it.'
    """
    spans = sentence_spans(text)
    held = [sum(_overlap(mark, span) for mark in marks) for span in spans]
    order = sorted(range(len(spans)), key=lambda place: (-held[place], place))
    if spans and not held[0]:  # what the text is about is said at its beginning
        order.remove(0)
        order.insert(1, 0)
    return " ".join(
        text[start:end].strip() for start, end in sorted(_fitting(text, (spans[each] for each in order), words))
    )


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _fitting(text: str, spans: Iterable[Span], words: int) -> list[Span]:
    """The first span, and of the others those that still fit."""
    taken: list[Span] = []
    for start, end in spans:
        size = len(text[start:end].split())
        if not taken or size <= words:
            taken.append((start, end))
            words -= size
    return taken
