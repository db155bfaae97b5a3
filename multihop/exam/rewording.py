"""Has an LM word questions better, and keeps what is still the same question."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

import dspy
from dspy.utils.exceptions import AdapterParseError

from ..data import Question
from ..data.gold.whole_words import as_written
from ..runtime import Gate, ask_alone, run_in_background
from ..signatures import RewordQuestion

ROLE = "reword"
AT_ONCE = 16
"""Questions worded at once."""
_SAID = re.compile(r"[\"“][^\"”]+[\"”]|\b[A-Z][\w-]+|\b\d[\d,.]*\b")


def reword_all(
    questions: Sequence[Question],
    names: Sequence[Sequence[str]],
    lm: dspy.LM,
    *,
    watch: Callable[[str], None] = lambda doing: None,
) -> tuple[list[Question], int]:
    """The questions in the LM's words, and how many are: a wording that says more or less than before is not taken.

    Args:
        questions: The questions.
        names: Of each question, the names that its wording keeps.
        lm: The LM.
        watch: Called with how many are done, whenever one is.

    Examples:
        >>> from multihop import Question, scripted
        >>> from multihop.exam.rewording import reword_all
        >>> question = Question(id="q", question="When was the director of Emma born?", answers=("1960",))
        >>> lm = scripted([{"reworded_question": "What is the birth date of Emma's director?"}])
        >>> reword_all([question], [["Emma"]], lm)[0][0].question
        "What is the birth date of Emma's director?"
    """
    step, gate = dspy.Predict(RewordQuestion), Gate(AT_ONCE)
    done = count(1)

    async def word(question: Question, kept: Sequence[str]) -> Question:
        try:
            said = await ask_alone(step, {"question": question.question, "names": list(kept)}, role=ROLE, gate=gate)
        except AdapterParseError:
            return question
        finally:
            watch(f"rewording questions, {next(done):,} of {len(questions):,}")
        text = " ".join(str(said.reworded_question).split())
        return replace(question, question=text) if is_same_question(question, text, kept) else question

    async def word_all() -> list[Question]:
        with dspy.context(lm=lm, trace=None):
            return await asyncio.gather(*(word(*pair) for pair in zip(questions, names, strict=True)))

    watch(f"rewording {len(questions):,} questions")
    worded = run_in_background(word_all())
    return worded, sum(one.question != other.question for one, other in zip(questions, worded, strict=True))


def is_same_question(question: Question, text: str, names: Sequence[str]) -> bool:
    """True if a wording is one question, keeps the names and numbers, adds none, and does not give the answer.

    Examples:
        >>> from multihop import Question
        >>> from multihop.exam.rewording import is_same_question
        >>> question = Question(id="q", question="When was the director of Emma born?", answers=("1960",))
        >>> is_same_question(question, "When was Emma's director, Ann Lee, born?", ["Emma"])
        False
    """
    if text.count("?") != 1 or not text.endswith("?") or not 0.5 < len(text) / len(question.question) < 2:
        return False
    if not all(as_written(text, name) for name in names):
        return False
    old, new = question.question, text[:1].lower() + text[1:]
    if any(not as_written(old, said) for said in _SAID.findall(new)):
        return False
    if any(not as_written(text, number) for number in re.findall(r"\b\d[\d,.]*\d\b", old)):
        return False
    return not any(as_written(text, answer) for answer in question.answers if not as_written(old, answer))
