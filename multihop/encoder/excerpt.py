"""The part of a long passage that the judge sees: the sentences that share most with what is asked."""

from collections import Counter
from collections.abc import Sequence

from ..english.sentences import Span, sentence_spans
from ..english.word_stems import content_words

SEEN = 96
"""Tokens of a passage that the judge sees at most."""


def tokens_seen(text: str, asked: str, offsets: Sequence[Span], most: int = SEEN) -> list[int]:
    """The places of the tokens that are seen, in their order: all, or those of the sentences that share most words.

    A text's first sentence, which names its subject, is always seen, and of the others those that still fit; a word
    counts the less, the more of the sentences have it.

    Args:
        text: The passage.
        asked: The question and what is known.
        offsets: The place of each token of the passage in its text.
        most: Tokens that are seen at most; a first sentence that is longer is seen whole.

    Examples:
        >>> import re
        >>> from multihop.encoder.excerpt import tokens_seen
        >>> text = "Emma is a novel. It sold well. Jane Austen wrote it."
        >>> words = [match.span() for match in re.finditer("[^ ]+", text)]
        >>> seen = tokens_seen(text, "Who wrote Emma?", words, most=8)
        >>> " ".join(text[slice(*words[place])] for place in seen)
        'Emma is a novel. Jane Austen wrote it.'
    """
    spans = sentence_spans(text)
    if len(offsets) <= most or len(spans) < 2:
        return list(range(len(offsets)))
    wanted = set(content_words(asked))
    shared = [wanted.intersection(content_words(text[start:end])) for start, end in spans]
    frequency = Counter(word for words in shared for word in words)
    worth = [sum(1 / frequency[word] for word in words) for words in shared]
    places = _tokens_of(spans, offsets)
    seen = places[0]
    for sentence in sorted(range(1, len(spans)), key=lambda sentence: (-worth[sentence], sentence)):
        if len(seen) + len(places[sentence]) <= most:
            seen = seen + places[sentence]
    return sorted(seen)


def _tokens_of(spans: Sequence[Span], offsets: Sequence[Span]) -> list[list[int]]:
    """The places of the tokens of each sentence; one between two sentences is of the first."""
    sentence = 0
    places: list[list[int]] = [[] for _ in spans]
    for place, (start, _) in enumerate(offsets):
        while sentence + 1 < len(spans) and start >= spans[sentence + 1][0]:
            sentence += 1
        places[sentence].append(place)
    return places
