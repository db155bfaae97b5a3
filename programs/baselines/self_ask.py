"""Self-Ask: follow-up questions, each retrieved for and answered, until the final answer.

Ofir Press et al., "Measuring and Narrowing the Compositionality Gap in Language Models" (2023), section 3.
"""

import dspy

from ...signatures import AnswerSubQuestion, AskFollowUp, ReadNotes
from ..shared.chain import Chain, Walk, final_answer, note_texts
from ..shared.evidence import Evidence, read_last


class SelfAsk(Chain):
    """The final answer that follows from the answers to the LM's own follow-up questions.

    The end is recognised in whatever way the LM declares it: by its field, by asking nothing more, or by a follow-up
    that reads "the final answer is ...".

    The paper does not say how it ends without a final answer: here the answer is then read from the follow-ups and
    the passages. Differs from the paper: the intermediate answers are read from retrieved passages by a call of their
    own, where the paper takes a search engine's answer. It retrieves no more after a follow-up that repeats, or
    passages of which none is new (`stops`).
    """

    name = "self-ask"
    paper = "Self-Ask (Press et al., 2023)"
    calls = "2 a follow-up, 1 for the answer"
    planner = "follow_up"

    def set_up(self) -> None:
        """Set up the steps."""
        self.follow_up = dspy.Predict(AskFollowUp)
        self.answer = dspy.Predict(AnswerSubQuestion)
        self.read = dspy.Predict(ReadNotes)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return 2 * self.turns + 1 + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Ask a follow-up, retrieve for it, answer it; until there is none."""
        walk, final = Walk(self), ""
        notes: list[Evidence] = []
        while (
            step := await self.attempt(self.ask(self.follow_up, notes=note_texts(notes), question=question))
        ) is not None:
            follow_up = step.sub_question.strip()
            if step.enough or not follow_up or final_answer(follow_up):
                final = final_answer(follow_up) or step.answer.strip()
                break
            note = await self.answer_sub_question(self.answer, walk, question, follow_up)
            if note is None:
                break
            notes.append(note)
        if not final:
            final = (
                await read_last(self, self.read, notes=note_texts(notes), passages=walk.passages, question=question)
            ).answer
        return walk.prediction(final, [note.record for note in notes])
