r"""Search-o1: reasoning that searches when it lacks a fact, and a step that reasons in the documents found.

Xiaoxi Li et al., "Search-o1: Agentic Search-Enhanced Large Reasoning Models" (2025), sections 3.3 and 3.4, algorithm 1;
its public code (sunnynexus/Search-o1) where the paper leaves something open.
"""

import re

import dspy

from ...signatures import ReasonInDocuments, ReasonWithSearches
from ..shared.chain import TextAgent, Walk
from ..shared.evidence import wording

NO_MORE = "There may be no further search: answer with what is known."
REPEATED = "This was searched for before: see what was found then."
NOTHING = "No helpful information was found."
_BEGIN, _END = "<|begin_search_query|>", "<|end_search_query|>"
_QUERY = re.compile(rf"{re.escape(_BEGIN)}((?:(?!{re.escape(_BEGIN)}).)*?)(?:{re.escape(_END)}|\Z)", re.DOTALL)
_BOXED = re.compile(r"\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}")


class SearchO1(TextAgent):
    r"""The boxed answer of a line of reasoning, into which the LM's own reading of what it searched for is put.

    Of a turn, the first search counts, and what is written after it is cut off. A turn without one, or with an empty
    query, ends the reasoning; the last answer in a box counts. Once there may be no further search, a search is told
    so, and one more turn taken. A query that repeats ends the search, as passages do of which none is new (`stops`);
    with `stops=[]` it is told that it was searched for before.

    Differs from the paper: passages of a corpus take the place of web pages; the reasoning is shown whole to the step
    that reads them, where the public code shortens it; a question without an answer in a box is read from the passages,
    where the paper's code takes the answer that the LM gives without a search.
    """

    name = "search-o1"
    paper = "Search-o1 (Li et al., 2025)"
    calls = "2 a search, 1 or 2 to answer, 1 to read if it does not finish"

    def set_up(self) -> None:
        """Set up the steps."""
        self.write = dspy.Predict(ReasonWithSearches)
        self.refine = dspy.Predict(ReasonInDocuments)
        super().set_up()

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return 2 * self.turns + 2 + (self.reads and self.reads_unfinished)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Reason, search, reason in the documents; until a turn searches for nothing."""
        walk, texts, answer = Walk(self), list[str](), ""
        for _ in range(self.turns + 2):  # a turn for each search, one that is told that it was the last, and one after
            step = await self.attempt(self.ask(self.write, question=question, transcript="".join(texts)))
            if step is None:  # the budget has run out, or nothing was written
                break
            text, query = first_query(step.continuation)
            texts.append(text)
            answer = boxed(text) or answer
            result = await self.result_of(query, walk, question, "".join(texts)) if query else None
            if result is None:
                break
            texts.append(f"\n\n<|begin_search_result|>{result}<|end_search_result|>\n\n")
        return await self.finished(walk, answer, texts, question)

    async def result_of(self, query: str, walk: Walk, question: str, transcript: str) -> str | None:
        """The LM's reading of what the query finds, or why there is nothing to read; None where the search ends."""
        if walk.rounds >= self.turns:
            return NO_MORE
        if "repeats" not in self.stops and wording(query) in map(wording, walk.queries):
            return REPEATED
        passages = await walk.find(query)
        if not passages:
            return None if passages is None else NOTHING
        step = await self.attempt(
            self.ask(self.refine, passages=passages, transcript=transcript, query=query, question=question)
        )
        return NOTHING if step is None else step.analysis.strip()


def first_query(text: str) -> tuple[str, str]:
    """The text up to the end of its first search, and what it searches for; empty without one."""
    found = _QUERY.search(text)
    return (f"{text[: found.end(1)]}{_END}", found[1].strip()) if found else (text, "")


def boxed(text: str) -> str:
    """The last answer in a box, without the mark of plain text in it; empty without one."""
    found = _BOXED.findall(text)
    return re.sub(r"\\text\w*\{([^{}]*)\}", r"\1", found[-1]).strip() if found else ""
