"""Where the sentences of a text begin and end."""

import re

# A full stop after an initial, a title or a short form does not end a sentence.
_END = re.compile(
    r"(?<![ (.][A-Z]\.)(?<!^[A-Z]\.)(?<!\b(?:Mr|Dr|St|Jr|Sr|No|vs|ca)\.)(?<!\b(?:Mrs|Ltd|Rev|Col|Gen|Sgt|Inc)\.)"
    r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)]))\s+(?=[\"'“‘(]*[A-Z0-9])"
)
Span = tuple[int, int]
"""A stretch of a text: where it begins, and where it has ended."""


def sentence_spans(text: str) -> list[Span]:
    """Where each sentence is.

    Examples:
        >>> from multihop.base.sentences import sentence_spans
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
        >>> from multihop.base.sentences import split_sentences
        >>> split_sentences("It rains.  It\npours.")
        ['It rains.', 'It pours.']
    """
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]
