"""The second ranking of passages: by what the encoder's reader says of each when it sees several side by side."""

from collections.abc import Sequence
from math import exp

from ...encoder import USEFUL, Encoder, Pages, read, read_together
from ...retrieval import Passage
from ...runtime import together
from .judged_chunks import JudgedChunk, likeliest_of_each

WORTH_READING = 0.05
"""The worth that a passage must have to be read at all, as a share of that of the best one."""
SURE = 0.999
"""The probability of a passage, and of the contrary, above which the reader is not believed."""
ANSWERS = 3
"""The factor by which a passage is likelier in which the answer surely stands."""


async def rank_side_by_side(
    encoder: Encoder, question: str, judged: Sequence[JudgedChunk], most_read: int, useful_at: float = USEFUL
) -> list[Passage]:
    """The passages, each once and best first: the most promising by promise times the reader's odds, then the others.

    The less the reader believes even the likeliest of them, the more counts where the question found each: questions
    or texts may be of a kind that the encoder does not know.

    Args:
        encoder: The encoder whose reader is asked.
        question: The question that the passages are to answer.
        judged: The passages with the label of each alone, in the order of finding, as often as they were found.
        most_read: Passages to read at most; those that promise too little beside the best one are not.
        useful_at: From this probability on a word is marked useful: of a long passage what is marked is read.
    """
    ranked = likeliest_of_each(judged)
    worth_reading = [chunk for chunk in ranked[:most_read] if chunk.worth >= WORTH_READING * ranked[0].worth]
    if len(worth_reading) < 2:
        return [chunk.passage for chunk in ranked]
    shown = [chunk.shown(useful_at) for chunk in worth_reading]
    helps, answers = await _read_side_by_side(encoder, question, shown)
    doubt = 1 - max(helps.values())
    places = _places(judged)
    likely: dict[Passage, float] = {}
    for chunk, text in zip(worth_reading, shown, strict=True):
        helpful = min(max(helps[text], 1 - SURE), SURE)
        odds = helpful / (1 - helpful) * ANSWERS ** answers[text]
        likely[chunk.passage] = chunk.worth * odds / places.get(chunk.passage, len(places) + 1) ** doubt
    read_again = sorted(likely, key=lambda passage: -likely[passage])
    return [*read_again, *(chunk.passage for chunk in ranked[len(read_again) :])]


def _places(judged: Sequence[JudgedChunk]) -> dict[Passage, int]:
    """The place, from 1, of each passage that the question itself found."""
    found = dict.fromkeys(chunk.passage for chunk in judged if not chunk.origin.path)
    return {passage: place for place, passage in enumerate(found, 1)}


async def _read_side_by_side(
    encoder: Encoder, question: str, texts: Sequence[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """The probabilities that each text helps, and that the answer stands in it; the highest of several readings."""
    groups = read_together(texts)
    readings = await together(*(read(encoder, Pages(question, group)) for group in groups))
    helps, answers = dict.fromkeys(texts, 0.0), dict.fromkeys(texts, 0.0)
    for group, reading in zip(groups, readings, strict=True):
        for page, (text, helpful) in enumerate(zip(group, reading.helpful, strict=True)):
            holds = reading.holds * sum(exp(answer.score) for answer in reading.answers if answer.page == page)
            helps[text] = max(helps[text], helpful)
            answers[text] = max(answers[text], holds)
    return helps, answers
