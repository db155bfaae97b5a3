"""A question, what is known and a passage as the tokens of one input; if too long, it becomes several windows."""

from collections.abc import Sequence
from typing import NamedTuple

from ..base import InputError
from ..base.english import Span
from ..base.imports import tokenizers

WINDOW = 256
"""Tokens the encoder sees at once."""
QUESTION = 64
KNOWN = 80
"""The most tokens of the question and of what is known; what is over is left out at the end."""
OVERLAP = 48
"""Tokens of a passage that a window shares with the one before it."""


class Pair(NamedTuple):
    """A passage to be judged for a question, after other passages are known."""

    question: str
    passage: str
    known: tuple[str, ...] = ()


class Window(NamedTuple):
    """One input of the encoder: [CLS] question [SEP] known [SEP] passage [SEP], or a part of the passage."""

    ids: list[int]
    first: int
    """Place of the first token of the passage, from which on the segment is the second."""
    offsets: list[Span]
    """The place of each token of the passage in its text."""
    asked: list[Span]
    """The place of each token of the question, which begins at place 1, in its text."""


def layout(tokenizer: "tokenizers.Tokenizer", pairs: Sequence[Pair], window: int = WINDOW) -> list[list[Window]]:
    """The windows of every pair: one, unless its passage is longer than the room that is left in so many tokens."""
    texts = dict.fromkeys(text for pair in pairs for text in (pair.question, pair.passage, *pair.known))
    encodings = dict(zip(texts, tokenizer.encode_batch(list(texts), add_special_tokens=False), strict=True))
    edges, laid_out = borders(tokenizer), []
    for pair in pairs:
        known = [encodings[text] for text in pair.known]
        laid_out.append(_windows(edges, encodings[pair.question], known, encodings[pair.passage], window))
    return laid_out


def borders(tokenizer: "tokenizers.Tokenizer") -> tuple[int, int]:
    """The tokens that begin an input and end each of its parts."""
    for names in (("[CLS]", "[SEP]"), ("<s>", "</s>")):
        first, last = map(tokenizer.token_to_id, names)
        if first is not None and last is not None:
            return first, last
    raise InputError("the tokenizer has neither [CLS] and [SEP] nor <s> and </s>, which mark the parts of an input.")


def _windows(
    edges: tuple[int, int],
    question: "tokenizers.Encoding",
    known: "Sequence[tokenizers.Encoding]",
    passage: "tokenizers.Encoding",
    window: int,
) -> list[Window]:
    cls, sep = edges
    question_tokens = question.ids[:QUESTION]
    share = KNOWN // max(1, len(known))
    known_tokens = [token for each in known for token in each.ids[:share]]
    before = [cls, *question_tokens, sep, *known_tokens, sep] if known_tokens else [cls, *question_tokens, sep]
    room = window - len(before) - 1
    ids, offsets = passage.ids, passage.offsets
    return [
        Window(
            [*before, *ids[start : start + room], sep],
            len(before),
            offsets[start : start + room],
            question.offsets[: len(question_tokens)],
        )
        for start in starts(len(ids), room)
    ]


def starts(size: int, room: int) -> Sequence[int]:
    """The first token of each window over so many tokens, where so many have room in one."""
    return range(1) if size <= room else range(0, size - OVERLAP, room - OVERLAP)


POOLED = ("relevant", "continue", "enough", "none", "span", "yes", "no")
"""Heads for the whole passage: it helps, it leads on, it completes what is known; and the place of the answer: nowhere
yet, in a span of the passage, or yes, or no."""
TOKENS = ("useful", "kept", "start", "end")
"""Heads for each token: it brings the answer closer, belongs to the next query, begins the answer, ends it."""
