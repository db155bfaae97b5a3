"""The sentences of a passage as they are cited: without blanks around them, in any script."""

import re

from ...english.sentences import Span, sentence_spans

_BREAK = re.compile(r"(?<=[。！？｡।॥؟۔])\s*|\n\s*\n")
"""The ends of sentences in scripts that know no capitals, and empty lines."""


def sentences_of(text: str) -> list[Span]:
    r"""The places of the sentences of a text.

    Examples:
        >>> from multihop.runtime.grounds.passage_sentences import sentences_of
        >>> text = " Etna smokes.  It is in Sicily.\n"
        >>> [text[start:end] for start, end in sentences_of(text)]
        ['Etna smokes.', 'It is in Sicily.']
        >>> [(start, end) for start, end in sentences_of("富士山は山だ。高い。")]
        [(0, 7), (7, 10)]
    """
    spans = []
    for first, last in sentence_spans(text):
        start = first
        for found in [*_BREAK.finditer(text, first, last), None]:
            end = found.start() if found else last
            part = text[start:end]
            if part.strip():
                spans.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
            start = found.end() if found else last
    return spans
