"""The methods the others are compared with."""

from .decomp import DecomposedPrompting
from .decompose import Decompose
from .direct import ChainOfThought, Direct
from .ircot import InterleavedThought
from .iter_retgen import IterativeRetrievalGeneration
from .one_step import OneStep, OneStepChainOfThought
from .react import ReAct
from .recomp import Recomp
from .replug import Replug
from .self_ask import SelfAsk
from .sure import SummarizedRetrieval

__all__ = [
    "ChainOfThought",
    "Decompose",
    "DecomposedPrompting",
    "Direct",
    "InterleavedThought",
    "IterativeRetrievalGeneration",
    "OneStep",
    "OneStepChainOfThought",
    "ReAct",
    "Recomp",
    "Replug",
    "SelfAsk",
    "SummarizedRetrieval",
]
