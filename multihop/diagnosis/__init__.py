"""Describes a corpus and its questions for multi-hop retrieval, before any method is chosen."""

from .diagnosing import diagnose
from .record import (
    Advice,
    CandidatePool,
    CorpusShape,
    Diagnosis,
    GoldInCorpus,
    HopRecall,
    PassageLengths,
    QuestionShape,
    RecallAtDepth,
    RetrievalGain,
)

__all__ = [
    "Advice",
    "CandidatePool",
    "CorpusShape",
    "Diagnosis",
    "GoldInCorpus",
    "HopRecall",
    "PassageLengths",
    "QuestionShape",
    "RecallAtDepth",
    "RetrievalGain",
    "diagnose",
]
