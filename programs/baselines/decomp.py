"""Decomposed Prompting: a controller hands one simple question after the other to a module that answers it.

Tushar Khot et al., "Decomposed Prompting: A Modular Approach for Solving Complex Tasks" (2023), sections 3 and 4.3.
"""

import dspy

from ...signatures import AnswerSubQuestion, PickSubQuestion, ReadNotes
from ..shared.chain import Chain, Walk, note_texts
from ..shared.evidence import Evidence, read_last


class DecomposedPrompting(Chain):
    """The answer read from simple questions that a controller chose and a module answered from retrieval.

    Differs from the paper: the module that answers is also told the whole question; the last answer is not taken as it
    is, but read from all notes and passages, as the paper's multi-hop reader does. It ends early at a sub-question that
    repeats, and after passages of which none is new (`stops`).
    """

    name = "decomp"
    paper = "Decomposed Prompting (Khot et al., 2023)"
    calls = "2 a sub-question, 1 to stop, 1 to read"
    planner = "plan"

    def set_up(self) -> None:
        """Set up the steps."""
        self.plan = dspy.Predict(PickSubQuestion)
        self.answer = dspy.Predict(AnswerSubQuestion)
        self.read = dspy.Predict(ReadNotes)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return 2 * self.turns + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Pick a sub-question, answer it; until the controller stops; then read."""
        walk = Walk(self)
        notes: list[Evidence] = []
        while not walk.over:
            choice = await self.attempt(self.ask(self.plan, notes=note_texts(notes), question=question))
            if choice is None or choice.enough:
                break
            note = await self.answer_sub_question(self.answer, walk, question, choice.sub_question.strip())
            if note is None:
                break
            notes.append(note)
        prediction = await read_last(
            self, self.read, notes=note_texts(notes), passages=walk.passages, question=question
        )
        return walk.prediction(prediction.answer, [note.record for note in notes])
