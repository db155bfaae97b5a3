"""Every program of this library, two lines each, listed in this order: the papers' methods, then searches, chains, and
what retrieves once or not at all.

What makes a program known is here alone: `multihop` and `multihop.programs` export it, `PROGRAMS` has it by name.
None is imported before it is asked for.
"""

# ruff: isort: skip_file
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # "as" says that a name is meant to be imported from here: type checkers and editors then offer it
    from .tree_of_reviews import TreeOfReviews as TreeOfReviews
    from .mzqa import MZQA as MZQA
    from .resp import RetrieveSummarizePlan as RetrieveSummarizePlan
    from .efficient_rag import EfficientRAG as EfficientRAG
    from .ranked_rag import RankedRAG as RankedRAG
    from .chain_of_reviews import ChainOfReviews as ChainOfReviews
    from .mzqa import ClonedMZQA as ClonedMZQA
    from .baselines.tree_of_thoughts import TreeOfThoughtsBreadthFirst as TreeOfThoughtsBreadthFirst
    from .baselines.tree_of_thoughts import TreeOfThoughtsDepthFirst as TreeOfThoughtsDepthFirst
    from .baselines.rap import ReasoningViaPlanning as ReasoningViaPlanning
    from .baselines.lats import LanguageAgentTreeSearch as LanguageAgentTreeSearch
    from .baselines.lats_mzqa import ActionMZQA as ActionMZQA
    from .baselines.lats import ClonedAgent as ClonedAgent
    from .baselines.iter_retgen import IterativeRetrievalGeneration as IterativeRetrievalGeneration
    from .baselines.self_ask import SelfAsk as SelfAsk
    from .baselines.react import ReAct as ReAct
    from .baselines.ircot import InterleavedThought as InterleavedThought
    from .baselines.decomp import DecomposedPrompting as DecomposedPrompting
    from .baselines.decompose import Decompose as Decompose
    from .baselines.one_step import OneStep as OneStep
    from .baselines.one_step import OneStepChainOfThought as OneStepChainOfThought
    from .baselines.recomp import Recomp as Recomp
    from .baselines.replug import Replug as Replug
    from .baselines.sure import SummarizedRetrieval as SummarizedRetrieval
    from .baselines.direct import Direct as Direct
    from .baselines.direct import ChainOfThought as ChainOfThought

CLASSES = {
    "tor": "tree_of_reviews:TreeOfReviews",
    "mzqa": "mzqa:MZQA",
    "resp": "resp:RetrieveSummarizePlan",
    "efficientrag": "efficient_rag:EfficientRAG",
    "ranked-rag": "ranked_rag:RankedRAG",
    "cor": "chain_of_reviews:ChainOfReviews",
    "mzqa-bc": "mzqa:ClonedMZQA",
    "tot-bfs": "baselines.tree_of_thoughts:TreeOfThoughtsBreadthFirst",
    "tot-dfs": "baselines.tree_of_thoughts:TreeOfThoughtsDepthFirst",
    "rap": "baselines.rap:ReasoningViaPlanning",
    "lats": "baselines.lats:LanguageAgentTreeSearch",
    "lats-mzqa": "baselines.lats_mzqa:ActionMZQA",
    "lats-bc": "baselines.lats:ClonedAgent",
    "iter-retgen": "baselines.iter_retgen:IterativeRetrievalGeneration",
    "self-ask": "baselines.self_ask:SelfAsk",
    "react": "baselines.react:ReAct",
    "ircot": "baselines.ircot:InterleavedThought",
    "decomp": "baselines.decomp:DecomposedPrompting",
    "decompose": "baselines.decompose:Decompose",
    "one-step": "baselines.one_step:OneStep",
    "one-step-cot": "baselines.one_step:OneStepChainOfThought",
    "recomp": "baselines.recomp:Recomp",
    "replug": "baselines.replug:Replug",
    "sure": "baselines.sure:SummarizedRetrieval",
    "direct": "baselines.direct:Direct",
    "cot": "baselines.direct:ChainOfThought",
}
"""The programs' classes, as MODULE:CLASS below this package, by the programs' names."""


def classes_by_home() -> dict[str, str]:
    """The names of the classes that a module has, with spaces between them, by the module."""
    homes: dict[str, str] = {}
    for place in CLASSES.values():
        home, _, name = place.partition(":")
        homes[home] = f"{homes[home]} {name}" if home in homes else name
    return homes
