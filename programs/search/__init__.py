"""Search as plain control flow: it knows no prompt, no LM, no retriever."""

from .beam import best_scored, search_beam
from .depth_first import search_depth_first
from .mcts import OpenNode, Prepare, Visited, best_leaf, best_path, search, uct
from .moves import Moves, Scored
from .scout import Scout
from .trials import best_end, search_by_trials

__all__ = [
    "Moves",
    "OpenNode",
    "Prepare",
    "Scored",
    "Scout",
    "Visited",
    "best_end",
    "best_leaf",
    "best_path",
    "best_scored",
    "search",
    "search_beam",
    "search_by_trials",
    "search_depth_first",
    "uct",
]
