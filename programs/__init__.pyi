# The programs, in the order in which they are listed: the papers' methods, then searches, chains, and methods that
# retrieve once or not at all. The comment behind a line is the program's name for commands and saved files.
# ruff: isort: skip_file
from .tree_of_reviews import TreeOfReviews as TreeOfReviews  # tor
from .mzqa import MZQA as MZQA  # mzqa
from .resp import RetrieveSummarizePlan as RetrieveSummarizePlan  # resp
from .efficient_rag import EfficientRAG as EfficientRAG  # efficientrag
from .ranked_rag import RankedRAG as RankedRAG  # ranked-rag
from .chain_of_reviews import ChainOfReviews as ChainOfReviews  # cor
from .mzqa import ClonedMZQA as ClonedMZQA  # mzqa-bc
from .baselines.tree_of_thoughts import TreeOfThoughtsBreadthFirst as TreeOfThoughtsBreadthFirst  # tot-bfs
from .baselines.tree_of_thoughts import TreeOfThoughtsDepthFirst as TreeOfThoughtsDepthFirst  # tot-dfs
from .baselines.rap import ReasoningViaPlanning as ReasoningViaPlanning  # rap
from .baselines.lats import LanguageAgentTreeSearch as LanguageAgentTreeSearch  # lats
from .baselines.lats_mzqa import ActionMZQA as ActionMZQA  # lats-mzqa
from .baselines.lats import ClonedAgent as ClonedAgent  # lats-bc
from .baselines.iter_retgen import IterativeRetrievalGeneration as IterativeRetrievalGeneration  # iter-retgen
from .baselines.self_ask import SelfAsk as SelfAsk  # self-ask
from .baselines.react import ReAct as ReAct  # react
from .baselines.search_o1 import SearchO1 as SearchO1  # search-o1
from .baselines.search_r1 import SearchR1 as SearchR1  # search-r1
from .baselines.ircot import InterleavedThought as InterleavedThought  # ircot
from .baselines.decomp import DecomposedPrompting as DecomposedPrompting  # decomp
from .baselines.decompose import Decompose as Decompose  # decompose
from .baselines.one_step import OneStep as OneStep  # one-step
from .baselines.one_step import OneStepChainOfThought as OneStepChainOfThought  # one-step-cot
from .baselines.recomp import Recomp as Recomp  # recomp
from .baselines.replug import Replug as Replug  # replug
from .baselines.sure import SummarizedRetrieval as SummarizedRetrieval  # sure
from .baselines.direct import Direct as Direct  # direct
from .baselines.direct import ChainOfThought as ChainOfThought  # cot

from .presets import Preset as Preset
from .presets import open_preset as open_preset
from .presets import preset_names as preset_names
from .registry import PROGRAMS as PROGRAMS
from .registry import create as create
from .registry import program_named as program_named
from .shared.follow_up import FollowUp as FollowUp
from .shared.follow_up import Turn as Turn
