"""MZQA: Monte-Carlo tree search over sub-questions, zero-shot; and its behaviour-cloned shortcut.

Seongmin Lee et al., "Zero-Shot Multi-Hop Question Answering via Monte-Carlo Tree Search with Large Language Models"
(2024), section 4 and appendices C, F and G.
"""

from typing import Annotated, Any

import dspy
from pydantic import Field

from ..runtime import Count, in_branches, together
from .search import Scored, best_leaf, best_path, search
from .shared.sub_questions import StepPath, SubQuestionSearch

Exploration = Annotated[float, Field(ge=0, le=10_000)]


class MZQA(SubQuestionSearch):
    """The answer read from the most valuable path of sub-questions that a Monte-Carlo tree search found.

    Each iteration *selects* by UCT down to a path that was not expanded yet, *expands* it by several sub-questions,
    each answered from what it retrieves, *simulates* from each of them, one sub-question at a time, to the full depth,
    *evaluates* where that led by the LM's own score, and *backpropagates* it. The passages and results of the path
    with the largest total value go to the reader. A path that ends in the tree before the full depth is read with the
    simulated steps that earned its reward.

    All children of an expansion, with their simulations, run at once; `parallel` iterations run side by side, kept
    apart by virtual loss. With `parallel=1` the tree is the paper's.

    The paper does not give the exploration weight (here 1), nor what happens when nothing is proposed (the path counts
    as terminal), a sub-question is not answered (its result is empty) or no score is given (the reward is 0).

    Differs from the paper: a call that was made before is looked up (`reuse="none"` makes it again). With `stops`, two
    of which rules are on by default, a path ends at a sub-question that it has asked, and after one that finds nothing
    new.

    Examples:
        >>> import dspy
        >>> from multihop.lms import local
        >>> from multihop.programs import MZQA
        >>> from multihop.retrieval import BM25, Passage
        >>> page = Passage("p1", "Ada Lovelace", "Ada Lovelace was born in London.")
        >>> with dspy.context(lm=local()):
        ...     prediction = MZQA(BM25.build([page]), iterations=4, depth=2)(question="Where was Ada born?")
        >>> prediction.answer
        'London'
    """

    name = "mzqa"
    paper = "MZQA (Lee et al., 2024)"
    calls = "1 to propose, 1 a sub-question (simulated 2), 1 a score, 1 to read"
    small = {"iterations": 2, "depth": 2, "candidates": 2}

    iterations: Count = 20
    """Rounds of selection, expansion, simulation and backpropagation."""
    exploration: Exploration = 1.0
    """The weight with which UCT favours what was visited less."""
    parallel: Count = 1
    """Iterations at once; from 2 on, the tree is another one."""

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        simulated = self.depth * self.calls_of_move() + self.depth - 1
        return self.iterations * (1 + self.candidates * (simulated + self.calls_of_score())) + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Search, then read the path of the largest total value."""
        async with self.lookup() as lookup:
            tree = await search(
                self.pruned(self.moves(question, lookup)),
                in_branches,
                iterations=self.iterations,
                exploration=self.exploration,
                parallel=self.parallel,
                over=lambda: self.over_budget,
            )
            path, reward = best_path(tree), best_leaf(tree).reward or 0.0
            return await self.read_path(question, path, lookup, tree, nodes=len(list(tree.walk())) - 1, reward=reward)


class ClonedMZQA(SubQuestionSearch):
    """The answer read from one path of sub-questions, asked one after the other by a planner that was cloned.

    The planner is meant to be fine-tuned on the best paths that `mzqa` found (`multihop clone`). At each step it asks
    one sub-question, which is answered and evaluated as in `mzqa`; the reader is given the whole path.

    The paper counts 13 calls without naming them; here they are a plan, an answer and a score for each of four steps,
    and the reading. The score of a step is asked for at the same time as the next plan; it is in the record only.

    Differs from the paper: with `stops`, two of which rules are on by default, it ends where it repeats itself.
    """

    name = "mzqa-bc"
    paper = "MZQA-BC (Lee et al., 2024)"
    calls = "3 a sub-question, 1 to read"
    small = {}
    unasked = "propose"

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        return self.depth * (1 + self.calls_of_move() + self.calls_of_score()) + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Plan, answer and evaluate one sub-question at a time; then read the path."""
        path: StepPath = ()
        tree = end = Scored[Any]()
        async with self.lookup() as lookup:
            moves = self.pruned(self.moves(question, lookup))
            sub_question = await moves.plan(path)
            while sub_question:
                path = (*path, await moves.move(path, sub_question))
                last = moves.terminal(path)
                calls: list[Any] = [moves.score(path)] if last else [moves.score(path), moves.plan(path)]
                reward, *planned = await together(*calls)
                end.children.append(Scored(path, reward))
                end, sub_question = end.children[0], planned[0] if planned else None
            return await self.read_path(question, path, lookup, tree)
