"""ReSP: retrieve, summarize into two memories, judge, plan.

Zhouyu Jiang et al., "Retrieve, Summarize, Plan: Advancing Multi-hop Question Answering with an Iterative Approach"
(2024), section 3 and appendix A.
"""

import re
from typing import Any

import dspy

from ..retrieval import Passage
from ..runtime import Count, TokenLimit, together
from ..signatures import AnswerSubQuestion, JudgeMemories, PlanSubQuestion, ReadMemories, WriteEvidence
from .shared.chain import Chain, Walk, note, note_texts
from .shared.evidence import Evidence, fitting, read_last, room, wording

_NOTHING = re.compile(r"[Nn]othing\b(?! [A-Z])")
"""How a summary begins that says that no passage helps; not one about a name such as Nothing Else Matters."""


class RetrieveSummarizePlan(Chain):
    """The answer read from two memories, filled round by round with what the retrieved passages say.

    This is ReSP, `resp` by name. The global evidence holds a summary of each round's passages for the question itself;
    the local pathway holds each sub-question with its answer. After each round a judge decides whether both together
    are enough; if not, a planner asks for what is missing, and for nothing that was asked before. A reader answers from
    the memories alone, never from passages, so that its context stays short however many are retrieved.

    The paper does not say what happens if the planner repeats a sub-question: here it is asked once more, and a second
    repetition ends the search. After the last round nothing is judged or planned. A summary or a sub-answer that cannot
    be parsed counts as none, as does a summary that says that nothing helps; a verdict or a plan that cannot be parsed
    ends the search. Nothing is judged before something is known. If nothing was summarized, the reader is given the
    passages. `counts["refused"]` is how often the planner repeated itself.

    Differs from the paper: its text has the sub-question answered from the retrieved documents at the same time as they
    are summarized, its prompts from the memories; here it is the documents, so that both calls run at once. After
    passages of which none is new, nothing is judged or planned (`stops`).

    Examples:
        >>> import dspy
        >>> from multihop.lms import scripted
        >>> from multihop.programs import RetrieveSummarizePlan
        >>> from multihop.retrieval import BM25, Passage
        >>> corpus = [Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")]
        >>> lm = scripted([{"summary": "She was born in London."}, {"enough": True}, {"answer": "London"}])
        >>> with dspy.context(lm=lm):
        ...     prediction = RetrieveSummarizePlan(BM25.build(corpus))(question="Where was Ada Lovelace born?")
        >>> prediction.answer, prediction.counts["rounds"]
        ('London', 1)
    """

    name = "resp"
    paper = "ReSP (Jiang et al., 2024)"
    calls = "3 to 4 a round, 1 to read"
    planner = "plan"

    input_tokens: TokenLimit = 12_000
    """The most that an input with passages may hold: instructions, demonstrations and questions too."""
    output_tokens: TokenLimit | None = 200
    """The most that any step may write; None leaves it to the LM, as models that reason need."""
    least_turns: Count = 1
    """Retrievals at least; nothing is judged before, for small LMs find the memories of one round enough."""

    def set_up(self) -> None:
        """Set up the summarizer, the judge, the planner and the reader."""
        writing = {} if self.output_tokens is None else {"max_tokens": self.output_tokens}
        self.summarize = dspy.Predict(WriteEvidence, **writing)
        self.answer = dspy.Predict(AnswerSubQuestion, **writing)
        self.judge = dspy.Predict(JudgeMemories, **writing)
        self.plan = dspy.Predict(PlanSubQuestion, **writing)
        self.read = dspy.Predict(ReadMemories, **writing)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart; a refused plan is asked for twice."""
        return 5 * self.turns - 3 - min(self.least_turns, self.turns) + self.reads

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, summarize, judge, plan; then read the memories."""
        walk, questions, query = Walk(self), [question], question
        evidence: list[Evidence] = []
        pathway: list[Evidence] = []
        while (passages := await walk.find(query)) is not None:
            summary, answer = await self.summarize_passages(question, query, passages)
            if summary:
                evidence.append(Evidence(summary, tuple(passages)))
            if query != question:
                pathway.append(note(query, answer, passages))
            if walk.over:
                break
            memories: dict[str, Any] = {
                "evidence": note_texts(evidence),
                "pathway": note_texts(pathway),
                "question": question,
            }
            if walk.rounds >= self.least_turns and (evidence or pathway):
                verdict = await self.attempt(self.ask(self.judge, **memories))
                if verdict is None or verdict.enough:
                    break
            query = await self.next_sub_question(memories, questions)
        texts: list[Any] = note_texts(evidence) or fitting(
            walk.passages, room(self.read, self.input_tokens, question, *note_texts(pathway))
        )
        prediction = await read_last(self, self.read, evidence=texts, pathway=note_texts(pathway), question=question)
        return walk.prediction(
            prediction.answer,
            [piece.record for piece in (*evidence, *pathway)],
            refused=len(questions) - len({wording(each) for each in questions}),
        )

    async def summarize_passages(
        self, question: str, sub_question: str, passages: list[Passage]
    ) -> tuple[str, dspy.Prediction | None]:
        """Summarize the passages for the question, and answer the sub-question if there is one, both at once."""
        texts = fitting(passages, room(self.summarize, self.input_tokens, question))
        if not texts:
            return "", None
        calls = [self.ask(self.summarize, passages=texts, question=question)]
        if sub_question != question:
            calls.append(self.ask(self.answer, passages=texts, question=question, sub_question=sub_question))
        summary, *answers = await together(*map(self.attempt, calls))
        written = summary.summary.strip() if summary else ""
        return "" if _NOTHING.match(written) else written, answers[0] if answers else None

    async def next_sub_question(self, memories: dict[str, Any], questions: list[str]) -> str:
        """A sub-question that was not asked before; empty if there is no plan, or it repeats what was asked twice."""
        for _ in range(2):
            plan = await self.attempt(self.ask(self.plan, **memories, asked=questions))
            if plan is None:
                break
            new = wording(plan.sub_question) not in map(wording, questions)
            questions.append(str(plan.sub_question))
            if new:
                return questions[-1].strip()
        return ""
