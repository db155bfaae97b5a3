"""Every program of this library, a line each; they are listed in this order.

A line here is all that makes a program known: `multihop` and `multihop.programs` export it, `PROGRAMS` has it by name.
"""

# ruff: isort: skip_file
from typing import TYPE_CHECKING

# "as" says that a name is meant to be imported from here: type checkers and editors then offer it.
from .baselines.direct import Direct as Direct
from .baselines.direct import ChainOfThought as ChainOfThought
from .baselines.one_step import OneStep as OneStep
from .baselines.one_step import OneStepChainOfThought as OneStepChainOfThought
from .baselines.recomp import Recomp as Recomp
from .baselines.replug import Replug as Replug
from .baselines.sure import SummarizedRetrieval as SummarizedRetrieval
from .baselines.decompose import Decompose as Decompose
from .baselines.iter_retgen import IterativeRetrievalGeneration as IterativeRetrievalGeneration
from .baselines.self_ask import SelfAsk as SelfAsk
from .baselines.react import ReAct as ReAct
from .baselines.ircot import InterleavedThought as InterleavedThought
from .baselines.decomp import DecomposedPrompting as DecomposedPrompting
from .baselines.tree_of_thoughts import TreeOfThoughtsBreadthFirst as TreeOfThoughtsBreadthFirst
from .baselines.tree_of_thoughts import TreeOfThoughtsDepthFirst as TreeOfThoughtsDepthFirst
from .baselines.rap import ReasoningViaPlanning as ReasoningViaPlanning
from .baselines.lats import LanguageAgentTreeSearch as LanguageAgentTreeSearch
from .baselines.lats_mzqa import ActionMZQA as ActionMZQA
from .chain_of_reviews import ChainOfReviews as ChainOfReviews
from .efficient_rag import EfficientRAG as EfficientRAG
from .resp import RetrieveSummarizePlan as RetrieveSummarizePlan
from .tree_of_reviews import TreeOfReviews as TreeOfReviews
from .mzqa import MZQA as MZQA
from .mzqa import ClonedMZQA as ClonedMZQA
from .baselines.cloned_agent import ClonedAgent as ClonedAgent

if not TYPE_CHECKING:  # type checkers read the imports above
    __all__ = [name for name, value in vars().items() if isinstance(value, type)]
