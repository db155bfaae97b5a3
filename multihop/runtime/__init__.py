"""The base of every method: the program, its branches, budget, calls, settings and record of steps."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .answer_cache import Scope as Scope
    from .answer_cache import apart_from_dspy as apart_from_dspy
    from .answer_cache import caching as caching
    from .answer_cache import current_caching as current_caching
    from .bill import Bill as Bill
    from .bill import Paid as Paid
    from .bill import total_paid as total_paid
    from .branch import Branch as Branch
    from .branch import current_branch as current_branch
    from .branch import explore as explore
    from .branch import in_branches as in_branches
    from .branch import keep as keep
    from .branch import together as together
    from .branch import worked as worked
    from .budget import Budget as Budget
    from .budget import check_budget as check_budget
    from .call import NO_LM as NO_LM
    from .call import ask_alone as ask_alone
    from .cost import Cost as Cost
    from .cost import CostRecord as CostRecord
    from .cost import SpeculatedCost as SpeculatedCost
    from .cost import TokenCounts as TokenCounts
    from .cost import Tokens as Tokens
    from .cost import token_count as token_count
    from .decision import Decision as Decision
    from .decision import DecisionRecord as DecisionRecord
    from .gate import Gate as Gate
    from .limits import Limits as Limits
    from .lookup import Lookup as Lookup
    from .loop import run_in_background as run_in_background
    from .prediction import cost_line as cost_line
    from .prices import PriceList as PriceList
    from .prices import PriceRecord as PriceRecord
    from .prices import TokenPrice as TokenPrice
    from .prices import check_priced as check_priced
    from .prices import current_prices as current_prices
    from .prices import priced_by as priced_by
    from .prices import read_prices as read_prices
    from .prices import show_usd as show_usd
    from .program import Program as Program
    from .prompting import render as render
    from .prompting import to_record as to_record
    from .purse import Purse as Purse
    from .question_check import check_question as check_question
    from .settings import Count as Count
    from .settings import Number as Number
    from .settings import Share as Share
    from .settings import check_setting as check_setting
    from .settings import parse_settings as parse_settings
    from .settings import settings_of as settings_of
    from .speculation.ahead import Ahead as Ahead
    from .step_listener import listening as listening
    from .step_stream import steps_beside as steps_beside
    from .step_stream import stream_steps as stream_steps
    from .steps import AskStep as AskStep
    from .steps import CombineStep as CombineStep
    from .steps import FilterOutputs as FilterOutputs
    from .steps import FilterStep as FilterStep
    from .steps import LabelledChunk as LabelledChunk
    from .steps import LabelStep as LabelStep
    from .steps import PathStepRecord as PathStepRecord
    from .steps import ReviewedNode as ReviewedNode
    from .steps import SearchedNode as SearchedNode
    from .steps import TrajectoryStep as TrajectoryStep
    from .steps import TreeStep as TreeStep
    from .steps import searches as searches
    from .token_estimate import estimate_tokens as estimate_tokens
    from .waves import OverBudget as OverBudget
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "speculation.ahead": "Ahead",
            "answer_cache": "Scope apart_from_dspy caching current_caching",
            "bill": "Bill Paid total_paid",
            "branch": "Branch current_branch explore in_branches keep together worked",
            "budget": "Budget check_budget",
            "call": "NO_LM ask_alone",
            "cost": "Cost CostRecord SpeculatedCost TokenCounts Tokens token_count",
            "decision": "Decision DecisionRecord",
            "gate": "Gate",
            "limits": "Limits",
            "lookup": "Lookup",
            "loop": "run_in_background",
            "prediction": "cost_line",
            "prices": "PriceList PriceRecord TokenPrice check_priced current_prices priced_by read_prices show_usd",
            "program": "Program",
            "prompting": "render to_record",
            "purse": "Purse",
            "question_check": "check_question",
            "settings": "Count Number Share check_setting parse_settings settings_of",
            "step_listener": "listening",
            "step_stream": "steps_beside stream_steps",
            "steps": (
                "AskStep CombineStep FilterOutputs FilterStep LabelledChunk LabelStep PathStepRecord "
                "ReviewedNode SearchedNode TrajectoryStep TreeStep searches"
            ),
            "token_estimate": "estimate_tokens",
            "waves": "OverBudget",
        },
    )
