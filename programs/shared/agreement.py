"""Agreement of conclusions that were drawn from different passages."""

import re
from collections.abc import Sequence

from ...base.english import content_words, split_sentences
from .chain import final_answer
from .evidence import agree, wording

_TOKEN = re.compile(r"\w+")
_VERDICT = re.compile(r"\W*(?P<verdict>yes|no)\b(?=\W*(?:[,.;:–—]|$))", re.IGNORECASE)


def most_that_agree(conclusions: Sequence[str], question: str) -> int:
    """The largest number of conclusions that come to one answer."""
    return max((sum(confirms(other, one, question) for other in conclusions) for one in conclusions), default=0)


def confirms(other: str, one: str, question: str) -> bool:
    """True if one conclusion names nothing beyond the question that the other does not name too.

    A conclusion that declares its answer ("so the answer is ...", "Yes, ...") is taken at its word: two that declare
    different ones never agree. What has nothing but the question's own names agrees with what says it word for word.
    It is strict on purpose: where it is not sure that two agree, a search goes on.
    """
    declared, others = declared_answer(one), declared_answer(other)
    if declared and others:
        return agree(declared, others)
    asked = _words(question)
    claim = (_words(declared) if declared else _names(one)) - asked
    if not claim:
        return agree(one, other)
    fits = not others or _words(others) <= _words(one) | asked or claim <= _words(others)
    return claim <= _words(other) and fits


def declared_answer(conclusion: str) -> str:
    """The answer that a conclusion declares, or the verdict with which it begins; empty where it does neither."""
    sentences = split_sentences(final_answer(conclusion))
    if sentences:
        return sentences[0].rstrip(".")
    verdict = _VERDICT.match(conclusion)
    return verdict["verdict"] if verdict else ""


def _words(text: str) -> set[str]:
    return set(wording(text).split())


def _names(text: str) -> set[str]:
    """The words that are written large, and the numbers, but no function words that open a sentence."""
    tokens = _TOKEN.findall(text)
    return {token.lower() for token in tokens if token[0].isdigit() or (token[0].isupper() and content_words(token))}
