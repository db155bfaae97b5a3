"""A follow-up made to stand alone by putting names in the place of the pronouns that point back to them."""

import re
from collections.abc import Sequence

from .overlap import names

_PEOPLE = frozenset(["he", "she", "him", "her", "his", "hers", "they", "them", "their", "theirs"])
_POSSESSIVE = frozenset(["his", "hers", "its", "their", "theirs"])
_POINTING = re.compile(r"\b(?:he|she|him|her|his|hers|they|them|their|theirs|it|its|there)\b", re.IGNORECASE)
_IS_THERE = re.compile(r"(?:is|are|was|were|be|been) $|^ (?:is|are|was|were)\b", re.IGNORECASE)
_NOT_OWNED = re.compile(r" (?!(?:in|at|on|to|by|with|from|for|of|when|where|and|or|as|before|after|during)\b)\w")
_SOMEBODY = re.compile(
    r"\bthe (?:\w+ )?\w+(?:er|or|ist|ian|ess|man) of (?:"
    r"(?:[Tt]he |A )?[A-Z]\w*(?:(?: (?:of|the|and|in|on|for|a|to))* [A-Z0-9]\w*)*"  # a name
    r"|.+?(?=[,?]|$| (?:born|is|was|were|did|died?|lived?|studied|study|worked?|come|came|from|who|that)\b))",
)
_INTERROGATIVE = re.compile(
    r"(?:^|[,:] |\b(?:to|by|for|in|of|is|was|were|are|from|with|at|on|and|after|than|as|did|has|have|into|until) )"
    r"(who|whom|whose|where|when|what|which|how)\b",
    re.IGNORECASE,
)
_HEAD_END = re.compile(
    r"\b(?:is|are|was|were|did|do|does|has|have|had|can|could|will|would|of|in|that|who|whose|where|when|for|from|by|to|on|at|the|an?)\b"
)
_NOUNS = {
    "place": "country nationality nation city town state county region province village place birthplace island "
    "district location area",
    "person": "actor actress singer author director player writer person man woman mother father wife husband spouse "
    "child son daughter composer performer producer founder president king queen footballer musician artist poet",
    "thing": "date day birthday year decade number amount population percentage age size length",
}
_KIND = {noun: kind for kind, nouns in _NOUNS.items() for noun in nouns.split()}
_PRONOUNS = {"who": "person", "whom": "person", "whose": "person", "where": "place", "when": "thing", "how": "thing"}


def full_question(conversation: Sequence[str], question: str) -> str:
    """The question with names for its pronouns, as far as the conversation has any; else as it stands.

    A person is the last answer to a question about a person, a thing the last to another one, if that answer is a name.
    Else a person is somebody whom the last question describes, as "the director of Night Train", and either the first
    name in it. Who is a woman and who a man is not known.

    Args:
        conversation: Earlier questions, each as "question -> answer", the latest last.
        question: The question.

    Examples:
        >>> from multihop.lms.local_engine.follow_up import full_question
        >>> full_question(["Where was Ada Lovelace born? -> London"], "who was her husband?")
        "who was Ada Lovelace's husband?"
        >>> full_question(["Who directed Night Train? -> Jerzy Kowal"], "Where was he born, and when was it released?")
        'Where was Jerzy Kowal born, and when was Night Train released?'
    """
    turns = [_split(each) for each in reversed(conversation)]
    about = {name for asked, answer in turns for name in (*_names(asked), answer)}

    def name_for(match: re.Match[str]) -> str:
        word, before, after = match[0].lower(), question[: match.start()], question[match.end() :]
        if (match[0][0].isupper() and before.strip()) or match[0] in about:
            return match[0]  # a title
        if word == "there":
            place = None if _IS_THERE.search(before) or _IS_THERE.match(after) else _last(turns, "place")
            return f"in {place}" if place else match[0]
        name = _last(turns, "person" if word in _PEOPLE else "thing")
        owns = word in _POSSESSIVE or (word == "her" and _NOT_OWNED.match(after))
        return match[0] if name is None else f"{name}'s" if owns else name

    return _POINTING.sub(name_for, question)


def _last(turns: Sequence[tuple[str, str]], kind: str) -> str | None:
    """The name that was spoken of last, of that kind as far as one can tell: "person", "thing" or "place"."""
    for asked, answer in turns:
        answers = answer_kind(asked)
        fits = answers == kind or (kind == "thing" and answers == "place")
        if fits and _is_name(answer):
            return answer
        if kind == "person" and (somebody := _SOMEBODY.search(asked)):
            return somebody[0]
        if kind != "place" and (named := _names(asked)):
            return named[0]
    others = [answer for asked, answer in turns if _is_name(answer) and answer_kind(asked) != "place"]
    return others[0] if others and kind != "place" else None


def _split(turn: str) -> tuple[str, str]:
    """A turn's question and answer."""
    asked, arrow, answer = turn.rpartition(" -> ")
    return (asked, answer.strip()) if arrow else (answer, "")


def _names(question: str) -> list[str]:
    """The names in a question, without the word that it begins with."""
    _, _, rest = question.strip().partition(" ")
    return [match[0] for match in names(rest)]


def _is_name(answer: str) -> bool:
    """True if the answer is written as names are, whole."""
    return any(match[0] == answer for match in names(answer))


def answer_kind(question: str) -> str:
    """The kind of answer that the question asks for: "person", "place", or any other "thing"."""
    match = _INTERROGATIVE.search(question)
    if match is None:
        return "thing"
    word, rest = match[1].lower(), question[match.end() :].strip(" ?").lower()
    if word in _PRONOUNS:
        return _PRONOUNS[word]
    heads = (head.split() for head in _HEAD_END.split(rest))
    head: list[str] = next((words for words in heads if words and words != ["name"]), [])
    return next((_KIND[noun] for noun in reversed(head) if noun in _KIND), "thing")
