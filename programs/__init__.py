"""Multi-hop question-answering programs, one file a method."""

from .baselines import (
    ChainOfThought,
    Decompose,
    DecomposedPrompting,
    Direct,
    InterleavedThought,
    IterativeRetrievalGeneration,
    OneStep,
    OneStepChainOfThought,
    ReAct,
    Recomp,
    Replug,
    SelfAsk,
    SummarizedRetrieval,
)
from .branch import Branch, explore, keep, together
from .budget import Budget, Cost, OverBudget
from .chain_of_reviews import ChainOfReviews
from .program import Program
from .registry import PROGRAMS, create, program_named
from .resp import RetrieveSummarizePlan
from .tree_of_reviews import TreeOfReviews

__all__ = [
    "PROGRAMS",
    "Branch",
    "Budget",
    "ChainOfReviews",
    "ChainOfThought",
    "Cost",
    "Decompose",
    "DecomposedPrompting",
    "Direct",
    "InterleavedThought",
    "IterativeRetrievalGeneration",
    "OneStep",
    "OneStepChainOfThought",
    "OverBudget",
    "Program",
    "ReAct",
    "Recomp",
    "Replug",
    "RetrieveSummarizePlan",
    "SelfAsk",
    "SummarizedRetrieval",
    "TreeOfReviews",
    "create",
    "explore",
    "keep",
    "program_named",
    "together",
]
