"""An LM as the teacher: it takes questions apart where their sets do not say how, and what it says is checked."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ..data.gold import GoldHop, GoldPath, GoldReading
from ..data.gold.gold_passages import sentences_of
from ..data.gold.whole_words import as_written
from ..runtime import Gate, ask_alone, run_in_background
from ..signatures import DecomposeQuestion

AT_ONCE = 16
"""Questions that are taught at the same time."""
_REFERENCE = re.compile(r"#(\d+)")


class GoldTeacher(dspy.Module):
    """Sub-questions as EfficientRAG has an LM write them, by the signature `DecomposeQuestion`.

    Only questions are taken apart of which a rule wrote a hop. What the LM says is checked: a sub-question for each
    paragraph that names earlier answers only, and an answer that is in the paragraph. A path that does not pass stays
    as the rule reads it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.decompose = dspy.Predict(DecomposeQuestion)
        self.gate = Gate(AT_ONCE)

    def teach(self, reading: GoldReading) -> GoldReading:
        """The same reading with sub-questions by the configured LM where a rule wrote them."""
        return reading._replace(paths=run_in_background(self._all(reading.paths)))

    @staticmethod
    def calls(reading: GoldReading) -> int:
        """The number of LM calls that this takes, apart from answers kept from earlier ones."""
        return sum(_by_rule(path) for path in reading.paths)

    async def _all(self, paths: Sequence[GoldPath]) -> list[GoldPath]:
        return list(await asyncio.gather(*(self.teach_path(path) for path in paths)))

    async def teach_path(self, path: GoldPath) -> GoldPath:
        """One path as the LM takes it apart, or as it was where it needs no LM or does not pass."""
        if not _by_rule(path):
            return path
        parts = await self.ask(
            self.decompose,
            paragraphs=[str(page) for page in path.passages],
            question=path.question.question,
            answer=path.answer,
        )
        hops = check_hops(path, parts.sub_questions, parts.sub_answers) if parts else []
        return replace(path, hops=tuple(hops)) if hops else path

    async def ask(self, predictor: dspy.Predict, **inputs: Any) -> Any:
        """The LM's answer, through the same cache and bill as every call; None where it cannot be understood."""
        try:
            return await ask_alone(predictor, inputs, role="teach", gate=self.gate)
        except AdapterParseError:
            return None


def check_hops(path: GoldPath, sub_questions: Sequence[str], sub_answers: Sequence[str]) -> list[GoldHop]:
    """The hops that an LM wrote for the path's paragraphs; none where anything about them is wrong.

    Each sub-question may name the answers of earlier hops, as #1, and must not hold its own answer; each answer must be
    in its paragraph, and the last one must be that of the question, unless the question compares.
    """
    hops: list[GoldHop] = []
    if not len(sub_questions) == len(sub_answers) == len(path.passages):
        return []
    for page, text, sub_answer in zip(path.passages, sub_questions, sub_answers, strict=True):
        needs = tuple(sorted({int(number) - 1 for number in _REFERENCE.findall(text)}))
        if any(not 0 <= place < len(hops) for place in needs):
            return []
        sub_question = _REFERENCE.sub(lambda number: hops[int(number[1]) - 1].answer, text).strip()
        holding = next((each for each in sentences_of(path.question, page) if as_written(each, sub_answer)), "")
        if not sub_question or not holding or as_written(sub_question, sub_answer):
            return []
        hops.append(GoldHop(sub_question, as_written(holding, sub_answer), page, holding, needs))
    right = any(
        as_written(hops[-1].answer, each) or as_written(each, hops[-1].answer) for each in path.question.answers
    )
    return hops if path.compares or right else []


def _by_rule(path: GoldPath) -> bool:
    return len(path.passages) > 1 and any(hop.by_rule for hop in path.hops)
