"""Search-R1: one text of thoughts, searches and what they found, as models write it that were trained to search.

Bowen Jin et al., "Search-R1: Training LLMs to Reason and Leverage Search Engines with Reinforcement Learning" (2025),
section 3.2, algorithm 1 and table 1; its public code (PeterGriffinJin/Search-R1) where the paper leaves something open.
"""

import re
from collections.abc import Sequence

import dspy

from ...retrieval import Passage
from ...runtime import Count
from ...signatures import ContinueWithTags
from ..shared.chain import TextAgent, Walk

INVALID = (
    "\nThat was neither a search nor an answer. To search, I have to put a query between <search> and </search>; to "
    "answer, I have to put the answer between <answer> and </answer>. I try again.\n"
)
_ACTION = re.compile(r"<(search|answer)>((?:(?!<\1>).)*?)(?:</(?:search|answer)>|\Z)", re.DOTALL)
"""The first action; one without an end ends with the text, since servers leave the mark out at which they stop."""


class SearchR1(TextAgent):
    """The answer that an LM gives in tags, after as many searches in tags as it asks for.

    Of a turn, the first action counts, and what is written after it is cut off. A turn without an action, or with an
    empty query, is told so and the next one taken. A query that repeats ends the search, as passages do of which none
    is new (`stops`); the public code searches on. The turn after the last search can only answer.

    A published checkpoint runs as `--lm server/NAME@URL`; it was trained with `turns=4` and `k=3`, on passages of 100
    words. Differs from the paper: the instructions, and what follows an invalid turn, say in other words what the
    paper's say; a question without an answer is read from the passages, where the paper counts it as wrong
    (`reads_unfinished=false`).
    """

    name = "search-r1"
    paper = "Search-R1 (Jin et al., 2025)"
    calls = "1 a turn; 1 to read if it does not finish"

    turns: Count = 4
    """Turns at most, each with a search, before the last one."""
    k: Count = 3
    """Passages to retrieve a turn."""

    def set_up(self) -> None:
        """Set up the steps."""
        self.write = dspy.Predict(ContinueWithTags)
        super().set_up()

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.turns + 1 + (self.reads and self.reads_unfinished)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Write, search and put in what was found; until there is an answer."""
        walk, texts, answer = Walk(self), list[str](), ""
        asked = question.strip() if question.strip().endswith("?") else f"{question.strip()}?"  # as in its training
        for turn in range(self.turns + 1):
            step = await self.attempt(self.ask(self.write, question=asked, transcript="".join(texts)))
            if step is None:  # the budget has run out, or nothing was written
                break
            text, action, content = first_action(step.continuation)
            texts.append(text)
            if action == "answer":
                answer = content
                break
            if turn == self.turns:  # what a search would find now, nobody would read
                break
            if not content:
                texts.append(INVALID)
                continue
            passages = await walk.find(content)
            if passages is None:
                break
            texts.append(f"\n\n<information>{documents(passages)}</information>\n\n")
        return await self.finished(walk, answer, texts, question)


def first_action(text: str) -> tuple[str, str, str]:
    """The text up to the end of its first action, the action's name, and what stands in it; empty without one."""
    found = _ACTION.search(text)
    if found is None:
        return text, "", ""
    return f"{text[: found.end(2)]}</{found[1]}>", found[1], found[2].strip()


def documents(passages: Sequence[Passage]) -> str:
    """The passages as they stood in the training of its models, whose corpus has titles in quotes."""
    return "\n".join(f'Doc {n}(Title: "{each.title}") {each.text}' for n, each in enumerate(passages, 1))
