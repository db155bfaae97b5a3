"""What every method runs on: the program, its branches, budget, calls, settings and record of steps."""

from .ahead import Ahead
from .answer_cache import Scope, apart_from_dspy, caching, current_caching
from .bill import Bill, Paid, total_paid
from .branch import Branch, current_branch, explore, in_branches, keep, together
from .budget import Budget, OverBudget, check_budget
from .call import NO_LM, ask_alone
from .cost import Cost, CostRecord, SpeculatedCost, TokenCounts, Tokens, token_count
from .decision import Decision, DecisionRecord
from .errand import NEVER, Errand
from .gate import Gate
from .limits import Limits
from .lookup import Lookup
from .loop import run_in_background
from .prediction import cost_line
from .prices import PriceList, PriceRecord, TokenPrice, check_priced, current_prices, priced_by, read_prices, show_usd
from .program import Program
from .prompting import render, to_record
from .purse import Purse
from .question_check import check_question
from .settings import Count, Number, Share, check_setting, parse_settings, settings_of
from .step_listener import listening
from .step_stream import steps_beside, stream_steps
from .steps import (
    AskStep,
    CombineStep,
    FilterOutputs,
    FilterStep,
    LabelledChunk,
    LabelStep,
    PathStepRecord,
    ReviewedNode,
    SearchedNode,
    TrajectoryStep,
    TreeStep,
    searches,
)
from .token_estimate import estimate_tokens

__all__ = [
    "NEVER",
    "NO_LM",
    "Ahead",
    "AskStep",
    "Bill",
    "Branch",
    "Budget",
    "CombineStep",
    "Cost",
    "CostRecord",
    "Count",
    "Decision",
    "DecisionRecord",
    "Errand",
    "FilterOutputs",
    "FilterStep",
    "Gate",
    "LabelStep",
    "LabelledChunk",
    "Limits",
    "Lookup",
    "Number",
    "OverBudget",
    "Paid",
    "PathStepRecord",
    "PriceList",
    "PriceRecord",
    "Program",
    "Purse",
    "ReviewedNode",
    "Scope",
    "SearchedNode",
    "Share",
    "SpeculatedCost",
    "TokenCounts",
    "TokenPrice",
    "Tokens",
    "TrajectoryStep",
    "TreeStep",
    "apart_from_dspy",
    "ask_alone",
    "caching",
    "check_budget",
    "check_priced",
    "check_question",
    "check_setting",
    "cost_line",
    "current_branch",
    "current_caching",
    "current_prices",
    "estimate_tokens",
    "explore",
    "in_branches",
    "keep",
    "listening",
    "parse_settings",
    "priced_by",
    "read_prices",
    "render",
    "run_in_background",
    "searches",
    "settings_of",
    "show_usd",
    "steps_beside",
    "stream_steps",
    "to_record",
    "together",
    "token_count",
    "total_paid",
]
