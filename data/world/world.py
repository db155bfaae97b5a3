"""The world as a whole: any number of regions, their paragraphs, and the questions about them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial

from ...base import InputError, writing_folder
from ...base.texts import as_json
from ...retrieval import Passage
from ..formats.rows import question_row
from ..question import Question
from .chains import bridge, inference
from .comparisons import bridge_comparison, comparison
from .dice import Dice
from .missing_pages import Incomplete, leave_pages_out
from .region import REGION_SIZE, Region, region
from .region_index import RegionIndex
from .unnumbered_question import UnnumberedQuestion

VERSION = 1
"""Changes whenever the same seed starts to give another world."""
MARKER = "world.json"
PASSAGES_PER_QUESTION = 15
"""The corpus of a world whose size nobody gave."""
MOST_UNANSWERABLE = 0.5
"""The largest share of questions that can be left without answer."""
QUESTIONS_PER_REGION = 200
"""At most; a world with more questions than that gets more regions."""
TYPES = (
    *["bridge2"] * 45, *["bridge3"] * 15, *["bridge4"] * 8, *["comparison"] * 15, *["bridge_comparison"] * 9,
    *["inference"] * 8,
)  # fmt: skip
"""A hundred questions by kind."""

_DRAWS: dict[str, Callable[[RegionIndex, Dice], UnnumberedQuestion | None]] = {
    **{f"bridge{hops}": partial(bridge, hops=hops) for hops in (2, 3, 4)},
    "comparison": comparison,
    "bridge_comparison": bridge_comparison,
    "inference": inference,
}


class World:
    """A fictional encyclopedia with multi-hop questions about it, the same for the same seed, of any size.

    The world is made region by region, a thousand paragraphs at a time, and only a few regions are ever in memory.
    Each region has people, places and works of its own; names never repeat between regions, though their parts do.

    Examples:
        >>> from multihop.data.world import World
        >>> world = World(questions=3, passages=1000, seed=7)
        >>> [question.hops == len(question.decomposition) for question in world.questions()]
        [True, True, True]
        >>> world.passages_count == sum(1 for _ in world.passages())
        True
    """

    def __init__(
        self, questions: int = 200, seed: int = 0, *, passages: int | None = None, unanswerable: float = 0.0
    ) -> None:
        """The world of this seed, with exactly so many questions and at least so many paragraphs.

        Args:
            questions: The number of questions that `questions()` yields.
            seed: Another seed, another world.
            passages: The least number of paragraphs; 15 a question if not given. Rounded up to whole regions.
            unanswerable: The share of questions that cannot be answered, at most a half: a page that each of them takes
                is left out, which no other question takes, and no other page states its fact. All else is as without.
        """
        for name, value, least in (("questions", questions, 0), ("passages", passages, 1), ("seed", seed, None)):
            if value is not None and (type(value) is not int or (least is not None and value < least)):
                expected = "a whole number" if least is None else f"a whole number of {least} or more"
                raise InputError(f"World: {name} must be {expected}, not {value!r}.")
        if not isinstance(unanswerable, int | float) or not 0 <= unanswerable <= MOST_UNANSWERABLE:
            most = f"{MOST_UNANSWERABLE:g}"
            raise InputError(f"World: unanswerable must be a share between 0 and {most}, not {unanswerable!r}.")
        self.questions_count = questions
        self.unanswerable = float(unanswerable)
        self.seed = seed
        size = questions * PASSAGES_PER_QUESTION if passages is None else passages
        self.regions = max(1, -(-size // REGION_SIZE), -(-questions // QUESTIONS_PER_REGION))
        self._name = f"world/{VERSION}/{seed}"

    def __repr__(self) -> str:
        share = f", unanswerable={self.unanswerable:g}" if self.unanswerable else ""
        pages = self.regions * REGION_SIZE
        return f"World(questions={self.questions_count}, seed={self.seed}, passages={pages}{share})"

    @property
    def passages_count(self) -> int:
        """The number of paragraphs that `passages()` yields: the regions' and the atlas of countries."""
        if self.unanswerable:
            return sum(1 for _ in self.passages())
        return self.regions * REGION_SIZE + len(region(self._name, 0).entities)

    def passages(self) -> Iterator[Passage]:
        """All paragraphs, the countries first, then region by region."""
        for number in range(self.regions + 1):
            part = region(self._name, number)
            missing = self._draw_questions(part, number).missing if self.unanswerable else frozenset()
            yield from (passage for passage in part.passages() if passage.id not in missing)

    def questions(self) -> Iterator[Question]:
        """All questions, region by region, with the kinds mixed."""
        for number in range(1, self.regions + 1):
            if self._quota(number):
                yield from self._draw_questions(region(self._name, number), number).questions

    def write(self, folder: str | os.PathLike[str]) -> None:
        """Write corpus.jsonl, questions.jsonl and world.json into the folder, all of them or none."""
        with writing_folder(folder, marker=MARKER) as target:
            with (
                (target / "corpus.jsonl").open("w", encoding="utf-8") as corpus,
                (target / "questions.jsonl").open("w", encoding="utf-8") as questions,
            ):
                written = 0
                for number in range(self.regions + 1):
                    part = region(self._name, number)
                    drawn = self._draw_questions(part, number)
                    for passage in part.passages():
                        if passage.id not in drawn.missing:
                            corpus.write(f"{as_json(passage._asdict())}\n")
                            written += 1
                    for question in drawn.questions:
                        questions.write(f"{as_json(question_row(question))}\n")
            about: dict[str, int | float] = {
                "version": VERSION,
                "seed": self.seed,
                "questions": self.questions_count,
                "passages": written,
            }
            if self.unanswerable:
                about["unanswerable"] = self.unanswerable
            (target / MARKER).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")

    def _quota(self, number: int) -> range:
        """The numbers of the questions asked about one region; none about the atlas."""
        if number == 0:
            return range(0)
        return range(self.questions_count * (number - 1) // self.regions, self.questions_count * number // self.regions)

    def _draw_questions(self, region: Region, number: int) -> Incomplete:
        """The questions about a region, and the pages that are left out so that some cannot be answered."""
        quota = self._quota(number)
        if not quota:
            return Incomplete([], frozenset())
        index, dice = RegionIndex(region), Dice(f"{self._name}/questions/{number}")
        seen: set[tuple[str, ...]] = set()
        drawn = []
        for ordinal in quota:
            block, place = divmod(ordinal, len(TYPES))
            kind = Dice(f"{self._name}/types/{block}").mix(TYPES)[place]
            drawn.append(_draw(index, dice, kind, seen))
        dice = Dice(f"{self._name}/unanswerable/{number}")
        return leave_pages_out(region, drawn, quota.start, self.unanswerable, dice)


def _draw(index: RegionIndex, dice: Dice, kind: str, seen: set[tuple[str, ...]]) -> UnnumberedQuestion:
    while True:
        question = _DRAWS[kind](index, dice)
        if question is None:
            continue
        key = (kind, *sorted(f"{page.id} {relation}" for page, relation in question.facts))
        if key not in seen:
            seen.add(key)
            return question
