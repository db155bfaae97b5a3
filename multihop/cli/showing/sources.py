"""The passages of an answer as numbered sources, a line each: from the sentence on that bears it, or that has it."""

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from ...base.english import sentence_spans
from ...retrieval import Passage
from ...runtime import Citation
from .output import ANSWER, ASIDE, BEARS, PASSAGE

MOST = 5
"""Sources that are shown; of the rest, the first that holds the answer."""
WIDEST_TITLE = 36
"""Columns of the terminal that titles may take, a third of them at most."""
BEFORE = 24
"""Columns of the terminal for what is before the answer, where the whole beginning of its sentence is too long."""
NO_PLACE = ("", "yes", "no")
"""Answers that stand nowhere."""
MARK = "▸"
"""Beside the number of a source that is shown from a cited sentence on."""
CITED = f"{MARK} from the sentence that bears the answer"
"""The meaning of the mark."""


def source_lines(
    passages: Sequence[Passage], answer: str, width: int, citations: Sequence[Citation] = ()
) -> Iterator[Text]:
    """A line for each source, and one that counts those that are not shown.

    Args:
        passages: The passages, best first.
        answer: The answer.
        width: The columns of the terminal.
        citations: The sentences that bear the answer, likeliest first.
    """
    cited = {each.passage: each.sentence for each in reversed(citations)}  # of a passage's sentences the likeliest
    first = range(min(MOST, len(passages)))
    shown = [place for place, passage in enumerate(passages) if place in first or passage.id in cited]
    if not cited and not any(place_of(answer, passages[place].text) for place in shown):
        holding = (place for place in range(len(shown), len(passages)) if place_of(answer, passages[place].text))
        shown += [place for place in (next(holding, None),) if place is not None]
    titles = [passages[place].title or passages[place].id for place in shown]
    most = min(WIDEST_TITLE, width // 3, max(map(cell_len, titles), default=0))
    digits = len(str(max(shown, default=0) + 1))
    for place, title in zip(shown, titles, strict=True):
        name, passage = Text(title, style=PASSAGE), passages[place]
        name.truncate(most, overflow="ellipsis", pad=True)
        sentence = cited.get(passage.id, "")
        mark = (f" {MARK if sentence else ' '}", ANSWER) if cited else ""
        line = Text.assemble((f"{place + 1:>{digits}}", ASIDE), mark, "  ", name, "  ")
        line.append_text(excerpt(passage.text, answer, width - line.cell_len, sentence))
        line.rstrip()
        yield line
    if len(passages) > len(shown):
        yield Text(f"{'':>{digits}}  … and {len(passages) - len(shown)} more; --json has all", style=ASIDE)


def excerpt(text: str, answer: str, width: int, sentence: str = "") -> Text:
    """As much of the text as fits, from the sentence on in which the answer stands, which is marked.

    Args:
        text: The text.
        answer: The answer.
        width: The columns that there are.
        sentence: The sentence of the text that is cited: the excerpt begins with it, and it is marked as a whole.
    """
    text, sentence = " ".join(text.split()), " ".join(sentence.split())
    cited = text.find(sentence) if sentence else -1
    start, end = (cited, cited + len(sentence)) if cited >= 0 else (0, len(text))
    found = place_of(answer, text, start, end)
    if found:
        if cited < 0:
            start = max(begin for begin, _ in sentence_spans(text) if begin <= found.start())
        room = width - cell_len("… ") - cell_len(found.group()) - 1
        if cell_len(text[start : found.start()]) > room:  # the sentence's beginning would push the answer out of sight
            before = min(room, max(BEFORE, room - cell_len(text[found.end() :])))
            start = found.start() - len(_end_of(text[start : found.start()], before))
    shown = Text("… " if start else "")
    shift = shown.cell_len - start
    shown.append(text[start:])
    if cited >= 0:
        shown.stylize(BEARS, max(start, cited) + shift, end + shift)
    if found:
        shown.stylize(f"bold {ANSWER}", found.start() + shift, found.end() + shift)
    shown.truncate(width, overflow="ellipsis")
    return shown


def _end_of(text: str, width: int) -> str:
    """As many of its last words as fit."""
    words = text.split(" ")
    fitting = (" ".join(words[place:]) for place in range(1, len(words)))
    return next((end for end in fitting if cell_len(end) <= width), "")


def place_of(answer: str, text: str, start: int = 0, end: int | None = None) -> re.Match[str] | None:
    """The first place between two of the text where the answer stands, as whole words, whatever their case."""
    if answer.strip().lower() in NO_PLACE:
        return None
    words = r"\s+".join(map(re.escape, answer.split()))
    pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
    return pattern.search(text, start, len(text) if end is None else end)
