"""An LM that knows a question set's answers and errs at a given rate: for studies of control flow and speed."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import ujson

from ..errors import InputError, unknown
from ..retrieval import Passage
from .engine import Engine, as_lm
from .prompt import Demonstration, Prompt

if TYPE_CHECKING:
    import dspy


_NOT_READ = frozenset({"asked", "thoughts"})
ENOUGH_DEMONSTRATIONS = 3
TELLING = 40
"""Characters from which a sentence tells which passage it is from."""


class KnownQuestion(Protocol):
    """What the simulation needs of a question."""

    @property
    def question(self) -> str:
        """The text, by which a prompt is recognised."""
        ...

    @property
    def answers(self) -> tuple[str, ...]:
        """The accepted answers, the main one first."""
        ...

    @property
    def supporting(self) -> tuple[str, ...]:
        """The ids of the gold paragraphs."""
        ...

    @property
    def decomposition(self) -> "Sequence[KnownHop]":
        """The single-hop questions, where the set gives them."""
        ...


class KnownHop(Protocol):
    """What the simulation needs of one hop."""

    @property
    def question(self) -> str:
        """The single-hop question; may be empty."""
        ...

    @property
    def passage(self) -> str:
        """The id of the paragraph that answers it; may be empty."""
        ...


class Gold(NamedTuple):
    """What the simulation remembers of one question."""

    question: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]
    """The gold paragraphs as a prompt shows them; empty where the set names none."""
    queries: tuple[str, ...] = ()
    """For each gold paragraph, what finds it: its sub-question, or its title where the set gives none."""


class Simulated(Engine):
    """The engine behind `simulated`; every choice is a hash of seed, question, output field and inputs."""

    def __init__(
        self,
        golds: Iterable[Gold],
        *,
        error_rate: float,
        known: float,
        seed: int,
        distraction: float = 0.0,
        learns: float = 0.0,
        latency: float = 0.0,
    ) -> None:
        super().__init__(latency=latency)
        for name, rate in (("error_rate", error_rate), ("known", known), ("learns", learns)):
            if not 0 <= rate <= 1:
                raise InputError(f"{name} is a probability between 0 and 1, not {rate!r}.")
        if not distraction >= 0:
            raise InputError(f"distraction is a number of 0 or more, not {distraction!r}.")
        self.error_rate, self.known, self.seed = error_rate, known, seed
        self.distraction, self.learns = distraction, learns
        self.golds: dict[str, Gold] = {}
        for gold in golds:
            if not gold.answers:
                raise InputError(f"the simulation needs an answer for every question; '{gold.question}' has none.")
            same = self.golds.get(gold.question)
            # Sets repeat a question now and then, with another spelling of its answer.
            answers = tuple(dict.fromkeys((same.answers if same else ()) + gold.answers))
            self.golds[gold.question] = (same or gold)._replace(answers=answers)

    @cached_property
    def fingerprint(self) -> str:
        """Eight hex digits that identify the question set."""
        return _digest(sorted(self.golds.values()), size=4).hex()

    @cached_property
    def answers_by_kind(self) -> dict[str, list[str]]:
        """Every main answer of the set, by rough kind: where wrong answers come from."""
        kinds: dict[str, set[str]] = {}
        for gold in self.golds.values():
            kinds.setdefault(_kind(gold.answers[0]), set()).add(gold.answers[0])
        return {kind: sorted(answers) for kind, answers in kinds.items()}

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field, from the gold and the seeded dice."""
        question = prompt.inputs.get("question")
        gold = self.golds.get(question) if isinstance(question, str) else None
        if gold is None:
            raise InputError(
                f"the simulation knows {len(self.golds)} questions by the input `question`, and not {question!r}."
            )
        for field in prompt.output_fields:
            if field.name not in ROLES:
                raise unknown("output field for the simulated LM", field.name, ROLES)
        return {field.name: ROLES[field.name](Case(self, gold, prompt)) for field in prompt.output_fields}

    def taught(self, prompt: Prompt) -> float:
        """How well the prompt's demonstrations teach the step, from 0 to 1: three good ones teach all there is."""
        if not (self.learns and prompt.demonstrations):
            return 0.0
        good = sum(self.is_good(demonstration, prompt) for demonstration in prompt.demonstrations)
        return min(1.0, good / ENOUGH_DEMONSTRATIONS)

    def is_good(self, demonstration: Demonstration, prompt: Prompt) -> bool:
        """Whether every verdict and answer in it is what gold says about its own inputs."""
        gold = self.golds.get(demonstration.inputs.get("question", ""))
        if gold is None:
            return False
        case = Case(_Sure(self), gold, prompt._replace(inputs=demonstration.inputs, demonstrations=()))
        return all(
            str(demonstration.outputs.get(field.name)) == str(ROLES[field.name](case))
            for field in prompt.output_fields
            if field.type == "bool" or field.name == "answer"
        )

    def dump_state(self) -> dict[str, Any]:
        """The gold and the settings."""
        names = ("error_rate", "known", "seed", "distraction", "learns", "latency")
        settings = {name: getattr(self, name) for name in names}
        return {"golds": [list(gold) for gold in self.golds.values()], **settings}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The same simulation again."""
        golds = [Gold(question, *map(tuple, lists)) for question, *lists in state["golds"]]
        return cls(golds, **{name: value for name, value in state.items() if name != "golds"})


class _Sure:
    """An LM that never errs and knows nothing by heart, to tell what gold says."""

    def __init__(self, engine: Simulated) -> None:
        self.error_rate = self.known = self.distraction = self.learns = 0.0
        self.seed, self.answers_by_kind = engine.seed, engine.answers_by_kind

    def taught(self, prompt: Prompt) -> float:
        """It has nothing to learn."""
        return 0.0


@dataclass(frozen=True)
class Case:
    """One request in the eyes of a role: the gold, the prompt, and dice that always fall the same way."""

    engine: Simulated | _Sure
    gold: Gold
    prompt: Prompt

    def chance(self, field: str, *, inputs: bool = True) -> float:
        """A number in [0, 1) that depends on seed, question, field and, unless told otherwise, the inputs."""
        asked = sorted(self.prompt.inputs.items()) if inputs else []
        digest = _digest([self.engine.seed, self.gold.question, field, asked], size=8)
        return int.from_bytes(digest, "big") / 2**64

    @property
    def by_heart(self) -> bool:
        """Whether the LM knows this question without reading: once known, known in every request."""
        return self.chance("by heart", inputs=False) < self.engine.known

    @cached_property
    def items(self) -> list[str]:
        """What stands in the lists among the inputs, passages above all; not what was only asked or thought."""
        lists = {name: value for name, value in self.prompt.inputs.items() if isinstance(value, list)}
        return [str(item) for name, value in lists.items() if name not in _NOT_READ for item in value]

    @property
    def all_gold_shown(self) -> bool:
        """Whether the inputs hold every gold passage, word for word."""
        return bool(self.gold.passages) and not self.missing

    @cached_property
    def missing(self) -> list[int]:
        """The places of the gold passages that stand in none of the inputs."""
        shown = [str(value) for value in self.prompt.inputs.values() if not isinstance(value, list)] + self.items
        return [n for n, passage in enumerate(self.gold.passages) if not _told(passage, shown)]

    def errs(self, field: str) -> bool:
        """Whether the error rate, raised by every passage shown that is not gold, strikes this field here."""
        beside = max(0, len(self.items) - len(self.gold.passages) + len(self.missing))
        rate = self.engine.error_rate * (1 + self.engine.distraction * beside)
        return self.chance(field) < rate * (1 - self.engine.learns * self.engine.taught(self.prompt))

    def wrong_answer(self) -> str:
        """Another question's answer of the same rough kind."""
        right = {answer.casefold() for answer in self.gold.answers}
        kind = _kind(self.gold.answers[0])
        pools = self.engine.answers_by_kind
        if kind == "yes or no":
            return "no" if "yes" in right else "yes"
        for pool in (pools[kind], [answer for answers in pools.values() for answer in answers]):
            others = [answer for answer in pool if answer.casefold() not in right]
            if others:
                return others[int(self.chance("wrong answer") * len(others))]
        return "unknown"


def _answer(case: Case) -> str:
    """Right when all gold passages are shown or the question is known by heart, then wrong at the error rate."""
    right = (case.all_gold_shown or case.by_heart) and not case.errs("answer")
    return case.gold.answers[0] if right else case.wrong_answer()


def _reasoning(case: Case) -> str:
    """Where the answer of the same request comes from."""
    source = "The passages hold every step" if case.all_gold_shown else "The passages do not hold every step"
    return f"{source}; the answer is {_answer(case)}."


def _relevant(case: Case) -> bool:
    """Whether the newest paragraph of the path is a gold one; the other way round at the error rate."""
    path = case.prompt.inputs.get("path") or [""]
    gold = set(case.gold.passages)
    newest = path[-1:] if len(path) <= len(gold) else path  # a long list is a set of passages, not a path
    return bool(gold.intersection(newest)) != case.errs("relevant")


def _enough(case: Case) -> bool:
    """Whether every gold passage is shown; the other way round at the error rate."""
    return case.all_gold_shown != case.errs("enough")


def _query(case: Case) -> str:
    """What finds the first gold passage that is not shown; at the error rate, only the question again."""
    if not case.missing or case.errs("query"):
        return case.gold.question
    return case.gold.queries[case.missing[0]]


def _asked_for(case: Case) -> list[str]:
    """The gold passages that are shown and that the prompt's sub-question, if it has one, asks for."""
    asked = case.prompt.inputs.get("sub_question")
    shown = [n for n in range(len(case.gold.passages)) if n not in case.missing]
    meant = [n for n in shown if case.gold.queries[n] == asked]
    return [case.gold.passages[n] for n in meant or shown]


def _summary(case: Case) -> str:
    """Every gold passage that is shown, quoted; each left out at the error rate."""
    return "\n".join(quote for n, quote in enumerate(_asked_for(case)) if not case.errs(f"summary {n}"))


def _sub_answer(case: Case) -> str:
    """What the sub-question asks for, quoted; nothing at the error rate."""
    return "" if case.errs("sub_answer") else "\n".join(_asked_for(case))


def _sub_questions(case: Case) -> list[str]:
    """What asks for each gold passage that is not shown; at the error rate, the question again.

    Where the prompt says how many to name, the rest ask for what is shown already, and for the question itself.
    """
    missing = [case.gold.question if case.errs(f"sub_questions {n}") else case.gold.queries[n] for n in case.missing]
    wanted = case.prompt.inputs.get("number", len(missing))
    others = [query for query in case.gold.queries if query not in missing]
    return list(dict.fromkeys([*missing, *others, case.gold.question]))[: int(wanted)]


def _actions(case: Case) -> list[str]:
    """To finish, where everything seems to be known, and to search for each sub-question."""
    finish = [f"finish: {_answer(case)}"] if _enough(case) else []
    return [*finish, *(f"search: {query}" for query in _sub_questions(case))]


def _score(case: Case) -> str:
    """The share of the gold passages that is shown, out of ten; any number at the error rate."""
    if case.errs("score"):
        return f"{int(case.chance('wrong score') * 11)}/10"
    gold = len(case.gold.passages) or 1
    return f"{10 * (gold - len(case.missing)) // gold}/10"


def _candidates(case: Case) -> list[str]:
    """The answer of the same request, and a wrong one."""
    return list(dict.fromkeys([_answer(case), case.wrong_answer()]))


def _valid(case: Case) -> bool:
    """Whether the candidate is right; the other way round at the error rate."""
    return (case.prompt.inputs.get("candidate") in case.gold.answers) != case.errs("valid")


def _first_better(case: Case) -> bool:
    """Whether the first account is of the right answer; the other way round at the error rate."""
    return str(case.prompt.inputs.get("first", "")).startswith(case.gold.answers) != case.errs("first_better")


ROLES: dict[str, Callable[[Case], Any]] = {
    "answer": _answer,
    "reasoning": _reasoning,
    "relevant": _relevant,
    "enough": _enough,
    "analysis": lambda case: f"The answer is {_answer(case)}.",
    "query": _query,
    "information": _query,
    "thought": _query,
    "action": lambda case: "finish" if _enough(case) else "search",
    "summary": _summary,
    "answerable": lambda case: bool(_sub_answer(case)),
    "sub_answer": _sub_answer,
    "sub_question": _query,
    "sub_questions": _sub_questions,
    "sentence": lambda case: _sub_answer(case) or "no information",
    "result": _sub_answer,
    "score": _score,
    "actions": _actions,
    "reflection": lambda case: f"What was found does not hold everything: {_query(case)}",
    "candidates": _candidates,
    "valid": _valid,
    "first_better": _first_better,
}
"""How to fill each output field, by its name."""


def simulated(
    questions: Iterable[KnownQuestion],
    passages: Iterable[Passage],
    *,
    error_rate: float = 0.1,
    latency: float = 0.0,
    seed: int = 0,
    known: float = 0.25,
    distraction: float = 0.0,
    learns: float = 0.0,
    **options: Any,
) -> "dspy.LM":
    """An LM that answers every role from the gold of a question set; never a source of reported accuracy.

    Args:
        questions: The set, such as `multihop.data.Question` objects; a prompt is recognised by its input `question`.
        passages: The corpus, or any part of it that holds the set's supporting paragraphs.
        error_rate: How often an answer that would be right is turned into a wrong one.
        latency: Seconds every call takes.
        seed: Another seed, another set of errors.
        known: The share of questions answered right without the passages.
        distraction: By what share of itself each further passage that is not gold raises the error rate.
        learns: By what share of itself three good demonstrations of a step lower its error rate; fewer, less.
        **options: Passed on to `dspy.LM`.

    Examples:
        >>> import dspy
        >>> from multihop.data import Question
        >>> from multihop.models import simulated
        >>> from multihop.retrieval import Passage
        >>> page = Passage("p1", "Ada Lovelace", "She wrote the first program.")
        >>> question = Question(id="q1", question="Who wrote it?", answers=("Ada",), supporting=("p1",))
        >>> lm = simulated([question], [page], error_rate=0.0)
        >>> with dspy.context(lm=lm):
        ...     read = dspy.Predict("passages: list[str], question -> answer")
        ...     read(passages=[str(page)], question="Who wrote it?").answer
        'Ada'
        >>> lm.model
        'multihop/simulated-error0-known0.25-seed0-ef4c9610'
    """
    known_questions: Sequence[KnownQuestion] = list(questions)
    needed = {identifier for question in known_questions for identifier in question.supporting}
    rendered = {passage.id: str(passage) for passage in passages if passage.id in needed}
    for question in known_questions:
        if missing := [identifier for identifier in question.supporting if identifier not in rendered]:
            raise InputError(
                f"the passages lack '{missing[0]}', which supports '{question.question}'; give the set's own corpus."
            )
    golds = [
        Gold(
            question.question,
            tuple(question.answers),
            tuple(rendered[name] for name in question.supporting),
            tuple(_finding(name, rendered[name], question) for name in question.supporting),
        )
        for question in known_questions
    ]
    engine = Simulated(
        golds,
        error_rate=error_rate,
        known=known,
        seed=seed,
        distraction=distraction,
        learns=learns,
        latency=latency,
    )
    changed = {"distraction": distraction, "learns": learns}
    extra = "".join(f"-{word}{share:g}" for word, share in changed.items() if share)
    name = f"simulated-error{error_rate:g}{extra}-known{known:g}-seed{seed}-{engine.fingerprint}"
    return as_lm(engine, name, **options)


def _finding(identifier: str, shown: str, question: KnownQuestion) -> str:
    """The query that finds a gold passage: the sub-question it answers, with the passage's title."""
    asked = next((hop.question for hop in question.decomposition if hop.passage == identifier and hop.question), "")
    return f"{asked} {shown.partition(' | ')[0]}".strip()


def _told(passage: str, texts: Sequence[str]) -> bool:
    """Whether a text holds the passage, or its title with a whole sentence of it, as summaries do."""
    if any(passage in text for text in texts):
        return True
    title, sentences = _title_and_sentences(passage)
    return any(title in text and any(sentence in text for sentence in sentences) for text in texts)


@lru_cache(maxsize=16384)
def _title_and_sentences(passage: str) -> tuple[str, tuple[str, ...]]:
    """The title, empty where there is none, and the sentences that are long enough to be nobody else's."""
    title, bar, text = passage.partition(" | ")
    sentences = (text if bar else passage).split(". ")
    return title if bar else "", tuple(sentence for sentence in sentences if len(sentence) >= TELLING)


def _kind(answer: str) -> str:
    if answer.casefold() in ("yes", "no"):
        return "yes or no"
    if re.search(r"\b\d{4}\b", answer):
        return "date"
    return "number" if re.search(r"\d", answer) else "name"


def _digest(value: Any, *, size: int) -> bytes:
    return blake2b(ujson.dumps(value, ensure_ascii=False).encode(), digest_size=size).digest()
