"""A follow-up made to stand alone by putting names in the place of the pronouns that point back to them."""

import re
from collections.abc import Sequence

from .overlap import names

_PERSON = re.compile(r"he|she|him|her|his|hers|they|them|their|theirs")
_POINTING = re.compile(rf"\b(?:{_PERSON.pattern}|it|its)\b", re.IGNORECASE)
_OWNER = re.compile(r"(?:his|hers|its|their|theirs)\b|her (?!(?:in|at|on|to|by|with|from|for|of|and|or|as)\b)\w")


def full_question(conversation: Sequence[str], question: str) -> str:
    """The question with names for its pronouns, as far as the conversation ("question -> answer", latest last) has any.

    A person is the last answer to a question that begins with "who", else the first name of the last question; a thing
    is the last answer to another question, else the same. Who is a woman and who a man is not known.
    """
    people: list[str] = []
    things: list[str] = []
    for asked, _, answer in (turn.rpartition(" -> ") for turn in reversed(conversation)):
        named = [match[0] for match in names(asked.partition(" ")[2])][:1]
        answers = [answer] if any(match[0] == answer for match in names(answer)) else []
        who = asked.lower().startswith("who")
        people += [*(answers if who else []), *named]
        things += [*([] if who else answers), *named]

    def name_for(match: re.Match[str]) -> str:
        known = people if _PERSON.fullmatch(match[0].lower()) else things
        if not known or match[0][0].isupper():  # a capital letter: the word is of a title, or begins the question
            return match[0]
        return f"{known[0]}'s" if _OWNER.match(question[match.start() :]) else known[0]

    return _POINTING.sub(name_for, question)
