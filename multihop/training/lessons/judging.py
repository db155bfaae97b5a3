"""The judge's lessons of questions of several hops: which passages help, with what is known, and what to ask next.

Differs from EfficientRAG's lessons (`queries.py`): a passage is tagged "continue" where it helps and more is needed
after it, so that the last one of a way is tagged "terminate"; and a lesson shows the question with what is known, where
the paper's shows the last query.
"""

import random
from collections.abc import Iterable, Iterator, Sequence

from ...data.gold.whole_words import occurrences
from ...encoder import condense
from ...encoder.layout import Pair
from ...retrieval import Retriever
from .lesson import AnswerLabel, LabelledPassage, Lesson
from .queries import queries_after
from .ways import Finding, Way

NEGATIVES = 5
"""Passages of a lesson that do not help."""


def judge_lessons(ways: Iterable[Way], retriever: Retriever, *, seed: int = 0) -> Iterator[Lesson]:
    """Lessons with nothing known, with each beginning of a way, with its other paragraphs alone, with a wrong one.

    Args:
        ways: Training questions with their gold paragraphs.
        retriever: Finds hard negatives.
        seed: The seed of the choice among them.
    """
    dice = random.Random(seed)
    for way in ways:
        negatives = _negatives(way, retriever)
        if len(way.findings) > 1 and negatives:
            yield from _of_way(way, negatives, dice)


def _negatives(way: Way, retriever: Retriever) -> list[str]:
    """Paragraphs that mislead: the question's own, and what a search finds, but no gold."""
    asked = way.question.question
    words = [asked, *(f"{asked} {' '.join(finding.useful)}" for finding in way.findings)]
    hits = [str(hit.passage) for ranking in retriever.search(words, 8) for hit in ranking]
    gold = {finding.text for finding in way.findings}
    return [text for text in dict.fromkeys([*map(str, way.question.passages), *hits]) if text not in gold]


def _of_way(way: Way, negatives: Sequence[str], dice: random.Random) -> Iterator[Lesson]:
    question, findings = way.question, way.findings
    beginnings = [tuple(findings[:length]) for length in range(len(findings))]
    for known in dict.fromkeys([*beginnings, *((finding,) for finding in findings[1:])]):
        shown = tuple(condense(finding.text, finding.spans()) for finding in known)
        rest = [finding for finding in findings if finding not in known]
        right = [
            _labelled(question.question, finding, shown, question.answers if len(rest) == 1 else ()) for finding in rest
        ]
        wrong = [LabelledPassage(Pair(question.question, text, shown), False) for text in _some(negatives, dice)]
        yield Lesson((*right, *wrong), tuple(queries_after(question.question, known, rest)))
    shown = (condense(dice.choice(negatives), ()),)
    right = [_labelled(question.question, finding, shown, ()) for finding in findings]
    wrong = [LabelledPassage(Pair(question.question, text, shown), False) for text in _some(negatives, dice)]
    yield Lesson((*right, *wrong[:4]))


def _some(negatives: Sequence[str], dice: random.Random) -> list[str]:
    """Half of them from the front, where the likeliest are, the others from anywhere."""
    front, back = list(negatives[: NEGATIVES + 2]), list(negatives[NEGATIVES + 2 :])
    dice.shuffle(front)
    dice.shuffle(back)
    half = NEGATIVES - min(NEGATIVES // 2, len(back))
    return [*front[:half], *back[: NEGATIVES - half]]


def _labelled(question: str, finding: Finding, known: tuple[str, ...], answers: Sequence[str]) -> LabelledPassage:
    """A gold paragraph; nothing is missing after it where answers are given."""
    answer, enough = _answer(finding, answers) if answers else None, bool(answers)
    pair = Pair(question, finding.text, known)
    return LabelledPassage(pair, True, not enough, enough, tuple(finding.spans()), answer)


def _answer(finding: Finding, answers: Sequence[str]) -> AnswerLabel:
    if answers[0].lower() in ("yes", "no"):
        return "yes" if answers[0].lower() == "yes" else "no"
    spans = occurrences(finding.text, answers)
    return next(iter([*filter(finding.supports, spans), *spans]), None)
