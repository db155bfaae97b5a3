"""Each step's contract: what it is told and what it must return."""

from typing import TYPE_CHECKING

from ..base.lazily import lazily

if TYPE_CHECKING:
    from .act import EvaluateActions as EvaluateActions
    from .act import EvaluateActionsAgain as EvaluateActionsAgain
    from .act import ProposeActions as ProposeActions
    from .act import ReflectOnActions as ReflectOnActions
    from .act import ThinkAndActAgain as ThinkAndActAgain
    from .answer import AnswerFromPassages as AnswerFromPassages
    from .answer import AnswerQuestion as AnswerQuestion
    from .candidates import CompareCandidates as CompareCandidates
    from .candidates import ProposeCandidates as ProposeCandidates
    from .candidates import ValidateCandidate as ValidateCandidate
    from .history import AnswerOwnQuestion as AnswerOwnQuestion
    from .history import AnswerStep as AnswerStep
    from .history import AnswerStepFromMemory as AnswerStepFromMemory
    from .history import AskOwnQuestion as AskOwnQuestion
    from .history import AskOwnQuestions as AskOwnQuestions
    from .history import EvaluateHistory as EvaluateHistory
    from .history import NextSubQuestion as NextSubQuestion
    from .history import ProposeSubQuestions as ProposeSubQuestions
    from .history import RateStep as RateStep
    from .history import ReadPath as ReadPath
    from .history import ReadSteps as ReadSteps
    from .judge_answer import JudgeAnswer as JudgeAnswer
    from .label import DecomposeQuestion as DecomposeQuestion
    from .label import MarkWords as MarkWords
    from .label import PickNextQuery as PickNextQuery
    from .memories import JudgeMemories as JudgeMemories
    from .memories import ReadMemories as ReadMemories
    from .read import ReadAnalyses as ReadAnalyses
    from .read import ReadEvidence as ReadEvidence
    from .read import ReadHistory as ReadHistory
    from .read import ReadNotes as ReadNotes
    from .read import ReadSummary as ReadSummary
    from .review import CompletePath as CompletePath
    from .review import JudgePath as JudgePath
    from .review import ReviewPath as ReviewPath
    from .review import ReviewPathAloud as ReviewPathAloud
    from .sub_question import AnswerSubQuestion as AnswerSubQuestion
    from .sub_question import AskFollowUp as AskFollowUp
    from .sub_question import PickSubQuestion as PickSubQuestion
    from .sub_question import PlanSubQuestion as PlanSubQuestion
    from .sub_question import SplitQuestion as SplitQuestion
    from .summarize import SummarizeForCandidate as SummarizeForCandidate
    from .summarize import SummarizePassages as SummarizePassages
    from .summarize import WriteEvidence as WriteEvidence
    from .think import ProposeThoughts as ProposeThoughts
    from .think import ThinkAndAct as ThinkAndAct
    from .think import ThinkOneSentence as ThinkOneSentence
    from .think import ValueThoughts as ValueThoughts
else:
    __getattr__, __dir__, __all__ = lazily(
        __name__,
        {
            "act": "EvaluateActions EvaluateActionsAgain ProposeActions ReflectOnActions ThinkAndActAgain",
            "answer": "AnswerFromPassages AnswerQuestion",
            "candidates": "CompareCandidates ProposeCandidates ValidateCandidate",
            "history": (
                "AnswerOwnQuestion AnswerStep AnswerStepFromMemory AskOwnQuestion AskOwnQuestions "
                "EvaluateHistory NextSubQuestion ProposeSubQuestions RateStep ReadPath ReadSteps"
            ),
            "judge_answer": "JudgeAnswer",
            "label": "DecomposeQuestion MarkWords PickNextQuery",
            "memories": "JudgeMemories ReadMemories",
            "read": "ReadAnalyses ReadEvidence ReadHistory ReadNotes ReadSummary",
            "review": "CompletePath JudgePath ReviewPath ReviewPathAloud",
            "sub_question": "AnswerSubQuestion AskFollowUp PickSubQuestion PlanSubQuestion SplitQuestion",
            "summarize": "SummarizeForCandidate SummarizePassages WriteEvidence",
            "think": "ProposeThoughts ThinkAndAct ThinkOneSentence ValueThoughts",
        },
    )
