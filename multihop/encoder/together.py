"""The encoder for an event loop: questions that are asked at the same time go through the network in one run."""

from collections.abc import Sequence
from contextvars import Context
from functools import partial
from typing import Any

from ..base import ask_together, in_thread
from .encoder import Encoder, NextQuery
from .judgement import Judgement
from .layout import Pair
from .pages import Pages, PagesReading


async def judge(encoder: Encoder, pair: Pair) -> Judgement:
    """The judgement of one pair, made together with what others on this event loop ask at the same time.

    Examples:
        >>> import asyncio
        >>> from multihop.encoder import Encoder, Pair, judge
        >>> async def main():
        ...     pairs = [Pair("Where is Etna?", text) for text in ("Etna | A volcano in Sicily.", "Po | A river.")]
        ...     return await asyncio.gather(*[judge(Encoder.load(), pair) for pair in pairs])
        >>> etna, po = asyncio.run(main())
        >>> etna.relevant > po.relevant
        True
    """
    judged: Judgement = await ask_together(encoder, "judge", pair, partial(_work, encoder))
    return judged


async def next_query(encoder: Encoder, question: str, finding: str) -> NextQuery:
    """The next query after one finding, picked together with others."""
    picked: NextQuery = await ask_together(encoder, "next_queries", (question, finding), partial(_work, encoder))
    return picked


async def label(encoder: Encoder, pair: Pair) -> Judgement:
    """The labeler's judgement of one pair, made together with others."""
    labelled: Judgement = await ask_together(encoder, "label", pair, partial(_work, encoder))
    return labelled


async def filtered_query(encoder: Encoder, query: str, marked: str) -> NextQuery:
    """The filter's query after a query and the words marked under it, picked together with others."""
    picked: NextQuery = await ask_together(encoder, "filter", (query, marked), partial(_work, encoder))
    return picked


async def read(encoder: Encoder, pages: Pages) -> PagesReading:
    """The reader's reading of pages, in one run with others."""
    reading: PagesReading = await ask_together(encoder, "read", pages, partial(_work, encoder))
    return reading


async def _work(encoder: Encoder, kind: str, items: list[Any], context: Context) -> Sequence[Any]:
    answers: Sequence[Any] = await in_thread(context, getattr(encoder, kind), items)
    return answers
