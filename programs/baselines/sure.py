"""SuRe: summarize the passages once for each candidate answer, and let the summaries compete.

Jaehyung Kim et al., "SuRe: Summarizing Retrievals using Answer Candidates for Open-domain QA of LLMs" (2024),
section 3.
"""

from dataclasses import field
from itertools import permutations

import dspy

from ...retrieval import Passage, RetrieverLike
from ...runtime import Count, Program, together
from ...signatures import (
    AnswerFromPassages,
    CompareCandidates,
    ProposeCandidates,
    SummarizeForCandidate,
    ValidateCandidate,
)


class SummarizedRetrieval(Program):
    """The candidate whose own summary of the passages is valid and wins most comparisons.

    All summaries are written at once; then all validations and all comparisons are made at once. Every pair is
    compared in both orders, so that an LM that favours the first cannot decide. Ties go to the likelier candidate.

    The paper does not say what happens without candidates: here the passages are then read directly. A step that
    cannot be parsed leaves the comparison to the likeliest candidate.
    """

    name = "sure"
    paper = "SuRe (Kim et al., 2024)"
    calls = "1 for the candidates, 2 for each, 2 a pair of them"

    retriever: RetrieverLike = field(kw_only=False)
    """The retriever that finds the passages."""
    k: Count = 5
    """Passages to retrieve."""
    candidates: Count = 2
    """Answers that compete."""

    def set_up(self) -> None:
        """Set up the steps."""
        self.propose = dspy.Predict(ProposeCandidates)
        self.summarize = dspy.Predict(SummarizeForCandidate)
        self.validate = dspy.Predict(ValidateCandidate)
        self.compare = dspy.Predict(CompareCandidates)
        self.read = dspy.Predict(AnswerFromPassages)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return 1 + 2 * self.candidates + self.candidates * (self.candidates - 1)

    async def aforward(self, question: str) -> dspy.Prediction:
        """Retrieve, propose, summarize each, let them compete."""
        passages = [hit.passage for hit in await self.find(question, self.k)]
        candidates = await self.attempt(self.propose_candidates(question, passages)) or []
        summaries = await self.attempt(self.summarize_candidates(question, passages, candidates)) or []
        points = await self.attempt(self.award_points(question, candidates, summaries)) or []
        if candidates:
            best = max(range(len(points)), key=points.__getitem__, default=0)
            answer = candidates[best]
        else:
            answer = (await self.ask(self.read, passages=passages, question=question)).answer
        return dspy.Prediction(
            answer=answer,
            passages=passages,
            evidence=[{"analysis": summary, "passages": []} for summary in summaries],
            counts={"candidates": len(candidates)},
        )

    async def propose_candidates(self, question: str, passages: list[Passage]) -> list[str]:
        """The candidates, each once, the likeliest first."""
        proposal = await self.ask(self.propose, passages=passages, number=self.candidates, question=question)
        return list(dict.fromkeys(each.strip() for each in proposal.candidates if each.strip()))[: self.candidates]

    async def summarize_candidates(self, question: str, passages: list[Passage], candidates: list[str]) -> list[str]:
        """The summary for each candidate; none is needed for a single one."""
        if len(candidates) < 2:
            return []
        replies = await together(
            *(self.ask(self.summarize, passages=passages, candidate=each, question=question) for each in candidates)
        )
        return [summary.summary for summary in replies]

    async def award_points(self, question: str, candidates: list[str], summaries: list[str]) -> list[float]:
        """A candidate's points: one if it is valid, and the share of its comparisons that it wins."""
        if not summaries:
            return []
        accounts = [f"{candidate}: {summary}" for candidate, summary in zip(candidates, summaries, strict=True)]
        pairs = list(permutations(range(len(candidates)), 2))
        verdicts = await together(
            *(
                self.ask(self.validate, candidate=candidate, summary=summary, question=question)
                for candidate, summary in zip(candidates, summaries, strict=True)
            ),
            *(
                self.ask(self.compare, first=accounts[one], second=accounts[other], question=question)
                for one, other in pairs
            ),
        )
        points = [float(verdict.valid) for verdict in verdicts[: len(candidates)]]
        for (one, other), verdict in zip(pairs, verdicts[len(candidates) :], strict=True):
            points[one if verdict.first_better else other] += 1 / (2 * (len(candidates) - 1))
        return points
