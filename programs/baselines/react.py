"""ReAct: thought, search, observation, in turns, until it finishes with an answer.

Shunyu Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models" (2023), sections 2 and 3.
"""

from typing import Any

import dspy
from dspy.utils.exceptions import AdapterParseError

from ...retrieval import Passage, Retriever
from ...signatures import ReadHistory, ThinkAndAct
from ..chain import Chain, Walk

NOTHING_FOUND = "Observation: nothing was found."
UNREADABLE = "Observation: that turn could not be read; name an action and what it needs."


class ReAct(Chain):
    """The answer with which a run of thoughts and searches finishes.

    A turn that cannot be read, or acts in no known way, is noted as such in the history, and the next turn is taken.

    The paper does not say how it ends without an answer: here the answer is then read from the history. Differs from
    the paper: the one tool is the retriever, without looking up words in a page.

    Examples:
        >>> import dspy
        >>> from multihop.models import scripted
        >>> from multihop.programs import ReAct
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")]
        >>> lm = scripted([
        ...     {"thought": "I look her up.", "action": "search", "query": "Ada Lovelace born"},
        ...     {"thought": "It says London.", "action": "finish", "answer": "London"},
        ... ])
        >>> with dspy.context(lm=lm):
        ...     ReAct(BM25.build(corpus))(question="Where was Ada Lovelace born?").answer
        'London'
    """

    name = "react"
    paper = "ReAct (Yao et al., 2023)"
    calls = "1 a turn; 1 to read if it does not finish"
    planner = "act"

    def __init__(self, retriever: Retriever, **settings: Any) -> None:
        super().__init__(retriever, **settings)
        self.act = dspy.Predict(ThinkAndAct)
        self.read = dspy.Predict(ReadHistory)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Think, act, observe; until it finishes."""
        history: list[str | Passage] = []
        final, acted = "", 0

        async def think(walk: Walk, found: list[Passage]) -> str:
            nonlocal final, acted
            if walk.queries:
                history.extend(found or [NOTHING_FOUND])
            while acted <= self.turns:  # a turn for each search, and one to finish
                acted += 1
                try:
                    said = await self.ask(self.act, history=history, question=question)
                except AdapterParseError:
                    history.append(UNREADABLE)
                    continue
                action, argument = decided(said)
                history.extend(text for text in (said.thought and f"Thought: {said.thought}",) if text)
                if action == "finish":
                    final = argument
                    return ""
                if action == "search":
                    history.append(f"Search: {argument}")
                    return argument
                history.append(UNREADABLE)
            return ""

        walk = await self.walk(think)
        if not final:
            final = (await self.ask(self.read, history=history, question=question)).answer
        return dspy.Prediction(
            answer=final,
            passages=walk.passages,
            evidence=[{"analysis": each, "passages": []} for each in history if isinstance(each, str)],
            counts=walk.counts,
        )


def decided(said: dspy.Prediction) -> tuple[str, str]:
    """The action and what it needs, in whatever dress the LM gave them; ("", "") if it is none.

    Examples:
        >>> import dspy
        >>> from multihop.programs.baselines.react import decided
        >>> decided(dspy.Prediction(action="**Search**.", query="Ada", answer=""))
        ('search', 'Ada')
    """
    needs = {"search": said.query.strip(), "finish": said.answer.strip()}
    named = [action for action, argument in needs.items() if action in said.action.lower() and argument]
    return (named[0], needs[named[0]]) if named else ("", "")
