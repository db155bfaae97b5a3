"""A sub-question in other words, by rules: as a statement of its answer, another question, keywords, a description."""

import re
from itertools import pairwise

from ....data.gold import GoldHop

_NOUNS = {
    "wrote": "author", "directed": "director", "produced": "producer", "founded": "founder", "composed": "composer",
    "performed": "performer", "created": "creator", "developed": "developer", "published": "publisher",
    "edited": "editor", "designed": "designer", "won": "winner", "owns": "owner", "manufactured": "manufacturer",
    "wrote the screenplay of": "screenwriter",
}  # fmt: skip
_VERBS = {noun: verb for verb, noun in _NOUNS.items()}
_LITTLE = frozenset(
    {"who", "whom", "whose", "what", "which", "when", "where", "why", "how", "or", "in", "on", "at", "of", "the", "a"}
    | {"an", "is", "was", "are", "were", "did", "does", "do", "to", "for", "from", "by", "with", "into", "many", "much"}
    | {"name", "part"}
)
_THING = r"(?P<thing>.+)"
_ACT = "|".join(sorted(_NOUNS, key=len, reverse=True))
_FORMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (rf"who (?P<verb>{_ACT}) {_THING}", ("Who is the {noun} of {thing}?",)),
    (
        rf"(?:who|what) (?:is|was) the (?P<noun>{'|'.join(_VERBS)}) of {_THING}",
        ("Who {verb} {thing}?",),
    ),
    (rf"when was {_THING} born", ("What is the date of birth of {thing}?", "On what day was {thing} born?")),
    (rf"when did {_THING} die", ("What is the date of death of {thing}?", "On what day did {thing} die?")),
    (rf"where was {_THING} born", ("What is the place of birth of {thing}?", "In which place was {thing} born?")),
    (rf"where did {_THING} die", ("What is the place of death of {thing}?", "In which place did {thing} die?")),
    (rf"what is the date of birth of {_THING}", ("When was {thing} born?", "On what day was {thing} born?")),
    (rf"what is the place of birth of {_THING}", ("Where was {thing} born?", "In which place was {thing} born?")),
    (
        rf"in (?:which|what) \w+ was {_THING} born",
        ("Where was {thing} born?", "What is the place of birth of {thing}?"),
    ),
    (rf"{_THING} was born when", ("When was {thing} born?", "What is the date of birth of {thing}?")),
    (
        rf"{_THING} was born in (?:which|what) (?P<kind>\w+)",
        ("In which {kind} was {thing} born?", "Where was {thing} born?"),
    ),
    (rf"in which (?P<kind>\w+) is {_THING}", ("Which {kind} is {thing} in?", "To which {kind} does {thing} belong?")),
    (rf"what is the nationality of {_THING}", ("From which country is {thing}?", "Of what nationality is {thing}?")),
    (rf"what is the (?P<kind>[\w ]+?) of {_THING}", ("Which {kind} does {thing} have?",)),
    (rf"which (?P<rest>{_THING})", ("What {rest}?",)),
    (rf"what (?P<rest>(?!is|was|are|were|did|does|do\b)\w+ {_THING})", ("Which {rest}?",)),
    (rf"in what (?P<rest>{_THING})", ("In which {rest}?",)),
    (rf"who (?:is|was) (?P<rest>the {_THING})", ("What is the name of {rest}?",)),
    (rf"who (?P<rest>(?:{_ACT}|plays|played) {_THING})", ("What is the name of the person who {rest}?",)),
    (rf"when (?P<rest>(?:was|were|did) {_THING})", ("In what year {rest}?",)),
    (rf"where (?P<rest>(?:is|was|are|were|did|does|do) {_THING})", ("In which place {rest}?",)),
    (
        rf"(?:which|what) (?P<kind>\w+) (?P<rest>(?:flows|borders|contains|{_ACT}) {_THING})",
        ("What is the name of the {kind} that {rest}?",),
    ),
)
_RULES = [(re.compile(form, re.IGNORECASE), wordings) for form, wordings in _FORMS]


def rephrase(sub_question: str) -> list[str]:
    """The sub-question in other words, as questions; none where no rule knows its form.

    Examples:
        >>> from multihop.optimize.prompts.makers.rephrasing import rephrase
        >>> rephrase("Who wrote Emma?")
        ['Who is the author of Emma?', 'What is the name of the person who wrote Emma?']
    """
    asks = sub_question.strip().rstrip("?").strip()
    found: list[str] = []
    for pattern, wordings in _RULES:
        if match := pattern.fullmatch(asks):
            parts = dict(match.groupdict(default=""))
            verb, noun = parts.get("verb", "").lower(), parts.get("noun", "").lower()
            parts |= {"noun": noun or _NOUNS.get(verb, ""), "verb": verb or _VERBS.get(noun, "")}
            found += [wording.format(**parts) for wording in wordings]
    return [each for each in dict.fromkeys(found) if each.lower() != sub_question.lower()]


def keywords(question: str) -> str:
    """The words of a question to search with: those that carry meaning, and names as they are.

    Examples:
        >>> from multihop.optimize.prompts.makers.rephrasing import keywords
        >>> keywords("Who is the author of The Lord of the Rings?")
        'author The Lord of the Rings'
    """
    words = question.replace("?", " ").split()
    names = [place for place, word in enumerate(words) if place and word[:1].isupper()]
    inside = {
        place
        for one, other in pairwise(names)
        if all(word in _LITTLE for word in words[one + 1 : other])
        for place in range(one, other)
    }
    kept = (
        word for place, word in enumerate(words) if place in names or place in inside or word.lower() not in _LITTLE
    )
    return " ".join(kept)


_DESCRIBED = (
    (re.compile(rf"who (?P<act>(?:{'|'.join(_NOUNS)}) .+)", re.I), "the person who {act}"),
    (re.compile(r"(?:who|what) (?:is|was) (?P<act>the .+ of .+)", re.I), "{act}"),
    (re.compile(r"(?:which|what) (?P<kind>[a-z]+) (?P<act>[a-z]+ed .+)"), "the {kind} that {act}"),
    (
        re.compile(r"in (?:which|what) (?P<kind>[a-z ]+?) (?P<be>is|was) (?P<act>.+)", re.I),
        "the {kind} in which {act} {be}",
    ),
    (re.compile(r"where was (?P<act>.+) born", re.I), "the place where {act} was born"),
    (re.compile(r"where did (?P<act>.+) die", re.I), "the place where {act} died"),
)  # fmt: skip


def describe(sub_question: str) -> str:
    """The thing a sub-question asks for, in words for use in another one; empty where no rule knows its form.

    Examples:
        >>> from multihop.optimize.prompts.makers.rephrasing import describe
        >>> describe("Who wrote Emma?"), describe("Where was Jane Austen born?")
        ('the person who wrote Emma', 'the place where Jane Austen was born')
    """
    asks = sub_question.strip().rstrip("?").strip()
    for pattern, form in _DESCRIBED:
        if match := pattern.fullmatch(asks):
            return form.format(**match.groupdict())
    return ""


_ACTS = (
    "wrote|directed|produced|founded|composed|performed|created|developed|published|won|released|owns|owned|built|"
    "plays|played|recorded|sang|designed|distributed|manufactured|hosted|presents|edited|operates|borders|became|led|"
    "invented|discovered|drew|made|holds|held|sponsors|runs|acquired|established|painted|coached|voiced|portrayed"
)
_DONE = (
    "born|located|buried|educated|formed|founded|filmed|released|published|built|established|set|based|held|detained|"
    "opened|created|written|completed"
)
_DANGLING = re.compile(r"\b(?:of|in|to|with|for|from|by|on|at|as|about|after)$")
_STATEMENTS = (
    (re.compile(rf"(?:who|(?:which|what) \w+) (?P<rest>(?:{_ACTS}) .+)", re.I), "{answer} {rest}."),
    (re.compile(r"who (?P<be>is|was|are|were) (?P<rest>(?:the|a|an) .+)", re.I), "{answer} {be} {rest}."),
    (re.compile(r"what (?P<be>is|was|are|were) (?P<rest>the .+)", re.I), "{Rest} {be} {answer}."),
    (re.compile(rf"when (?P<be>was|were) (?P<rest>.+) (?P<done>{_DONE})", re.I), "{rest} {be} {done} {on} {answer}."),
    (re.compile(rf"where (?P<be>is|was) (?P<rest>.+) (?P<done>{_DONE})", re.I), "{rest} {be} {done} in {answer}."),
    (
        re.compile(rf"in (?:which|what) \w+ (?P<be>is|was) (?P<rest>.+) (?P<done>{_DONE})", re.I),
        "{rest} {be} {done} in {answer}.",
    ),
    (re.compile(r"in (?:which|what) \w+ (?P<be>is|was) (?P<rest>.+)", re.I), "{rest} {be} in {answer}."),
    (re.compile(r"when did (?P<rest>.+) die", re.I), "{rest} died {on} {answer}."),
    (re.compile(r"where did (?P<rest>.+) die", re.I), "{rest} died in {answer}."),
    (re.compile(r"(?P<rest>.+) (?:is|was) born when", re.I), "{rest} was born {on} {answer}."),
    (re.compile(r"(?P<rest>.+) (?P<be>is|was) born in (?:which|what) \w+", re.I), "{rest} {be} born in {answer}."),
)  # fmt: skip
_LONGEST_ASKED = 110
"""Characters of a sub-question; a longer one is a whole question, which no rule turns round safely."""


def statement(sub_question: str, answer: str) -> str:
    """The sub-question with its answer as one sentence; empty where no rule knows its form.

    Examples:
        >>> from multihop.optimize.prompts.makers.rephrasing import statement
        >>> statement("Who wrote Emma?", "Jane Austen"), statement("When was Emma published?", "1815")
        ('Jane Austen wrote Emma.', 'Emma was published in 1815.')
        >>> statement("How many novels did Jane Austen finish?", "six")
        ''
    """
    asks = sub_question.strip().rstrip("?").strip()
    if len(asks) > _LONGEST_ASKED or _DANGLING.search(asks):
        return ""
    for pattern, form in _STATEMENTS:
        if match := pattern.fullmatch(asks):
            parts = match.groupdict()
            rest = parts["rest"]
            day = re.search(r"\d", answer) and not re.fullmatch(r"\D*\d{3,4}\D*", answer)
            words = {**parts, "answer": answer, "Rest": rest[0].upper() + rest[1:], "on": "on" if day else "in"}
            return form.format(**words)
    return ""


def quote(hop: GoldHop) -> str:
    """The sentence of the hop's passage, with the page's name before it where it does not name the page itself.

    Examples:
        >>> from multihop.data.gold import GoldHop
        >>> from multihop.optimize.prompts.makers.rephrasing import quote
        >>> from multihop.retrieval import Passage
        >>> page = Passage("1", "Jane Austen", "She was born in Steventon.")
        >>> quote(GoldHop("Where was Jane Austen born?", "Steventon", page, page.text))
        'Jane Austen: She was born in Steventon.'
    """
    named = not hop.passage.name or hop.passage.is_named_in(hop.sentence)
    return hop.sentence if named else f"{hop.passage.name}: {hop.sentence}"


def fact(hop: GoldHop) -> str:
    """The hop's finding in a sentence."""
    return (not hop.by_rule and statement(hop.sub_question, hop.answer)) or quote(hop)


def result(hop: GoldHop) -> str:
    """The hop's answer in a short sentence, or bare where no rule makes one."""
    return (not hop.by_rule and statement(hop.sub_question, hop.answer)) or hop.answer
