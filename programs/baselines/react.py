"""ReAct: thought, search, observation, in turns, until it finishes with an answer.

Shunyu Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models" (2023), sections 2 and 3.
"""

import dspy
from dspy.utils.exceptions import AdapterParseError

from ...retrieval import Passage
from ...signatures import ReadHistory, ThinkAndAct
from ..shared.actions import Action, Finish, Search, action_of
from ..shared.chain import Chain, Walk
from ..shared.evidence import read_last

NOTHING_FOUND = "Observation: nothing was found."
UNREADABLE = "Observation: that turn could not be read; name an action and what it needs."


class ReAct(Chain):
    """The answer with which a run of thoughts and searches finishes.

    A turn that cannot be read, or acts in no known way, is noted as such in the history, and the next turn is taken.

    The paper does not say how it ends without an answer: here the answer is then read from the history. Differs from
    the paper: the one tool is the retriever, without looking up words in a page. It ends at a search that repeats, and
    searches no more after passages of which none is new (`stops`).
    """

    name = "react"
    paper = "ReAct (Yao et al., 2023)"
    calls = "1 a turn; 1 to read if it does not finish"
    planner = "act"

    def set_up(self) -> None:
        """Set up the steps."""
        self.act = dspy.Predict(ThinkAndAct)
        self.read = dspy.Predict(ReadHistory)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.turns + 1 + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Think, act, observe; until it finishes."""
        walk, final = Walk(self), ""
        history: list[str | Passage] = []
        for _ in range(self.turns + 1):  # a turn for each search, and one to finish
            turn = await self.attempt(self.take_turn(question, history))
            if turn is None:  # the budget has run out
                break
            thought, action = turn
            history.extend([f"Thought: {thought}"] if thought else [])
            match action:
                case None:
                    history.append(UNREADABLE)
                case Finish(final):
                    break
                case Search(query):
                    history.append(f"Search: {query}")
                    passages = await walk.find(query)
                    if passages is None:
                        break
                    history.extend(passages or [NOTHING_FOUND])
        if not final:
            final = (await read_last(self, self.read, history=history, question=question)).answer
        return walk.prediction(final, [{"analysis": each, "passages": []} for each in history if isinstance(each, str)])

    async def take_turn(self, question: str, history: list[str | Passage]) -> tuple[str, Action | None]:
        """The thought and the action of the next turn; no thought and no action if it cannot be read."""
        try:
            turn = await self.ask(self.act, history=history, question=question)
        except AdapterParseError:
            return "", None
        return turn.thought, action_of(turn)
