"""The facts of a question's gold that the inputs of a demonstration show, and those that are still ahead."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from ...base.english import content_words, split_title
from ...data.gold.whole_words import occurrences
from .case import Case, GoldFact

_ASKED_ONLY = frozenset(("question", "asked", "reflections", "number", "sub_question", "candidate"))
"""Inputs that tell nothing."""
_TOKEN = re.compile(r"\d[\d,.]*\d|\d|[^\W\d_][\w'’-]*")
_OPENING = re.compile(r"(?:^|[.!?:;>|\"“(\n])\s*\W*$")


class ShownFacts:
    """The inputs and outputs of a demonstration, compared with the gold of its question."""

    def __init__(self, case: Case, outputs: Mapping[str, Any]) -> None:
        self.case, self.gold, self.inputs, self.outputs = case, case.gold, case.prompt.inputs, outputs

    @cached_property
    def from_memory(self) -> bool:
        """True if the step answers from what it knows, with nothing to read."""
        answers = {"answer", "result"}.intersection(field.name for field in self.case.prompt.output_fields)
        fields = {"question"} if "sub_question" not in self.inputs else {"question", "sub_question", "history"}
        return bool(answers) and fields.issuperset(self.inputs)

    @cached_property
    def text(self) -> str:
        """All inputs in one."""
        return "\n".join(line for value in self.inputs.values() for line in _lines(value))

    @cached_property
    def lines(self) -> list[str]:
        """The lines that tell something."""
        telling = (value for name, value in self.inputs.items() if name not in _ASKED_ONLY)
        lines = (line for value in telling for line in _lines(value))
        return [line for line in lines if not line.lower().startswith("search: ")]  # with titles, which tell nothing

    @cached_property
    def known(self) -> list[GoldFact]:
        """The facts that passages, quotes or notes tell."""
        return [fact for fact in self.gold.facts if self._tells(fact)]

    @property
    def missing(self) -> list[GoldFact]:
        """The facts that nothing tells."""
        return [fact for fact in self.gold.facts if fact not in self.known]

    @cached_property
    def complete(self) -> bool:
        """True if everything is there from which the answer follows."""
        return not self.missing if self.gold.facts else self.case.all_gold_shown

    def is_right(self, answer: object) -> bool:
        """True if it is one of the accepted answers."""
        bare = {each.casefold().strip(" .") for each in self.gold.answers}
        return str(answer).casefold().strip(" .") in bare

    def leaks(self, text: str) -> bool:
        """True if the text gives the final answer, and the inputs hold neither it nor all that it follows from."""
        if self.complete or self.gold.answers[0].casefold() in ("yes", "no"):
            return False
        return any(occurrences(text, [each]) and not occurrences(self.text, [each]) for each in self.gold.answers)

    def runs_ahead(self, text: str) -> bool:
        """True if the text uses an answer that nothing has told yet."""
        ahead = [fact.answer for fact in self.missing if not occurrences(self.text, [fact.answer])]
        return bool(occurrences(text, ahead))

    def leads_on(self, text: str) -> bool:
        """True if the text asks for one of the missing facts, more than for what is known."""
        words = set(content_words(text))
        aims = [set(content_words(f"{fact.sub_question} {split_title(fact.passage)[0]}")) for fact in self.missing]
        return bool(words) and any(2 * len(words & aim) >= len(words) for aim in aims)

    def invents(self, text: str) -> bool:
        """True if the text names somebody, or a number, that the inputs do not."""
        known = {match[0].lower() for match in _TOKEN.finditer(self.text)}
        for match in _TOKEN.finditer(text):
            begins = match[0] == "I" or _OPENING.search(text[: match.start()])
            named = match[0][0].isdigit() or (match[0][0].isupper() and not begins)
            if named and match[0].lower() not in known and match[0].lower().removesuffix("'s") not in known:
                return True
        return False

    def shows(self, fact: GoldFact) -> bool:
        """True if the fact's passage is there, or its sentence."""
        return any(fact.passage in line or fact.sentence in line for line in self.lines)

    def _tells(self, fact: GoldFact) -> bool:
        if self.shows(fact):
            return True
        notes = [line for line in self.lines if not split_title(line)[0] and occurrences(line, [fact.answer])]
        twins = [each for each in self.gold.facts if each != fact and each.answer == fact.answer]
        if not twins:
            return bool(notes)
        # Of facts with one answer a note tells the one whose words it has.
        own = set(content_words(fact.sub_question)).difference(*(content_words(each.sub_question) for each in twins))
        return any(own.intersection(content_words(note)) for note in notes)


def _lines(value: object) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        yield from str(item).split("\n")
