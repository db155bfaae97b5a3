"""The passages of an answer as numbered sources, a line each, at the place where the answer stands in them."""

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from ...english.sentences import sentence_spans
from ...retrieval import Passage
from .colours import ANSWER, ASIDE, PASSAGE

MOST = 5
"""Sources that are shown; of the rest, the first that holds the answer."""
WIDEST_TITLE = 36
"""Columns of the terminal that titles may take, a third of them at most."""
BEFORE = 24
"""Columns of the terminal for what is before the answer, where the whole beginning of its sentence is too long."""
NO_PLACE = ("", "yes", "no")
"""Answers that stand nowhere."""


def source_lines(passages: Sequence[Passage], answer: str, width: int) -> Iterator[Text]:
    """A line for each source, and one that counts those that are not shown.

    Examples:
        >>> from multihop import Passage
        >>> from multihop.cli.showing.sources import source_lines
        >>> jerzy = Passage("1", "Jerzy", "Jerzy is a director. He was born in Warsaw, in a house by the river.")
        >>> for line in source_lines([jerzy, Passage("2", "Night Train", "A film by Jerzy.")], "Warsaw", 56):
        ...     print(line.plain)
        1  Jerzy        … He was born in Warsaw, in a house by …
        2  Night Train  A film by Jerzy.
    """
    shown = [*range(min(MOST, len(passages)))]
    if not any(place_of(answer, passages[place].text) for place in shown):
        holding = (place for place in range(len(shown), len(passages)) if place_of(answer, passages[place].text))
        shown += [place for place in (next(holding, None),) if place is not None]
    titles = [passages[place].title or passages[place].id for place in shown]
    most = min(WIDEST_TITLE, width // 3, max(map(cell_len, titles), default=0))
    digits = len(str(max(shown, default=0) + 1))
    for place, title in zip(shown, titles, strict=True):
        name = Text(title, style=PASSAGE)
        name.truncate(most, overflow="ellipsis", pad=True)
        line = Text.assemble((f"{place + 1:>{digits}}  ", ASIDE), name, "  ")
        line.append_text(excerpt(passages[place].text, answer, width - line.cell_len))
        line.rstrip()
        yield line
    if len(passages) > len(shown):
        yield Text(f"{'':>{digits}}  … and {len(passages) - len(shown)} more; --json has all", style=ASIDE)


def excerpt(text: str, answer: str, width: int) -> Text:
    """As much of the text as fits, from the sentence on in which the answer stands, which is marked."""
    text = " ".join(text.split())
    start, found = 0, place_of(answer, text)
    if found:
        start = max(begin for begin, _ in sentence_spans(text) if begin <= found.start())
        room = width - cell_len("… ") - cell_len(found.group()) - 1
        if cell_len(text[start : found.start()]) > room:  # the sentence's beginning would push the answer out of sight
            before = min(room, max(BEFORE, room - cell_len(text[found.end() :])))
            start = found.start() - len(_end_of(text[start : found.start()], before))
    shown = Text("… " if start else "").append(text[start:])
    if found:
        at = found.start() - start + (2 if start else 0)
        shown.stylize(f"bold {ANSWER}", at, at + found.end() - found.start())
    shown.truncate(width, overflow="ellipsis")
    return shown


def _end_of(text: str, width: int) -> str:
    """As many of its last words as fit."""
    words = text.split(" ")
    fitting = (" ".join(words[place:]) for place in range(1, len(words)))
    return next((end for end in fitting if cell_len(end) <= width), "")


def place_of(answer: str, text: str) -> re.Match[str] | None:
    """The first place where the answer stands in the text, as whole words, whatever their case."""
    if answer.strip().lower() in NO_PLACE:
        return None
    words = r"\s+".join(map(re.escape, answer.split()))
    return re.search(rf"(?<!\w){words}(?!\w)", text, re.IGNORECASE)
