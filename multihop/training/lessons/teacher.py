"""An LM as the encoder's teacher: it marks words and picks queries, and takes apart what its set does not."""

import asyncio
import re
from collections.abc import Sequence

import dspy

from ...base.english import Span
from ...data.gold import GoldHop, GoldPath
from ...data.gold.whole_words import occurrences
from ...optimize.gold_teacher import GoldTeacher
from ...runtime import run_in_background
from ...signatures import MarkWords, PickNextQuery
from .findings import Finding, findings_of

_WORD = re.compile(r"\S+")


class Teacher(GoldTeacher):
    """Labels as EfficientRAG has an LM write them.

    The signatures are `DecomposeQuestion`, `MarkWords` and `PickNextQuery`. A set's own sub-questions are kept, and
    their words marked; only questions whose set tells none are taken apart.
    What the LM says is checked: a mark must be in the paragraph, a query must be picked in order from its words;
    what does not fit is left out, and a completion that cannot be parsed leaves what follows from gold.
    """

    def __init__(self) -> None:
        super().__init__()
        self.mark = dspy.Predict(MarkWords)
        self.pick = dspy.Predict(PickNextQuery)

    def mark_all(self, paths: Sequence[GoldPath]) -> list[list[Finding]]:
        """The findings on each path, with what each paragraph is asked and says."""
        return run_in_background(self._mark_paths(paths))

    def query(self, question: str, known: str) -> tuple[list[Span], list[Span]]:
        """The spans of the next query's words, in the question and in what is known."""
        picked = run_in_background(self.ask(self.pick, question=question, known=known))
        words = picked.query.split() if picked else []
        spans, rest = _in_order(question, words)
        return spans, _in_order(known, rest)[0]

    async def _mark_paths(self, paths: Sequence[GoldPath]) -> list[list[Finding]]:
        return await asyncio.gather(*map(self._mark_path, paths))

    async def _mark_path(self, path: GoldPath) -> list[Finding]:
        taught = await self.teach_path(path)
        marked = []
        for each, passage in zip(findings_of(taught), taught.passages, strict=True):
            hops = [hop for hop in taught.hops if hop.passage == passage and not hop.by_rule]
            words = [word for hop in hops for word in await self._mark_hop(each.passage, hop)]
            marked.append(each._replace(useful=tuple(dict.fromkeys(words)) or each.useful))
        return marked

    async def _mark_hop(self, paragraph: str, hop: GoldHop) -> list[str]:
        """The words that the LM marks in a paragraph that is there; the answer where it cannot be understood."""
        inputs = {"paragraph": paragraph, "sub_question": hop.sub_question, "sub_answer": hop.answer}
        words = await self.ask(self.mark, **inputs)
        return [mark for mark in (words.marked if words else [hop.answer]) if occurrences(paragraph, [mark])]


def _in_order(text: str, words: Sequence[str]) -> tuple[list[Span], list[str]]:
    """The spans of words in the text, each after the one before, until one is missing; and the words from there on."""
    spans: list[Span] = []
    rest = list(words)
    for match in _WORD.finditer(text):
        if rest and _bare(match[0]) == _bare(rest[0]):
            spans.append((match.start(), match.end()))
            rest.pop(0)
    return spans, rest


def _bare(word: str) -> str:
    return word.strip(".,;:!?()[]\"'").lower()
