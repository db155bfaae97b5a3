"""LATS: tree search by an agent that values what it has just done, and learns from the trials that failed.

Andy Zhou et al., "Language Agent Tree Search Unifies Reasoning, Acting, and Planning in Language Models" (2023),
section 4 and algorithm 1. Its clone, `lats-bc`: Seongmin Lee et al., "Zero-Shot Multi-Hop Question Answering via
Monte-Carlo Tree Search with Large Language Models" (2024), appendix D.1.
"""

from collections.abc import Hashable, Iterator
from dataclasses import replace

import dspy

from ...runtime import Count, Lookup, Number, Share, in_branches
from ...signatures import EvaluateActionsAgain, ReflectOnActions
from ..mzqa import ClonedMZQA, Exploration
from ..search import Moves, best_end, search_by_trials
from ..shared.agent import Choice, SearchAndFinish, turn_lines
from ..shared.evidence import wording
from ..shared.sub_questions import PathStep, StepPath, looked_up, path_texts


class LanguageAgentTreeSearch(SearchAndFinish):
    """The answer of the end that the LM scores highest, among those that its searches came to.

    A trial goes down from the root. At a node that was not expanded yet, `candidates` actions are *sampled*, one call
    each, the different ones are taken, and each new node is *valued*: half by the LM's score of the path, half by its
    self-consistency, the share of the samples that named the action. Of the children the one with the largest bound
    (UCT) is taken, so that a trial goes on along the best new child alone, until it finishes or has the full length.
    What its end scores is *backpropagated*. An end that scores below `solved_at` has failed: the LM *reflects* on it,
    and the latest `reflections` trials that failed, each with its reflection, are shown to later calls, those that
    score too. The search ends at the first end that does not fail. If the best end does not finish with an answer,
    its passages are read.

    It takes an LM that samples: one that always says the same has one child a node, and goes down one path.

    The paper does not say how different an action must be to count as another one: here by its words. Differs from the
    paper: an end's reward is the LM's own score, where the paper compares with the gold answer; of a trial that failed
    the passages are shown by their titles; no path takes an action that is on it (`stops`). `depth=7`
    and 50 `iterations` are the paper's for HotpotQA.
    """

    name = "lats"
    paper = "LATS (Zhou et al., 2023)"
    calls = "1 a sampled action, 1 a score, 1 a failed trial, 1 to read if none finishes"
    small = {"iterations": 2, "depth": 2, "candidates": 2}

    iterations: Count = 50
    """Trials at most."""
    exploration: Exploration = 1.0
    """The weight with which UCT favours what was visited less."""
    trust: Share = 0.5
    """The weight of the LM's score in a node's value; the rest is that of self-consistency."""
    solved_at: Share = 1.0
    """The score, from 0 to 1, from which on an end has not failed, and the search is over."""
    reflections: Number = 3
    """The number of failed trials shown with their reflections, the latest."""
    depth: Count = 7
    """Actions a trial takes at most."""
    retrieval: bool = True
    """True if searches find passages, False if they are answered from the LM's memory."""

    def set_up(self) -> None:
        """Set up the agent and its search."""
        super().set_up()
        self.evaluate = dspy.ChainOfThought(EvaluateActionsAgain)
        self.reflect = dspy.Predict(ReflectOnActions)

    def most_calls(self) -> int:
        """LM calls a question at most, retries apart."""
        node = 1 + self.calls_of_move() + self.calls_of_score()
        trial = self.depth * self.candidates * node + (1 if self.reflections else 0)
        return self.iterations * trial + 1

    async def aforward(self, question: str) -> dspy.Prediction:
        """Try until an end is good enough, then read the best end."""
        lessons: list[str] = []
        async with self.lookup() as lookup:

            async def learn(path: StepPath) -> None:
                if self.reflections:
                    key = ("learn", path_texts(path))
                    lessons.extend(await lookup.once(key, lambda: self.lessons_of(question, path)))

            moves = self.pruned(self.sampling_moves(question, lookup, lessons))
            tree = await search_by_trials(
                moves,
                in_branches,
                learn,
                trials=self.iterations,
                exploration=self.exploration,
                trust=self.trust,
                solved_at=self.solved_at,
                over=lambda: self.over_budget,
            )
            end = best_end(tree, moves.terminal)
            counts = {"nodes": len(list(tree.walk())) - 1, "trials": tree.visits - 1, "reward": end.reward or 0.0}
            return await self.read_path(question, end.path, lookup, tree, **counts)

    def sampling_moves(self, question: str, lookup: Lookup, lessons: list[str]) -> Moves[Choice, PathStep]:
        """The moves of a trial; whatever is asked is shown the latest lessons."""
        sample = looked_up(
            lookup, "plan", lambda path, draw: self.plan_action(question, path, self.latest(lessons), draw)
        )

        async def propose(path: StepPath) -> list[Choice]:
            samples = await in_branches(*(sample(path, draw) for draw in range(1, self.candidates + 1)))
            return [choice for choice in samples if choice is not None]

        return replace(
            self.moves(question, lookup),
            propose=propose,
            score=looked_up(
                lookup, "score", lambda path: self.score_path(question, path, reflections=self.latest(lessons))
            ),
            same=lambda choice: wording(str(choice)),
        )

    async def lessons_of(self, question: str, path: StepPath) -> list[str]:
        """A trial that failed, with what went wrong; nothing if the LM does not say."""
        reflection = await self.reflect_on(question, path)
        lines = [line for turn in path for line in turn_lines(turn)]
        return ["\n".join([*lines, f"What went wrong: {reflection}"])] if reflection else []

    def calls_behind(self, path: StepPath) -> Iterator[Hashable]:
        """The keys of the calls that made the path, in order."""
        for length, turn in enumerate(path):
            history = path[:length]
            yield "plan", path_texts(history), str(turn.draw)
            yield "move", path_texts(self.history_for(history, turn.act)), wording(str(turn.act))
        yield "score", path_texts(path)


class ClonedAgent(SearchAndFinish, ClonedMZQA):
    """The answer of one run of searches by a planner that was cloned from the best paths of `lats` or `lats-mzqa`.

    Each action is scored; if none finishes, the passages of all are read.
    """

    name = "lats-bc"
    paper = "LATS-BC, in MZQA (Lee et al., 2024), table 6"
    calls = "2 an action, 1 to read if none finishes"
