"""Each step's contract: what it is told and what it must return."""

from .answer import AnswerFromPassages, AnswerQuestion
from .candidates import CompareCandidates, ProposeCandidates, ValidateCandidate
from .judge_answer import JudgeAnswer
from .memories import JudgeMemories, ReadMemories
from .read import ReadAnalyses, ReadEvidence, ReadHistory, ReadNotes, ReadSummary
from .review import CompletePath, JudgePath, ReviewPath, ReviewPathAloud
from .sub_question import AnswerSubQuestion, AskFollowUp, PickSubQuestion, PlanSubQuestion, SplitQuestion
from .summarize import SummarizeForCandidate, SummarizePassages
from .think import ThinkAndAct, ThinkOneSentence

__all__ = [
    "AnswerFromPassages",
    "AnswerQuestion",
    "AnswerSubQuestion",
    "AskFollowUp",
    "CompareCandidates",
    "CompletePath",
    "JudgeAnswer",
    "JudgeMemories",
    "JudgePath",
    "PickSubQuestion",
    "PlanSubQuestion",
    "ProposeCandidates",
    "ReadAnalyses",
    "ReadEvidence",
    "ReadHistory",
    "ReadMemories",
    "ReadNotes",
    "ReadSummary",
    "ReviewPath",
    "ReviewPathAloud",
    "SplitQuestion",
    "SummarizeForCandidate",
    "SummarizePassages",
    "ThinkAndAct",
    "ThinkOneSentence",
    "ValidateCandidate",
]
