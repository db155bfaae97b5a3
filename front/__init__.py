"""Multi-hop question-answering programs written in DSPy.

Everything an application needs, by name; nothing is imported before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .data import Question, World, open_corpus, open_questions
    from .encoder import Encoder
    from .errors import InputError
    from .evaluation import Evaluation, aevaluate, compare, evaluate
    from .models import lexical, local, open_lm, scripted, simulated
    from .optimize import clone, compile_variants, load, save
    from .programs import (
        MZQA,
        PROGRAMS,
        Budget,
        ChainOfReviews,
        ChainOfThought,
        ClonedAgent,
        ClonedMZQA,
        Decompose,
        DecomposedPrompting,
        Direct,
        EfficientRAG,
        InterleavedThought,
        IterativeRetrievalGeneration,
        LanguageAgentTreeSearch,
        OneStep,
        OneStepChainOfThought,
        Program,
        ReAct,
        ReasoningViaPlanning,
        Recomp,
        Replug,
        RetrieveSummarizePlan,
        SelfAsk,
        SummarizedRetrieval,
        TreeOfReviews,
        TreeOfThoughtsBreadthFirst,
        TreeOfThoughtsDepthFirst,
        create,
    )
    from .retrieval import BM25, Dense, Hit, Hybrid, Passage, Retriever, open_index

_HOMES = {
    "data": ("Question", "World", "open_corpus", "open_questions"),
    "encoder": ("Encoder",),
    "errors": ("InputError",),
    "evaluation": ("Evaluation", "aevaluate", "compare", "evaluate"),
    "models": ("lexical", "local", "open_lm", "scripted", "simulated"),
    "programs": (
        "Budget",
        "ChainOfReviews",
        "ChainOfThought",
        "ClonedAgent",
        "ClonedMZQA",
        "Decompose",
        "DecomposedPrompting",
        "Direct",
        "EfficientRAG",
        "InterleavedThought",
        "IterativeRetrievalGeneration",
        "LanguageAgentTreeSearch",
        "MZQA",
        "OneStep",
        "OneStepChainOfThought",
        "PROGRAMS",
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
    ),
    "optimize": ("clone", "compile_variants", "load", "save"),
    "retrieval": ("BM25", "Dense", "Hit", "Hybrid", "Passage", "Retriever", "open_index"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BM25",
    "MZQA",
    "PROGRAMS",
    "Budget",
    "ChainOfReviews",
    "ChainOfThought",
    "ClonedAgent",
    "ClonedMZQA",
    "Decompose",
    "DecomposedPrompting",
    "Dense",
    "Direct",
    "EfficientRAG",
    "Encoder",
    "Evaluation",
    "Hit",
    "Hybrid",
    "InputError",
    "InterleavedThought",
    "IterativeRetrievalGeneration",
    "LanguageAgentTreeSearch",
    "OneStep",
    "OneStepChainOfThought",
    "Passage",
    "Program",
    "Question",
    "ReAct",
    "ReasoningViaPlanning",
    "Recomp",
    "Replug",
    "RetrieveSummarizePlan",
    "Retriever",
    "SelfAsk",
    "SummarizedRetrieval",
    "TreeOfReviews",
    "TreeOfThoughtsBreadthFirst",
    "TreeOfThoughtsDepthFirst",
    "World",
    "aevaluate",
    "clone",
    "compare",
    "compile_variants",
    "create",
    "evaluate",
    "lexical",
    "load",
    "local",
    "open_corpus",
    "open_index",
    "open_lm",
    "open_questions",
    "save",
    "scripted",
    "simulated",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'multihop' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(f"multihop.{_HOME_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
