"""Finds the beginnings and ends of the sentences of a text."""

import re

_SHORT_FORMS = (  # of one length each, since a pattern looks back so far only
    "Mr|Dr|St|Jr|Sr|Mt|Lt|No|no|vs|ca|fl",
    "Mrs|Ltd|Rev|Col|Gen|Maj|Sgt|Gov|Hon|Inc|Jan|Feb|Aug|Oct|Nov|Dec|e[.]g|i[.]e",
    "Capt|Prof|Sept",
    "a[.]k[.]a",
)
_NO_SHORT_FORM = "".join(rf"(?<!\b(?:{forms})\.)" for forms in _SHORT_FORMS)
# Nor does a full stop after an initial end a sentence, or one after a letter alone: "(d. 1812)".
_END = re.compile(
    rf"(?<![ (.][A-Z]\.)(?<!^[A-Z]\.)(?<![\s([–][a-z]\.){_NO_SHORT_FORM}"
    r"(?:(?<=[.!?])|(?<=[.!?][\"'”’)]))\s+(?=[\"'“‘(]*[A-Z0-9])"
)
Span = tuple[int, int]
"""A stretch of a text: where it begins, and where it has ended."""


def sentence_spans(text: str) -> list[Span]:
    """The span of each sentence.

    Examples:
        >>> from multihop.english.sentences import sentence_spans
        >>> text = "J. Smith (b. 1900) was a Lt. Colonel. He wrote."
        >>> [text[start:end] for start, end in sentence_spans(text)]
        ['J. Smith (b. 1900) was a Lt. Colonel.', 'He wrote.']
    """
    ends = [(found.start(), found.end()) for found in _END.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(text)]
    return [(start, stop) for start, stop in zip(starts, stops, strict=True) if text[start:stop].strip()]


def split_sentences(text: str) -> list[str]:
    r"""The sentences of a paragraph, each on one line.

    Examples:
        >>> from multihop.english.sentences import split_sentences
        >>> split_sentences("It rains.  It\npours.")
        ['It rains.', 'It pours.']
    """
    return [" ".join(text[start:end].split()) for start, end in sentence_spans(text)]
