"""Facts read out of a page's sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..data.gold.attributes import DATE
from .relations import RELATIONS, Relation
from .subjects import Subject, blank_brackets

_OF_OTHERS = re.compile(
    r"\b(?:which|who|whose|where|when|after|before|while|based on|adapt\w*|sequel|remake|novel of|later|until|"
    r"formerly|originally|not|also|if|but|in turn|samples?|cover of|version of)\b|-$"
)
"""Words before a relation after which it may be another thing's, or no longer true."""
_GOES_ON = re.compile(
    r"^ (?:of|de|du|des|dos|di|et|y|und|[dl]['’])|^ ['’]|^ (?:nominat|nominee)|"
    r"^ (?!(?:in|on|at|by|from|for|with|and|who|which|that|as|since|to|is|was|has|had|after|before|during|under|"
    r"through|between|via|but|where|when|near|or|about|over|until|because|previously|now|then|also|into|without|along|"
    r"alongside|against|\w+ed|\w+ing|\w+ly)\b)[a-z]"
)
"""Words after a value that belong to it, so that it is not whole."""
_MORE = re.compile(
    r"^(?:,? (?:and|&|or|as well as|with|alongside)|,)(?: (?:the|an?))?(?! \w+(?:ing|ed|ten)\b)(?: [a-z-]+){0,3} "
    r'["A-ZÀ-Þ]|^(?:\'s|’s)|^ and (?:his|her|their|its|others|\w+ others)\b|^-|^ \([^)]*\)(?: and|,) [A-Z]|'
    r'^, (?:who|which)\b[^.;]{0,80}, and ["A-Z]'
)
_MORE_PLACES = re.compile(r"^,? (?:and|or|&|to|then)(?: \w+){0,2} [A-ZÀ-Þ]|^(?:'s|’s)|^-")
"""Words after a value that say that it is one of several."""
_NO_NAMES = frozenset({
    "He", "She", "It", "They", "His", "Her", "In", "On", "This", "That", "January", "February", "March", "April",
     "May", "June", "July", "August", "September", "October", "November", "December",
})  # fmt: skip
_PLACES = frozenset({"birthplace", "death place", "home", "base", "origin", "location", "setting", "native"})
_IN_BRACKETS = frozenset({"birth date", "birth year", "death date", "birthplace", "birth name"})
"""The relations that are also told in brackets."""


class Fact(NamedTuple):
    """One fact of a page's subject."""

    subject: Subject
    relation: Relation
    value: str
    """In the sentence's own words."""
    sentence: int
    """The place of the sentence in the page."""
    role: str = ""
    """The word for the subject's part in it, where the relation has one."""

    @property
    def is_over(self) -> bool:
        """True if the sentence says that the subject had this part, not that it has it."""
        before = self.subject.sentences[self.sentence].partition(self.role)[0] if self.role else ""
        return bool(re.search(r"\b(?:was|were|former)\b", before))


def read_facts(subject: Subject) -> list[Fact]:
    """The facts that a page's sentences state of its subject, each relation once; none where it has several values.

    Examples:
        >>> from multihop.exam.facts import read_facts
        >>> from multihop.exam.subjects import read_subject
        >>> from multihop.retrieval import Passage
        >>> text = "Emma is a film directed by Douglas McGrath. It was released on August 2, 1996."
        >>> facts = read_facts(read_subject(Passage("p", "Emma", text)))
        >>> [(fact.relation.name, fact.value, fact.sentence) for fact in facts]
        [('director', 'Douglas McGrath', 0), ('release', 'August 2, 1996', 1)]
    """
    facts: list[Fact] = []
    for relation in RELATIONS:
        if subject.kind in relation.kinds:
            found = {fact.value: fact for fact in reversed([*_find(subject, relation)])}
            if len(found) == 1 and "" not in found:
                facts += found.values()
    return facts


def is_about(sentence: str, subject: Subject) -> bool:
    """True if a sentence after the first begins with the subject."""
    names = {subject.name, subject.name.split()[-1], subject.name.split()[0]}
    if subject.kind == "person":
        names |= {"He", "She"}
    else:
        names |= {"It", f"The {subject.head}"} | ({"They"} if subject.kind in ("band", "team") else set())
    return any(re.match(rf"{re.escape(name)}(?!\w|['’]s)", sentence) for name in names)


def is_of_another(before: str, relation: str = "") -> bool:
    """True if the words before a relation may make it another thing's than the subject's."""
    if relation == "source":
        return bool(re.search(r"\b(?:in turn|based on|adapted from)\b|-$", before))
    quoted = '"' in before and not before.startswith('"')
    return quoted or bool(_OF_OTHERS.search(before[-90:]))


def _find(subject: Subject, relation: Relation) -> Iterator[Fact]:
    told = {"nationality": subject.demonym, "year": subject.year}.get(relation.name)
    if told:
        yield Fact(subject, relation, told, 0)
    for place, sentence in enumerate(subject.sentences):
        if place and not is_about(sentence, subject):
            continue
        text = sentence if relation.name in _IN_BRACKETS else blank_brackets(sentence)
        for pattern in relation.patterns:
            for match in pattern.finditer(text):
                value = _value(match, subject, relation)
                yield Fact(subject, relation, value, place, match.groupdict().get("role") or "")


def _value(match: re.Match[str], subject: Subject, relation: Relation) -> str:
    """The value that was matched, empty where it is one of several, another thing's, or not whole."""
    value, text = match["v"].strip(' "').rstrip(","), match.string
    before, after = text[: match.start()], text[match.end("v") :]
    if relation.name not in _IN_BRACKETS and is_of_another(before, relation.name):
        return ""
    if re.fullmatch(DATE, value):
        return value
    if len(value) < 3 or "?" in value or value in subject.name:
        return ""
    if match["v"][0] in '"0123456789':
        return value
    more = _MORE_PLACES if relation.name in _PLACES else _MORE
    return (
        "" if _GOES_ON.match(after) or more.match(after) or value.split()[0] in _NO_NAMES or value == "The" else value
    )
