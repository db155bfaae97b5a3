"""An LM that knows a question set's gold and errs at a given rate: for tests and benchmarks of control flow and speed.

Every choice is a hash of seed, question, output field and inputs, so that the same request gets the same answer in any
order. What programs reach with it says nothing about any model.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import NamedTuple

import ujson
from shelf import Slow

from multihop.base import InputError, MismatchError
from multihop.base.english import split_title
from multihop.lms import Engine, as_lm
from multihop.lms.local_engine import known_output
from multihop.lms.prompt import Prompt

ENOUGH_DEMONSTRATIONS = 3
NOT_READ = frozenset({"asked", "thoughts"})
"""Lists that hold no passages."""
TELLING = 40
"""Characters from which a sentence tells which passage it is from."""


class Gold(NamedTuple):
    question: str
    answers: tuple[str, ...]
    passages: tuple[str, ...]
    """The gold paragraphs as a prompt shows them; empty where the set names none."""
    queries: tuple[str, ...] = ()
    """For each gold paragraph a query that finds it: its title, and its sub-question if the set gives one."""


class Simulated(Engine):
    """The engine behind `simulated`."""

    def __init__(self, golds, *, error_rate, known, seed, distraction, learns):
        self.error_rate, self.known, self.seed = error_rate, known, seed
        self.distraction, self.learns = distraction, learns
        self.golds = {gold.question: gold for gold in golds}

    @cached_property
    def answers_by_kind(self) -> dict[str, list[str]]:
        """Every main answer of the set, by rough kind: where wrong answers come from."""
        kinds: dict[str, list[str]] = {}
        for answer in sorted({gold.answers[0] for gold in self.golds.values()}):
            kinds.setdefault(kind_of_answer(answer), []).append(answer)
        return kinds

    def reply(self, prompt):
        """A value for every output field, from the gold and seeded random choices."""
        question = prompt.inputs.get("question")
        gold = self.golds.get(question) if isinstance(question, str) else None
        if gold is None:
            raise MismatchError(
                f"the simulation knows {len(self.golds)} questions by the input `question`, and not {question!r}."
            )
        names = {field.name: known_output(field) or field.name for field in prompt.output_fields}
        fields = tuple(field._replace(name=names[field.name]) for field in prompt.output_fields)
        case = Case(self, gold, prompt._replace(output_fields=fields))
        return {own: ROLES[known](case) for own, known in names.items()}


def simulated(
    questions, passages, *, error_rate=0.1, latency=0.0, seed=0, known=0.25, distraction=0.0, learns=0.0, **options
):
    """An LM that answers every role from the gold of a question set.

    Args:
        questions: The set; a prompt is recognised by its input `question`.
        passages: The corpus, or any part of it that holds the set's supporting paragraphs.
        error_rate: The share of right answers that are turned into wrong ones.
        latency: Seconds every call takes.
        seed: Another seed, another set of errors.
        known: The share of questions answered right without the passages.
        distraction: The share of itself by which each further passage that is not gold raises the error rate.
        learns: The share of itself by which three demonstrations of a step lower its error rate; fewer, less.
        **options: Passed on to `dspy.LM`.
    """
    questions = list(questions)
    needed = {identifier for question in questions for identifier in question.supporting}
    pages = {passage.id: passage for passage in passages if passage.id in needed}
    for question in questions:
        if not question.answers:
            raise InputError(f"the simulation needs an answer for every question; '{question.question}' has none.")
        if missing := [identifier for identifier in question.supporting if identifier not in pages]:
            raise MismatchError(
                f"the passages lack '{missing[0]}', which supports '{question.question}'; give the set's own corpus."
            )
    golds = [_gold(question, [pages[name] for name in question.supporting]) for question in questions]
    shares = {"error_rate": error_rate, "known": known, "distraction": distraction, "learns": learns}
    engine = Simulated(golds, seed=seed, **shares)
    options = {"twin": Slow(engine, latency), **options} if latency else options
    told = "-".join(f"{name.partition('_')[0]}{share:g}" for name, share in shares.items() if share)
    return as_lm(engine, f"simulated-{told}-seed{seed}-{digest(sorted(golds), size=4).hex()}", **options)


def _gold(question, pages):
    """The gold of a question; a paragraph is found by its title, with the sub-question where the set tells one."""
    words = {hop.passage: hop.question for hop in reversed(question.decomposition) if hop.question}
    return Gold(
        question.question,
        tuple(question.answers),
        tuple(map(str, pages)),
        tuple(f"{words.get(page.id, '')} {page.title or page}".strip() for page in pages),
    )


@dataclass(frozen=True)
class Case:
    """One request: the gold, the prompt, and random choices that are the same whenever the request is."""

    engine: Simulated
    gold: Gold
    prompt: Prompt

    def chance(self, field, *, inputs=True):
        """A number in [0, 1) that depends on seed, question, field and, unless told otherwise, the inputs."""
        asked = sorted(self.prompt.inputs.items()) if inputs else []
        hashed = digest([self.engine.seed, self.gold.question, field, asked], size=8)
        return int.from_bytes(hashed, "big") / 2**64

    @property
    def by_heart(self):
        """True if the LM knows this question without reading: once known, known in every request."""
        return self.chance("by heart", inputs=False) < self.engine.known

    @cached_property
    def items(self):
        """The items of the inputs' lists, passages above all; without lists of earlier questions or thoughts."""
        lists = {name: value for name, value in self.prompt.inputs.items() if isinstance(value, list)}
        return [str(item) for name, value in lists.items() if name not in NOT_READ for item in value]

    @property
    def all_gold_shown(self):
        """True if the inputs hold every gold passage, word for word."""
        return bool(self.gold.passages) and not self.missing

    @cached_property
    def missing(self):
        """The places of the gold passages that are in none of the inputs."""
        shown = [str(value) for value in self.prompt.inputs.values() if not isinstance(value, list)] + self.items
        return [n for n, passage in enumerate(self.gold.passages) if not _is_told(passage, shown)]

    def errs(self, field):
        """True if the error rate strikes this field here.

        Every passage shown that is not gold raises it, and demonstrations lower it.
        """
        beside = max(0, len(self.items) - len(self.gold.passages) + len(self.missing))
        skill = min(1.0, len(self.prompt.demonstrations) / ENOUGH_DEMONSTRATIONS)
        rate = self.engine.error_rate * (1 + self.engine.distraction * beside) * (1 - self.engine.learns * skill)
        return self.chance(field) < rate

    def wrong_answer(self):
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
        return "unknown"


def _is_told(passage, texts):
    """True if a text holds the passage, or its title with a whole sentence of it, as summaries do."""
    if any(passage in text for text in texts):
        return True
    title, sentences = _title_and_sentences(passage)
    return any(title in text and any(sentence in text for sentence in sentences) for text in texts)


@lru_cache(maxsize=16384)
def _title_and_sentences(passage):
    """The title, empty where there is none, and the sentences that are long enough to be no other passage's."""
    title, text = split_title(passage)
    return title, tuple(sentence for sentence in text.split(". ") if len(sentence) >= TELLING)


def kind_of_answer(answer):
    """The kind of an answer: "yes or no", "date", "number" or "name"."""
    if answer.casefold() in ("yes", "no"):
        return "yes or no"
    if re.search(r"\b\d{4}\b", answer):
        return "date"
    return "number" if re.search(r"\d", answer) else "name"


def digest(value, *, size):
    """A hash of plain values."""
    return blake2b(ujson.dumps(value, ensure_ascii=False).encode(), digest_size=size).digest()


def _answer(case):
    """Right when all gold passages are shown or the question is known by heart, then wrong at the error rate."""
    known = case.all_gold_shown or case.by_heart
    return case.gold.answers[0] if known and not case.errs("answer") else case.wrong_answer()


def _reasoning(case):
    """The source of the answer, in words."""
    source = "The passages hold every step" if case.all_gold_shown else "The passages do not hold every step"
    answers = any(field.name == "answer" for field in case.prompt.output_fields)
    return f"{source}; the answer is {_answer(case)}." if answers else f"{source}."


def _relevant(case):
    """True if the newest paragraph of the path is a gold one; the other way round at the error rate."""
    path = case.prompt.inputs.get("path") or [""]
    gold = set(case.gold.passages)
    newest = path[-1:] if len(path) <= len(gold) else path  # a long list is a set of passages, not a path
    return bool(gold.intersection(newest)) != case.errs("relevant")


def _enough(case):
    """True if every gold passage is shown; the other way round at the error rate."""
    return case.all_gold_shown != case.errs("enough")


def _query(case):
    """The query for the first gold passage that is not shown; at the error rate, only the question again."""
    if not case.missing or case.errs("query"):
        return case.gold.question
    return case.gold.queries[case.missing[0]]


def _asked_for(case):
    """The gold passages that are shown and that the prompt's sub-question, if it has one, asks for."""
    asked = case.prompt.inputs.get("sub_question")
    shown = [n for n in range(len(case.gold.passages)) if n not in case.missing]
    meant = [n for n in shown if case.gold.queries[n] == asked]
    return [case.gold.passages[n] for n in meant or shown]


def _summary(case):
    """Every gold passage that is shown, quoted; each left out at the error rate."""
    return "\n".join(quote for n, quote in enumerate(_asked_for(case)) if not case.errs(f"summary {n}"))


def _sub_answer(case):
    """The answer to the sub-question, quoted; nothing at the error rate."""
    return "" if case.errs("sub_answer") else "\n".join(_asked_for(case))


def _sub_questions(case):
    """A question for each gold passage that is not shown; at the error rate, the whole question again.

    If the prompt says how many to name, the rest ask for what is shown already, and for the question itself.
    """
    missing = [case.gold.question if case.errs(f"sub_questions {n}") else case.gold.queries[n] for n in case.missing]
    wanted = case.prompt.inputs.get("number", len(missing))
    others = [query for query in case.gold.queries if query not in missing]
    return list(dict.fromkeys([*missing, *others, case.gold.question]))[: int(wanted)]


def _actions(case):
    """To finish, where everything seems to be known, and to search for each sub-question."""
    finish = [f"finish: {_answer(case)}"] if _enough(case) else []
    return [*finish, *(f"search: {query}" for query in _sub_questions(case))]


def _thoughts(case):
    """To give the answer, where everything seems to be known, and each sub-question as something to find out."""
    arrived = [f"So the answer is {_answer(case)}."] if _enough(case) else []
    return [*arrived, *_sub_questions(case)]


def _score(case):
    """The share of the gold passages that is shown, out of ten; any number at the error rate."""
    if case.errs("score"):
        return f"{int(case.chance('wrong score') * 11)}/10"
    gold = len(case.gold.passages) or 1
    return f"{10 * (gold - len(case.missing)) // gold}/10"


def _first_better(case):
    """True if the first account is of the right answer; the other way round at the error rate."""
    return str(case.prompt.inputs.get("first", "")).startswith(case.gold.answers) != case.errs("first_better")


def _continuation(case):
    """The answer in tags, where everything seems to be known, else a search."""
    return f"<answer>{_answer(case)}</answer>" if _enough(case) else f"<search>{_query(case)}</search>"


ROLES = {
    "answer": _answer,
    "reasoning": _reasoning,
    "relevant": _relevant,
    "enough": _enough,
    "analysis": lambda case: f"The answer is {_answer(case)}." if _enough(case) else "",
    "query": _query,
    "information": _query,
    "thought": _query,
    "continuation": _continuation,
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
    "thoughts": _thoughts,
    "reflection": lambda case: f"What was found does not hold everything: {_query(case)}",
    "candidates": lambda case: list(dict.fromkeys([_answer(case), case.wrong_answer()])),
    "valid": lambda case: (case.prompt.inputs.get("candidate") in case.gold.answers) != case.errs("valid"),
    "first_better": _first_better,
    "full_question": lambda case: case.gold.question,
}
"""The role of each output field, by its name."""
