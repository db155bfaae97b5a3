"""Each step's contract: what it is told and what it must return."""

from .act import EvaluateActions, EvaluateActionsAgain, ProposeActions, ReflectOnActions, ThinkAndActAgain
from .answer import AnswerFromPassages, AnswerQuestion
from .candidates import CompareCandidates, ProposeCandidates, ValidateCandidate
from .history import (
    AnswerOwnQuestion,
    AnswerStep,
    AnswerStepFromMemory,
    AskOwnQuestion,
    AskOwnQuestions,
    EvaluateHistory,
    NextSubQuestion,
    ProposeSubQuestions,
    RateStep,
    ReadPath,
    ReadSteps,
)
from .judge_answer import JudgeAnswer
from .label import DecomposeQuestion, MarkWords, PickNextQuery
from .memories import JudgeMemories, ReadMemories
from .read import ReadAnalyses, ReadEvidence, ReadHistory, ReadNotes, ReadSummary
from .review import CompletePath, JudgePath, ReviewPath, ReviewPathAloud
from .sub_question import AnswerSubQuestion, AskFollowUp, PickSubQuestion, PlanSubQuestion, SplitQuestion
from .summarize import SummarizeForCandidate, SummarizePassages, WriteEvidence
from .think import ProposeThoughts, ThinkAndAct, ThinkOneSentence, ValueThoughts

__all__ = [
    "AnswerFromPassages",
    "AnswerOwnQuestion",
    "AnswerQuestion",
    "AnswerStep",
    "AnswerStepFromMemory",
    "AnswerSubQuestion",
    "AskFollowUp",
    "AskOwnQuestion",
    "AskOwnQuestions",
    "CompareCandidates",
    "CompletePath",
    "DecomposeQuestion",
    "EvaluateActions",
    "EvaluateActionsAgain",
    "EvaluateHistory",
    "JudgeAnswer",
    "JudgeMemories",
    "JudgePath",
    "MarkWords",
    "NextSubQuestion",
    "PickNextQuery",
    "PickSubQuestion",
    "PlanSubQuestion",
    "ProposeActions",
    "ProposeCandidates",
    "ProposeSubQuestions",
    "ProposeThoughts",
    "RateStep",
    "ReadAnalyses",
    "ReadEvidence",
    "ReadHistory",
    "ReadMemories",
    "ReadNotes",
    "ReadPath",
    "ReadSteps",
    "ReadSummary",
    "ReflectOnActions",
    "ReviewPath",
    "ReviewPathAloud",
    "SplitQuestion",
    "SummarizeForCandidate",
    "SummarizePassages",
    "ThinkAndAct",
    "ThinkAndActAgain",
    "ThinkOneSentence",
    "ValidateCandidate",
    "ValueThoughts",
    "WriteEvidence",
]
