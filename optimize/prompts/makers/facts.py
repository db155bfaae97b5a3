"""A hop as a sentence: its sub-question turned into a statement, or the sentence of its passage."""

import re

from ....data.gold import GoldHop

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
_RULES = (
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
_LONGEST = 110
"""Characters of a sub-question; a longer one is a whole question, which no rule turns round safely."""


def statement(sub_question: str, answer: str) -> str:
    """The sub-question with its answer as one sentence; empty where no rule knows its form.

    Examples:
        >>> from multihop.optimize.prompts.makers.facts import statement
        >>> statement("Who wrote Emma?", "Jane Austen"), statement("When was Emma published?", "1815")
        ('Jane Austen wrote Emma.', 'Emma was published in 1815.')
        >>> statement("How many novels did Jane Austen finish?", "six")
        ''
    """
    asks = sub_question.strip().rstrip("?").strip()
    if len(asks) > _LONGEST or _DANGLING.search(asks):
        return ""
    for pattern, form in _RULES:
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
        >>> from multihop.optimize.prompts.makers.facts import quote
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
