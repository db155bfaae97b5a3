"""An LM as the teacher: it takes questions apart, marks words and picks queries where a set does not say."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ...base.sentences import Span
from ...runtime import Gate, ask_alone, run_in_background
from ...signatures import DecomposeQuestion, MarkWords, PickNextQuery
from ..gold import Found, occurrences

AT_ONCE = 16
"""Questions that are taught at the same time."""
_WORD = re.compile(r"\S+")


class Teacher(dspy.Module):
    """Labels as EfficientRAG has an LM write them.

    The signatures are `DecomposeQuestion`, `MarkWords` and `PickNextQuery`.
    What the LM says is checked: a mark must stand in the paragraph, a query must be picked in order from its words;
    what does not fit is left out, and a completion that cannot be parsed leaves what follows from gold.

    Examples:
        >>> import dspy
        >>> from multihop.models import scripted
        >>> from multihop.optimize.gold import Found
        >>> from multihop.optimize.training.teacher import Teacher
        >>> path = [Found("Emma | By Jane Austen.", ()), Found("Jane Austen | Born in Steventon.", ())]
        >>> lm = scripted([
        ...     {"sub_questions": ["Who wrote it?", "Where was #1 born?"], "sub_answers": ["Jane Austen", "Steventon"]},
        ...     {"marked": ["Jane Austen"]},
        ...     {"marked": ["Born", "Steventon", "Bath"]},
        ... ])
        >>> with dspy.context(lm=lm):
        ...     taught = Teacher().paths([("Where was the author of Emma born?", "Steventon", path)])[0]
        >>> [(found.asked, found.said) for found in taught]
        [('Who wrote it?', ('Jane Austen',)), ('Where was Jane Austen born?', ('Born', 'Steventon'))]
    """

    def __init__(self) -> None:
        super().__init__()
        self.decompose = dspy.Predict(DecomposeQuestion)
        self.mark = dspy.Predict(MarkWords)
        self.pick = dspy.Predict(PickNextQuery)
        self.gate = Gate(AT_ONCE)

    def paths(self, questions: Sequence[tuple[str, str, Sequence[Found]]]) -> list[list[Found]]:
        """The gold paths of questions with their answers, with what each paragraph is asked and says."""
        return run_in_background(self._all(questions))

    def query(self, question: str, known: str) -> tuple[list[Span], list[Span]]:
        """Where in the question and in what is known the words of the next query are."""
        picked = run_in_background(self._asked(self.pick, question=question, known=known))
        words = picked.query.split() if picked else []
        asked, rest = _in_order(question, words)
        return asked, _in_order(known, rest)[0]

    async def _all(self, questions: Sequence[tuple[str, str, Sequence[Found]]]) -> list[list[Found]]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(question: str, answer: str, path: Sequence[Found]) -> list[Found]:
            async with gate:
                return await self._path(question, answer, path)

        return await asyncio.gather(*(one(*each) for each in questions))

    async def _path(self, question: str, answer: str, path: Sequence[Found]) -> list[Found]:
        paragraphs = [found.passage for found in path]
        parts = await self._asked(self.decompose, paragraphs=paragraphs, question=question, answer=answer)
        if parts is None or not len(parts.sub_questions) == len(parts.sub_answers) == len(path):
            return list(path)
        taught = []
        for place, (found, asked, said) in enumerate(zip(path, parts.sub_questions, parts.sub_answers, strict=True)):
            for number, earlier in enumerate(parts.sub_answers[:place], 1):
                asked = earlier.join(re.split(rf"#{number}(?!\d)", asked))
            marked = await self._asked(self.mark, paragraph=found.passage, sub_question=asked, sub_answer=said)
            words = [each for each in (marked.marked if marked else [said]) if occurrences(found.passage, [each])]
            taught.append(found._replace(asked=asked, said=tuple(words) or found.said))
        return taught

    async def _asked(self, predictor: dspy.Predict, **inputs: Any) -> Any:
        try:
            return await ask_alone(predictor, inputs, role="teach", gate=self.gate)
        except AdapterParseError:
            return None


def _in_order(text: str, words: Sequence[str]) -> tuple[list[Span], list[str]]:
    """Where words are in the text, each after the one before, until one does not; and the words from there on."""
    spans: list[Span] = []
    rest = list(words)
    for match in _WORD.finditer(text):
        if rest and _bare(match[0]) == _bare(rest[0]):
            spans.append((match.start(), match.end()))
            rest.pop(0)
    return spans, rest


def _bare(word: str) -> str:
    return word.strip(".,;:!?()[]\"'").lower()
