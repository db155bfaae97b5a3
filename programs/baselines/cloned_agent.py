"""A cloned agent: one run of searches, by a planner that was fine-tuned on what a tree search chose.

Seongmin Lee et al., "Zero-Shot Multi-Hop Question Answering via Monte-Carlo Tree Search with Large Language Models"
(2024), appendix D.1.
"""

from ..mzqa import ClonedMZQA
from .agent import SearchAndFinish


class ClonedAgent(SearchAndFinish, ClonedMZQA):
    """The answer of one run of searches by a planner that was cloned from the best paths of `lats` or `lats-mzqa`.

    Each action is scored; if none finishes, the passages of all are read, and with `cut` those up to the best score.
    """

    name = "lats-bc"
    paper = "LATS-BC, in MZQA (Lee et al., 2024), table 6"
    calls = "2 an action, 1 to read if none finishes"

    cut: bool = False
    """True to read the passages up to the best score only, where no action finishes."""
