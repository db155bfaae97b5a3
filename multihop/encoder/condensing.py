"""A paragraph in few words: the sentences with most of its marked words."""

from collections.abc import Iterable, Sequence

from ..base.english import Span, sentence_spans


def condense(text: str, marks: Sequence[Span], words: int = 55) -> str:
    """The text in at most about so many words: the sentences with most marks, then its first ones, in their order.

    The first sentence of a text "title | text" keeps its title.

    Examples:
        >>> from multihop.encoder import condense
        >>> condense("Emma | A novel. It sold well. Jane Austen wrote it.", [(30, 41)], words=8)
        'Emma | A novel. Jane Austen wrote it.'
    """
    spans = sentence_spans(text)
    overlaps = [sum(_overlap(mark, span) for mark in marks) for span in spans]
    order = sorted(range(len(spans)), key=lambda place: (-overlaps[place], place))
    if spans and not overlaps[0]:  # its first sentence names the subject
        order.remove(0)
        order.insert(1, 0)
    return " ".join(
        text[start:end].strip() for start, end in sorted(_fitting(text, (spans[each] for each in order), words))
    )


def _overlap(one: Span, other: Span) -> int:
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def _fitting(text: str, spans: Iterable[Span], words: int) -> list[Span]:
    """The first span, and of the others those that still fit."""
    result: list[Span] = []
    for start, end in spans:
        size = len(text[start:end].split())
        if not result or size <= words:
            result.append((start, end))
            words -= size
    return result
