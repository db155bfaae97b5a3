"""The methods the others are compared with."""

from .decomp import DecomposedPrompting
from .decompose import Decompose
from .direct import ChainOfThought, Direct
from .ircot import InterleavedThought
from .iter_retgen import IterativeRetrievalGeneration
from .lats import ClonedAgent, LanguageAgentTreeSearch
from .one_step import OneStep, OneStepChainOfThought
from .rap import ReasoningViaPlanning
from .react import ReAct
from .recomp import Recomp
from .replug import Replug
from .self_ask import SelfAsk
from .sure import SummarizedRetrieval
from .tree_of_thoughts import TreeOfThoughtsBreadthFirst, TreeOfThoughtsDepthFirst

__all__ = [
    "ChainOfThought",
    "ClonedAgent",
    "Decompose",
    "DecomposedPrompting",
    "Direct",
    "InterleavedThought",
    "IterativeRetrievalGeneration",
    "LanguageAgentTreeSearch",
    "OneStep",
    "OneStepChainOfThought",
    "ReAct",
    "ReasoningViaPlanning",
    "Recomp",
    "Replug",
    "SelfAsk",
    "SummarizedRetrieval",
    "TreeOfThoughtsBreadthFirst",
    "TreeOfThoughtsDepthFirst",
]
