"""Multi-hop question-answering programs, one file a method."""

from .baselines import (
    ChainOfThought,
    ClonedAgent,
    Decompose,
    DecomposedPrompting,
    Direct,
    InterleavedThought,
    IterativeRetrievalGeneration,
    LanguageAgentTreeSearch,
    OneStep,
    OneStepChainOfThought,
    ReAct,
    ReasoningViaPlanning,
    Recomp,
    Replug,
    SelfAsk,
    SummarizedRetrieval,
    TreeOfThoughtsBreadthFirst,
    TreeOfThoughtsDepthFirst,
)
from .branch import Branch, explore, keep, together
from .budget import Budget, Cost, OverBudget
from .chain_of_reviews import ChainOfReviews
from .efficient_rag import EfficientRAG
from .mzqa import MZQA, ClonedMZQA
from .program import Program
from .registry import PROGRAMS, create, program_named
from .resp import RetrieveSummarizePlan
from .tree_of_reviews import TreeOfReviews

__all__ = [
    "MZQA",
    "PROGRAMS",
    "Branch",
    "Budget",
    "ChainOfReviews",
    "ChainOfThought",
    "ClonedAgent",
    "ClonedMZQA",
    "Cost",
    "Decompose",
    "DecomposedPrompting",
    "Direct",
    "EfficientRAG",
    "InterleavedThought",
    "IterativeRetrievalGeneration",
    "LanguageAgentTreeSearch",
    "OneStep",
    "OneStepChainOfThought",
    "OverBudget",
    "Program",
    "ReAct",
    "ReasoningViaPlanning",
    "Recomp",
    "Replug",
    "RetrieveSummarizePlan",
    "SelfAsk",
    "SummarizedRetrieval",
    "TreeOfReviews",
    "TreeOfThoughtsBreadthFirst",
    "TreeOfThoughtsDepthFirst",
    "create",
    "explore",
    "keep",
    "program_named",
    "together",
]
