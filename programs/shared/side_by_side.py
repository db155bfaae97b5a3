"""Chunks under the labels of a search, and their second ranking: by what the encoder's reader says side by side."""

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

from ...encoder import USEFUL, Encoder, Judgement, Pages, condense, read, read_together
from ...retrieval import Passage
from ...runtime import together

RANK_DISCOUNT = 0.8
LAST_PLACE = 9
"""The place behind which none costs more."""
SHOWN = 150
"""Words of a chunk that are read beside others; of a longer one, the sentences with most marks."""
DOUBT = 0.1
"""The share of its worth that a chunk keeps which the labeler finds worthless."""
WORTH_READING = 0.05
"""The worth that a passage must have to be read at all, as a share of that of the best one."""
SURE = 0.999
"""The probability of a passage, and of the contrary, above which the reader is not believed."""
ANSWERS = 3
"""The factor by which a passage is likelier in which the answer surely stands."""


class OpenQuery(NamedTuple):
    """A query that is still to be searched for, and the chunks that led to it."""

    queries: tuple[str, ...]
    """The words that the filter picked, and those that the labeler marked where they are searched for as well."""
    path: tuple[Passage, ...] = ()
    known: tuple[str, ...] = ()
    """The sentences that matter of each chunk on the path."""
    belief: float = 1.0
    """The probability that the path leads to the answer."""


class JudgedChunk(NamedTuple):
    """A chunk with its label, the query that found it, and its place there."""

    passage: Passage
    label: Judgement
    origin: OpenQuery
    rank: int
    """The place among what the query found, from 0."""

    @property
    def belief(self) -> float:
        """The probability that the chunk is part of the way to the answer."""
        return self.origin.belief * (DOUBT + (1 - DOUBT) * self.label.relevant)

    @property
    def worth(self) -> float:
        """The belief, and a little less for every place that the retriever put it behind."""
        return self.belief * RANK_DISCOUNT ** min(self.rank, LAST_PLACE)

    def shown(self, useful_at: float) -> str:
        """The text that is read beside other chunks: all, unless it is long."""
        text = str(self.passage)
        return text if len(text.split()) <= SHOWN else condense(text, self.label.marks(useful_at), SHOWN)


async def rank_side_by_side(
    encoder: Encoder, question: str, judged: Sequence[JudgedChunk], most_read: int, useful_at: float = USEFUL
) -> list[Passage]:
    """The passages, each once and best first: the most promising by promise times the reader's odds, then the others.

    The less the reader believes even the likeliest of them, the more counts where the question found each: questions
    or texts may be of a kind that the encoder does not know. At most `most_read` are read, and none that promises too
    little beside the best one; of a long passage what is marked (`useful_at`) is read.
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


def likeliest_of_each(judged: Sequence[JudgedChunk]) -> list[JudgedChunk]:
    """Every passage once, as the chunk at the end of that path to it which promises most; best first."""
    best: dict[Passage, JudgedChunk] = {}
    for chunk in judged:
        if chunk.passage not in best or chunk.worth > best[chunk.passage].worth:
            best[chunk.passage] = chunk
    return sorted(best.values(), key=lambda chunk: -chunk.worth)


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
