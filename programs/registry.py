"""Every program by name, and the one way to make one from its name and settings."""

from typing import Any

from ..errors import unknown
from ..retrieval import Retriever
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
from .chain_of_reviews import ChainOfReviews
from .efficient_rag import EfficientRAG
from .mzqa import MZQA, ClonedMZQA
from .program import Program
from .resp import RetrieveSummarizePlan
from .tree_of_reviews import TreeOfReviews

PROGRAMS: dict[str, type[Program]] = {
    program.name: program
    for program in (
        Direct,
        ChainOfThought,
        OneStep,
        OneStepChainOfThought,
        Recomp,
        Replug,
        SummarizedRetrieval,
        Decompose,
        IterativeRetrievalGeneration,
        SelfAsk,
        ReAct,
        InterleavedThought,
        DecomposedPrompting,
        TreeOfThoughtsBreadthFirst,
        TreeOfThoughtsDepthFirst,
        ReasoningViaPlanning,
        LanguageAgentTreeSearch,
        ChainOfReviews,
        EfficientRAG,
        RetrieveSummarizePlan,
        TreeOfReviews,
        MZQA,
        ClonedMZQA,
        ClonedAgent,
    )
}
"""All programs by the name that the command line and artefacts use."""


def program_named(name: str) -> type[Program]:
    """The program's class.

    Raises:
        InputError: There is no such program; the message lists all.
    """
    if name not in PROGRAMS:
        raise unknown("program", name, PROGRAMS)
    return PROGRAMS[name]


def create(name: str, retriever: Retriever | None = None, **settings: Any) -> Program:
    """A program by name, ready to call.

    Examples:
        >>> from multihop.programs import create
        >>> create("direct", retries=1).settings["retries"]
        1
    """
    program = program_named(name)
    return program(retriever, **settings) if program.retrieves else program(**settings)
