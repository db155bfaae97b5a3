"""One request as the simulated LM sees it: its gold, the part of it that is shown, and seeded random choices."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

import ujson

from ...base.english import NO_ANSWER, split_title
from ..prompt import Prompt

_NOT_READ = frozenset({"asked", "thoughts"})
TELLING = 40
"""Characters from which a sentence tells which passage it is from."""


class GoldFact(NamedTuple):
    """One hop of the way to an answer."""

    sub_question: str
    answer: str
    sentence: str
    """The sentence of its passage that says it."""
    passage: str
    """The passage, as a prompt shows it."""


class Gold(NamedTuple):
    """The gold of one question, as the simulation remembers it."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]
    """The gold paragraphs as a prompt shows them; empty where the set names none."""
    queries: tuple[str, ...] = ()
    """For each gold paragraph a query that finds it: its title, and its sub-question if the set gives one."""
    facts: tuple[GoldFact, ...] = ()
    """The fact that each hop finds, in their order; empty if the gold is unread."""

    @property
    def answerable(self) -> bool:
        """False where a refusal is the right answer."""
        return self.answers != (NO_ANSWER,)


class ErringLM(Protocol):
    """The simulated LM, as far as a case needs it."""

    error_rate: float
    known: float
    distraction: float
    learns: float
    seed: int

    @property
    def answers_by_kind(self) -> Mapping[str, Sequence[str]]:
        """The pool of wrong answers, by rough kind."""
        ...

    def skill(self, prompt: Prompt, decision: str = "", right: object = None) -> float:
        """The skill that the prompt's demonstrations teach, up to 1; below 0 if they teach the contrary."""
        ...


@dataclass(frozen=True)
class Case:
    """One request: the gold, the prompt, and random choices that are the same whenever the request is."""

    engine: ErringLM
    gold: Gold
    prompt: Prompt

    def chance(self, field: str, *, inputs: bool = True) -> float:
        """A number in [0, 1) that depends on seed, question, field and, unless told otherwise, the inputs."""
        asked = sorted(self.prompt.inputs.items()) if inputs else []
        hashed = digest([self.engine.seed, self.gold.question, field, asked], size=8)
        return int.from_bytes(hashed, "big") / 2**64

    @property
    def by_heart(self) -> bool:
        """True if the LM knows this question without reading: once known, known in every request."""
        return self.chance("by heart", inputs=False) < self.engine.known

    @cached_property
    def items(self) -> list[str]:
        """The items of the inputs' lists, passages above all; without lists of earlier questions or thoughts."""
        lists = {name: value for name, value in self.prompt.inputs.items() if isinstance(value, list)}
        return [str(item) for name, value in lists.items() if name not in _NOT_READ for item in value]

    @property
    def all_gold_shown(self) -> bool:
        """True if the inputs hold every gold passage, word for word."""
        return bool(self.gold.passages) and not self.missing

    @cached_property
    def missing(self) -> list[int]:
        """The places of the gold passages that are in none of the inputs."""
        shown = [str(value) for value in self.prompt.inputs.values() if not isinstance(value, list)] + self.items
        return [n for n, passage in enumerate(self.gold.passages) if not _is_told(passage, shown)]

    def errs(self, field: str, decision: str = "", right: object = None) -> bool:
        """True if the error rate strikes this field here.

        Every passage shown that is not gold raises it, and good demonstrations lower it. Those that show only the
        other side of a decision teach to take that side always.

        Args:
            field: The field that the random choice is for.
            decision: The verdict that is to be given, if one is.
            right: The right verdict.
        """
        learned = self.engine.learns * self.skill(decision, right)
        rate = self._rate * (1 - learned) if learned >= 0 else self._rate - (1 - self._rate) * learned
        return self.chance(field) < rate

    def skill(self, decision: str, right: object) -> float:
        """The skill that the prompt's demonstrations teach for this decision."""
        return self.engine.skill(self.prompt, decision, right)

    def is_misled(self, field: str, decision: str, right: object) -> bool:
        """True if demonstrations that show only the other side of a decision cause an error not made without them."""
        misled = max(0.0, -self.skill(decision, right))
        return self.chance(field) < self.engine.learns * misled

    @property
    def _rate(self) -> float:
        beside = max(0, len(self.items) - len(self.gold.passages) + len(self.missing))
        return self.engine.error_rate * (1 + self.engine.distraction * beside)

    def wrong_answer(self) -> str:
        """Another question's answer of the same rough kind."""
        right = {answer.casefold() for answer in self.gold.answers}
        kind = kind_of_answer(self.gold.answers[0])
        pools = self.engine.answers_by_kind
        if kind == "yes or no":
            return "no" if "yes" in right else "yes"
        for pool in (pools.get(kind, ()), [answer for answers in pools.values() for answer in answers]):
            others = [answer for answer in pool if answer.casefold() not in right]
            if others:
                return others[int(self.chance("wrong answer") * len(others))]
        return "unknown" if self.gold.answerable else "yes"


def _is_told(passage: str, texts: Sequence[str]) -> bool:
    """True if a text holds the passage, or its title with a whole sentence of it, as summaries do."""
    if any(passage in text for text in texts):
        return True
    title, sentences = _title_and_sentences(passage)
    return any(title in text and any(sentence in text for sentence in sentences) for text in texts)


@lru_cache(maxsize=16384)
def _title_and_sentences(passage: str) -> tuple[str, tuple[str, ...]]:
    """The title, empty where there is none, and the sentences that are long enough to be nobody else's."""
    title, text = split_title(passage)
    return title, tuple(sentence for sentence in text.split(". ") if len(sentence) >= TELLING)


def kind_of_answer(answer: str) -> str:
    """The kind of an answer: "yes or no", "date", "number" or "name"."""
    if answer.casefold() in ("yes", "no"):
        return "yes or no"
    if re.search(r"\b\d{4}\b", answer):
        return "date"
    return "number" if re.search(r"\d", answer) else "name"


def digest(value: Any, *, size: int) -> bytes:
    """A hash of plain values."""
    return blake2b(ujson.dumps(value, ensure_ascii=False).encode(), digest_size=size).digest()
