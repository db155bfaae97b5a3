"""The built-in encoder: small trained networks that embed texts, judge passages and pick the words of a query."""

from .condensing import condense
from .encoder import Encoder, NextQuery
from .judgement import USEFUL, Answer, Judgement
from .layout import Pair
from .opening import TextEncoder, open_encoder
from .sentences.sentence_encoder import SentenceEncoder
from .together import judge, next_query

__all__ = [
    "USEFUL",
    "Answer",
    "Encoder",
    "Judgement",
    "NextQuery",
    "Pair",
    "SentenceEncoder",
    "TextEncoder",
    "condense",
    "judge",
    "next_query",
    "open_encoder",
]
