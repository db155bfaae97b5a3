"""The built-in encoder: small trained networks that embed texts, judge passages and pick the words of a query."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .condensing import condense as condense
    from .encoder import Encoder as Encoder
    from .encoder import NextQuery as NextQuery
    from .judgement import USEFUL as USEFUL
    from .judgement import Answer as Answer
    from .judgement import Judgement as Judgement
    from .layout import Pair as Pair
    from .opening import TextEncoder as TextEncoder
    from .opening import open_encoder as open_encoder
    from .pages import PageAnswer as PageAnswer
    from .pages import Pages as Pages
    from .pages import PagesReading as PagesReading
    from .pages import read_together as read_together
    from .sentences.sentence_encoder import SentenceEncoder as SentenceEncoder
    from .together import judge as judge
    from .together import next_query as next_query
    from .together import read as read
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "condensing": "condense",
            "encoder": "Encoder NextQuery",
            "judgement": "USEFUL Answer Judgement",
            "layout": "Pair",
            "opening": "TextEncoder open_encoder",
            "pages": "PageAnswer Pages PagesReading read_together",
            "sentences.sentence_encoder": "SentenceEncoder",
            "together": "judge next_query read",
        },
    )
