"""A follow-up made to stand alone by putting names in the place of the pronouns that point back to them."""

import re
from collections.abc import Sequence

from .answer_span import answer_kind, names

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
_PLACES = frozenset(("place", "country"))


def full_question(conversation: Sequence[str], question: str) -> str:
    """The question with names for its pronouns, as far as the conversation has any; else as it stands.

    A person is the last answer to a question about a person, a thing the last to another one, if that answer is a name.
    Else a person is somebody whom the last question describes, as "the director of Night Train", and either the first
    name in it. Who is a woman and who a man is not known.

    Args:
        conversation: Earlier questions, each as "question -> answer", the latest last.
        question: The question.

    Examples:
        >>> from multihop.lms.lexical_engine.follow_up import full_question
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
        fits = answers in _PLACES if kind == "place" else (answers == "person") == (kind == "person")
        if fits and _is_name(answer):
            return answer
        if kind == "person" and (somebody := _SOMEBODY.search(asked)):
            return somebody[0]
        if kind != "place" and (named := _names(asked)):
            return named[0]
    others = [answer for asked, answer in turns if _is_name(answer) and answer_kind(asked) not in _PLACES]
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
