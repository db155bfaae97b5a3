"""Questions made of single sentences, for pages of any kind: a sentence's words, one of its details left out."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence

from ...data import Question
from ...english.details import Detail, details
from ...english.sentences import split_sentences
from ...english.word_stems import content_words
from ...retrieval import Passage

SHORTEST, LONGEST = 6, 14
"""Words of a sentence at least, and those of it that are asked with at most."""
KEPT = (0.5, 0.9)
"""The share of the words that is kept: between these, drawn for each question."""
TELLING = 3
"""Words that carry meaning in a question at least."""
ENGLISH = 0.2
"""The share of words without a meaning of their own ("the", "of") from which on a text is English."""
EACH = 8
"""Sentences of a page at most that questions are made of."""
_WORD = re.compile(r"\S+")
_ASKS = {"name": "what", "date": "when", "number": "how many"}
_EDGE = ".,;:!?()[]\"'“”‘’"


def sentence_questions(pages: Iterable[Passage], most: int, seed: int = 0) -> list[Question]:
    """Questions, each with the page that its words are from; sentences and words are drawn by the seed.

    Examples:
        >>> from multihop import Passage
        >>> from multihop.training.adapting.sentence_questions import sentence_questions
        >>> page = Passage("7", "Pump", "The pump of the second boiler is made by Grundfos and stands in the cellar.")
        >>> [question] = sentence_questions([page], most=5)
        >>> question.supporting, question.answers
        (('7',), ('Grundfos',))
    """
    dice = random.Random(seed)
    drawn = list(_drawn(pages, dice))
    dice.shuffle(drawn)
    made: list[Question] = []
    for page, place, sentence in drawn:
        if len(made) == most:
            break
        asked = ask(sentence, dice)
        if asked:
            text, answer = asked
            answers = (answer,) if answer else ()
            made.append(
                Question(
                    id=f"sentence-{len(made)}", question=text, answers=answers, supporting=(page.id,),
                    supporting_sents=((page.id, place),), type="sentence",
                )
            )  # fmt: skip
    return made


def ask(sentence: str, dice: random.Random) -> tuple[str, str] | None:
    """A question and its answer, which is empty where the sentence has no detail to ask for; None if it tells little.

    Examples:
        >>> import random
        >>> from multihop.training.adapting.sentence_questions import ask
        >>> ask("It rains.", random.Random(0)) is None
        True
    """
    found = details(sentence)
    left_out = dice.choice(found) if found else None
    words = [word for word in _words(sentence, left_out) if word]
    if len(words) < SHORTEST:
        return None
    share, start = dice.uniform(*KEPT), dice.randrange(max(1, len(words) - LONGEST + 1))
    kept = [word for word in words[start : start + LONGEST] if word[0].isupper() or dice.random() < share]
    text = f"{_ASKS[left_out.kind] if left_out else 'what about'} {' '.join(kept)}?"
    if len(content_words(text)) < TELLING:
        return None
    return text[0].upper() + text[1:], sentence[left_out.start : left_out.end] if left_out else ""


def is_english(pages: Sequence[Passage]) -> bool:
    """True if most pages are in English.

    Examples:
        >>> from multihop import Passage
        >>> from multihop.training.adapting.sentence_questions import is_english
        >>> is_english([Passage("1", "", "Der Po ist ein Fluss in Italien, der in die Adria mündet.")])
        False
    """
    return sum(_share(page.text) >= ENGLISH for page in pages) * 2 > len(pages)


def _share(text: str) -> float:
    words = re.findall(r"[^\W_]+", text)
    return 1 - len(content_words(text)) / len(words) if words else 0.0


def _drawn(pages: Iterable[Passage], dice: random.Random) -> Iterator[tuple[Passage, int, str]]:
    """A few sentences of each page, with their places."""
    for page in pages:
        sentences = list(enumerate(split_sentences(page.text)))
        for place, sentence in dice.sample(sentences, min(EACH, len(sentences))):
            yield page, place, sentence


def _words(sentence: str, left_out: Detail | None) -> Iterator[str]:
    for match in _WORD.finditer(sentence):
        if left_out is None or match.end() <= left_out.start or match.start() >= left_out.end:
            yield match[0].strip(_EDGE)
