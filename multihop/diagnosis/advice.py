"""Advice from the figures of a diagnosis, each piece by a rule that can be looked up."""

from ..evaluation.matching import KINDS
from .corpus_advice import CORPUS_RULES, shared_titles
from .question_advice import GOLD_RULES, RECALL_RULES
from .record import Advice, CorpusShape, QuestionShape


def advise(corpus: CorpusShape, questions: QuestionShape | None) -> tuple[Advice, ...]:
    """The advice of all rules that apply, on the corpus first."""
    ways = [way for way in KINDS if questions is not None and questions.gold.matched_by.get(way)]
    found = {name: rule(corpus) for name, rule in CORPUS_RULES.items()}
    found["shared titles"] = shared_titles(corpus, ways)
    if questions is not None:
        rules = {**GOLD_RULES, **(RECALL_RULES if questions.depths else {})}
        found |= {name: rule(questions) for name, rule in rules.items()}
    return tuple(Advice(name, text) for name, text in found.items() if text)
