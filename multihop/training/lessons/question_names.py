"""A question put as a name: "Who wrote Emma?" as "the person who wrote Emma", by rules."""

import re

_BE, _HAVE, _DO = "is|was|are|were", "has|had|have|can|could|will|would", "did|does|do"
_ASKED = f"{_BE}|{_HAVE}|{_DO}"
_NOUN = rf"(?!(?:{_ASKED})\b)[\w-]+"
_NOUNS = rf"{_NOUN}(?: {_NOUN}){{0,2}}"
_NAMES_ALONE = re.compile(r"\b(?:first|last|middle|full) names?\b|\bthe (?:surname|initials)\b", re.I)
_PLAIN = re.compile(r"(?:who|what|which) (?:is|was|are|were) (the .+)", re.I)
_PERSON = re.compile(rf"who (?!(?:{_DO}|{_BE})\b)([a-z]+ .+)", re.I)
_PERSON_ASKED = re.compile(rf"who ({_DO}|{_BE}) (.+)", re.I)
_THING = re.compile(rf"(?:what|which) ({_NOUNS}) ({_ASKED}) (.+)", re.I)
_THING_THAT = re.compile(
    r"(?:what|which) ([\w-]+(?: [\w-]+)?) ([a-z]+ed|wrote|built|made|became|won|held|led|took|gave|sold|left|began|ran|"
    r"came|found|bought|taught|brought|owns|plays|borders|contains|hosts|includes) (.+)",
    re.I,
)
_WITHIN = re.compile(
    rf"(in|on|at|for|to|by|from|of|with|into|under|during) (?:what|which) ({_NOUNS}) ({_ASKED}) (.+)", re.I
)
_PLACE = re.compile(rf"where ({_ASKED}) (.+)", re.I)
_DONE = "born|held|built|made|based|found|set|sent|sold|shown|taught|known|[a-z]+ed"
_AFTER_SUBJECT = re.compile(rf"(?<=\w) (?=(?:the|a|an|part|next|home|{_DONE})\b)(?!.* (?:{_DONE})\b)")
_HAS_ONE = re.compile(r"(?:has|had|have) an? ", re.I)
_OF_SUBJECT = re.compile(r"(?:the|a|an|his|her|their|its|this|that|these|those|it|he|she|they)\b|[A-Z\"']")


def as_name(question: str) -> str | None:
    """The question as a name for its answer; None where no rule has one for it.

    Examples:
        >>> from multihop.training.lessons.question_names import as_name
        >>> as_name("What is the capital of Italy?"), as_name("Who wrote Emma?")
        ('the capital of Italy', 'the person who wrote Emma')
        >>> as_name("In what city was Jane Austen born?"), as_name("Which country does Etna belong to?")
        ('the city in which Jane Austen was born', 'the country that Etna belong to')
        >>> as_name("When did it rain?") is None
        True
    """
    asked = question.strip().rstrip("?. ").replace(" the the ", " the ")
    if _NAMES_ALONE.search(asked):  # many are called so
        return None
    if match := _PLAIN.fullmatch(asked):
        return match[1]
    if match := _PERSON.fullmatch(asked):
        return f"the person who {match[1]}"
    if match := _PERSON_ASKED.fullmatch(asked):
        return f"the person that {_told(match[1], match[2])}"
    if match := _WITHIN.fullmatch(asked):
        return f"the {match[2]} {match[1].lower()} which {_told(match[3], match[4])}"
    if match := _THING.fullmatch(asked):
        return f"the {match[1]} that {_told(match[2], match[3])}"
    if match := _THING_THAT.fullmatch(asked):
        return f"the {match[1]} that {match[2]} {match[3]}"
    if match := _PLACE.fullmatch(asked):
        return f"the place where {_told(match[1], match[2])}"
    return None


def _told(verb: str, rest: str) -> str:
    """Put a question's verb in its place in a statement: "was Jane Austen born" becomes "Jane Austen was born"."""
    if verb.lower() in ("did", "does", "do"):
        return rest
    if not _OF_SUBJECT.match(rest) or _HAS_ONE.match(f"{verb} {rest}"):  # what is asked for is itself the subject
        return f"{verb} {rest}"
    if place := _AFTER_SUBJECT.search(rest):
        return f"{rest[: place.start()]} {verb} {rest[place.end() :]}"
    subject, _, end = rest.rpartition(" ")
    return f"{subject} {verb} {end}" if subject and end in ("in", "on", "from", "of", "at", "to") else f"{rest} {verb}"
