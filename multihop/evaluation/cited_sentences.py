"""Finds the sentences that a prediction cites for its answer among those of its question set.

A set counts sentences as it split them, and a citation is a stretch of a passage. So each citation stands for the
sentences of the set that lie in it by more than half; if none does, for the one that it shares most with. Where a set
does not bring its sentences, they are those of `sentence_spans`.
"""

from collections.abc import Iterator
from typing import Any

from ..english.sentences import Span, sentence_spans
from ..retrieval import Passage
from ..runtime.grounds.citations import of_answer
from .matching import match_gold, rank_passages

Fact = tuple[str, int]
"""The id of a paragraph and the place of a sentence in it."""


def cited_facts(gold: Any, prediction: Any) -> list[Fact] | None:
    """The sentences cited for the answer, in the ids and counts of the question; None if the program does not cite.

    Args:
        gold: The question.
        prediction: The program's prediction.

    Examples:
        >>> import dspy
        >>> from multihop import Passage, Question
        >>> from multihop.evaluation.cited_sentences import cited_facts
        >>> etna = Passage("p1", "Etna", "Etna is a volcano. It is in Sicily.")
        >>> cited = {"claim": "Sicily", "verdict": "supported", "passage": "p1", "start": 19, "end": 35}
        >>> prediction = dspy.Prediction(answer="Sicily", passages=[etna], citations=[cited])
        >>> cited_facts(Question(id="q", question="Where is Etna?", answers=("Sicily",)), prediction)
        [('p1', 1)]
    """
    if (citations := getattr(prediction, "citations", None)) is None:
        return None
    came = rank_passages(prediction)
    passages = {passage.id: passage for passage in came}
    names = {came[rank].id: name for name, rank in match_gold(gold, prediction).ranks.items()}
    facts = []
    for each in of_answer(citations, str(getattr(prediction, "best_guess", None) or prediction.answer)):
        if passage := passages.get(each["passage"]):
            name = names.get(passage.id, passage.id)
            facts += [(name, place) for place in _covered(_sentences(gold, name, passage), each["start"], each["end"])]
    return list(dict.fromkeys(facts))


def _sentences(gold: Any, name: str, passage: Passage) -> list[Span]:
    """The sentences of a passage as its set splits it."""
    own = {each.id: place for place, each in enumerate(getattr(gold, "passages", None) or ())}
    if name in own and getattr(gold, "sentences", None):
        return list(_places(gold.sentences[own[name]], passage.text))
    return sentence_spans(passage.text)


def _places(sentences: tuple[str, ...], text: str) -> Iterator[Span]:
    """The place of each sentence; an empty one for a sentence that the text lacks."""
    end = 0
    for sentence in map(str.strip, sentences):
        start = text.find(sentence, end)
        end = start + len(sentence) if start >= 0 else end
        yield (start, end) if start >= 0 else (end, end)


def _covered(sentences: list[Span], start: int, end: int) -> list[int]:
    shared = [max(0, min(end, last) - max(start, first)) for first, last in sentences]
    within = [place for place, (first, last) in enumerate(sentences) if shared[place] > (last - first) / 2 > 0]
    most = max(range(len(shared)), key=shared.__getitem__, default=0)
    return within or ([most] if shared and shared[most] else [])
