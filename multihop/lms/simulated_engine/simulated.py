"""An LM that knows a question set's answers and errs at a given rate: for studies of control flow and speed."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from ...base import InputError, MismatchError, unknown
from ...base.english import NO_ANSWER
from ..engine import Engine, as_lm
from ..known_outputs import known_output
from ..prompt import Demonstration, Prompt
from .case import Case, Gold, GoldFact, digest, kind_of_answer
from .judging import flaw, says_nothing
from .roles import ROLES

if TYPE_CHECKING:
    import dspy

    from ...data.gold import GoldPath
    from ...data.question import Passage, Question

ENOUGH_DEMONSTRATIONS = 3
ENOUGH_OF_A_SIDE = 2
"""Demonstrations of one side of a decision that teach all there is about it."""


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
        self._flaws: dict[bytes, str] = {}
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
        return digest(sorted(self.golds.values()), size=4).hex()

    @cached_property
    def answers_by_kind(self) -> dict[str, list[str]]:
        """Every main answer of the set, by rough kind: where wrong answers come from."""
        kinds: dict[str, set[str]] = {}
        for gold in filter(lambda gold: gold.answerable, self.golds.values()):
            kinds.setdefault(kind_of_answer(gold.answers[0]), set()).add(gold.answers[0])
        return {kind: sorted(answers) for kind, answers in kinds.items()}

    @cached_property
    def _without_errors(self) -> "Simulated":
        """An LM that knows the same gold and nothing by heart, and never errs."""
        return Simulated(self.golds.values(), error_rate=0.0, known=0.0, seed=self.seed)

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field, from the gold and seeded random choices."""
        question = prompt.inputs.get("question")
        gold = self.golds.get(question) if isinstance(question, str) else None
        if gold is None:
            raise MismatchError(
                f"the simulation knows {len(self.golds)} questions by the input `question`, and not {question!r}."
            )
        asked = _in_known_names(prompt)
        for field in asked.output_fields:
            if field.name not in ROLES:
                raise unknown("output field for the simulated LM", field.name, ROLES)
        fields = zip(prompt.output_fields, asked.output_fields, strict=True)
        return {own.name: ROLES[known.name](Case(self, gold, asked)) for own, known in fields}

    def skill(self, prompt: Prompt, decision: str = "", right: object = None) -> float:
        """The skill that the prompt's demonstrations teach for the step, up to 1: three good ones teach all there is.

        Of a decision, those teach that show the side which is right here; two are enough. From one side alone nobody
        learns where the other begins: such demonstrations teach nothing where it is right, and the contrary where the
        other is, below 0, as far as -1.
        """
        if not (self.learns and prompt.demonstrations):
            return 0.0
        good = [each for each in prompt.demonstrations if not self.flaw_of(each, prompt)]
        sides = [side for each in good if (side := _side(each, decision)) is not None]
        if not sides:
            return min(1.0, len(good) / ENOUGH_DEMONSTRATIONS)
        same = sides.count(str(right))
        if not same:
            return -min(1.0, len(sides) / ENOUGH_OF_A_SIDE)
        return min(1.0, same / ENOUGH_OF_A_SIDE) if same < len(sides) else 0.0

    def flaw_of(self, demonstration: Demonstration, prompt: Prompt) -> str:
        """The flaw of a demonstration of a prompt's step; empty if it says what a perfect step would."""
        fields = [field.name for field in prompt.output_fields]
        key = digest([fields, demonstration.inputs, demonstration.outputs], size=16)
        if key not in self._flaws:
            gold = self.golds.get(demonstration.inputs.get("question", ""))
            asked = _in_known_names(prompt._replace(inputs=demonstration.inputs, demonstrations=(demonstration,)))
            unknown_question = "it is of a question that the simulation does not know"
            shown = Case(self._without_errors, gold, asked._replace(demonstrations=())) if gold else None
            self._flaws[key] = flaw(shown, asked.demonstrations[0].outputs) if shown else unknown_question
        return self._flaws[key]

    def dump_state(self) -> dict[str, Any]:
        """The gold and the settings."""
        names = ("error_rate", "known", "seed", "distraction", "learns", "latency")
        settings = {name: getattr(self, name) for name in names}
        return {"golds": [list(gold) for gold in self.golds.values()], **settings}

    @classmethod
    def load_state(cls, state: dict[str, Any]) -> Self:
        """The same simulation again."""
        golds = [
            Gold(question, tuple(answers), tuple(pages), tuple(queries), tuple(GoldFact(*fact) for fact in facts))
            for question, answers, pages, queries, facts in state["golds"]
        ]
        return cls(golds, **{name: value for name, value in state.items() if name != "golds"})


def simulated(
    questions: "Iterable[Question]",
    passages: "Iterable[Passage]",
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

    It refuses what cannot be answered, and at its error rate gives another question's answer.

    Args:
        questions: The set; a prompt is recognised by its input `question`.
        passages: The corpus, or any part of it that holds the set's supporting paragraphs.
        error_rate: The share of right answers that are turned into wrong ones.
        latency: Seconds every call takes.
        seed: Another seed, another set of errors.
        known: The share of questions answered right without the passages.
        distraction: The share of itself by which each further passage that is not gold raises the error rate.
        learns: The share of itself by which three good demonstrations of a step lower its error rate; fewer, less. Good
            ones say what follows from their own inputs; those that show only one side of a decision raise the rate
            of the other.
        **options: Passed on to `dspy.LM`.

    Examples:
        >>> import dspy
        >>> from multihop.data import Question
        >>> from multihop.lms import simulated
        >>> from multihop.retrieval import Passage
        >>> page = Passage("p1", "Ada Lovelace", "She wrote the first program.")
        >>> question = Question(id="q1", question="Who wrote it?", answers=("Ada",), supporting=("p1",))
        >>> lm = simulated([question], [page], error_rate=0.0)
        >>> with dspy.context(lm=lm):
        ...     read = dspy.Predict("passages: list[str], question -> answer")
        ...     read(passages=[str(page)], question="Who wrote it?").answer
        'Ada'
        >>> lm.model
        'multihop/simulated-error0-known0.25-seed0-32f4497e'
    """
    from ...data.gold import read_gold

    known_questions = list(questions)
    needed = {identifier for question in known_questions for identifier in question.supporting}
    pages = {passage.id: passage for passage in passages if passage.id in needed}
    for question in known_questions:
        if missing := [identifier for identifier in question.supporting if identifier not in pages]:
            raise MismatchError(
                f"the passages lack '{missing[0]}', which supports '{question.question}'; give the set's own corpus."
            )
    paths = {path.question.id: path for path in read_gold(_as_searched(known_questions, pages), pages).paths}
    golds = [_gold(question, paths.get(question.id), pages) for question in known_questions]
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


def _as_searched(questions: "Iterable[Question]", pages: "Mapping[str, Passage]") -> "Iterator[Question]":
    """The questions with the paragraphs that are searched in place of their own, where those are others."""
    for question in questions:
        own = {page.id: page for page in question.passages}
        same = all(own.get(name) == pages[name] for name in question.supporting)
        yield question if same else replace(question, passages=(), sentences=())


def _gold(question: "Question", path: "GoldPath | None", pages: "Mapping[str, Passage]") -> Gold:
    """The gold of a question, as the simulation remembers it.

    A gold paragraph is found by its title, with the sub-question where the set itself tells one: in the set's own
    words, so that studies do not depend on how gold is read.
    """
    gold = [pages[name] for name in question.supporting]
    words = {hop.passage: hop.question for hop in reversed(question.decomposition) if hop.question}
    return Gold(
        question.question,
        tuple(question.answers) if question.answerable else (NO_ANSWER,),
        tuple(map(str, gold)),
        tuple(f"{words.get(page.id, '')} {page.title or page}".strip() for page in gold),
        tuple(
            GoldFact(hop.sub_question, hop.answer, hop.sentence, str(hop.passage))
            for hop in (path.hops if path else ())
        ),
    )


def _in_known_names(prompt: Prompt) -> Prompt:
    """The prompt, and what its demonstrations say, with each output under the name of the known output that it is."""
    known = {field.name: known_output(field) or field.name for field in prompt.output_fields}
    return prompt._replace(
        output_fields=tuple(field._replace(name=known[field.name]) for field in prompt.output_fields),
        demonstrations=tuple(
            each._replace(outputs={known.get(name, name): value for name, value in each.outputs.items()})
            for each in prompt.demonstrations
        ),
    )


def _side(demonstration: Demonstration, decision: str) -> str | None:
    """The side of a decision that a demonstration shows; to finish means enough is found, an empty summary nothing."""
    outputs = demonstration.outputs
    if decision == "summary" and decision in outputs:
        return str(not says_nothing(str(outputs[decision])))
    if decision == "enough" and decision not in outputs and "action" in outputs:
        return str(outputs["action"] == "finish")
    return str(outputs[decision]) if decision in outputs else None
