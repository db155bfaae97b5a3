"""An LM that knows a question set's answers and errs at a given rate: for studies of control flow and speed."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self

from ...base import InputError, MismatchError, unknown
from ...base.titled_text import split_title
from ..engine import Engine, as_lm
from ..prompt import Demonstration, Prompt
from .case import Case, Gold, Sure, digest, kind_of_answer
from .roles import ROLES

if TYPE_CHECKING:
    import dspy

ENOUGH_DEMONSTRATIONS = 3


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


class KnownPassage(Protocol):
    """What the simulation needs of a passage; as `str` it is what prompts show."""

    @property
    def id(self) -> str:
        """By which the set names its paragraphs."""
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
        return digest(sorted(self.golds.values()), size=4).hex()

    @cached_property
    def answers_by_kind(self) -> dict[str, list[str]]:
        """Every main answer of the set, by rough kind: where wrong answers come from."""
        kinds: dict[str, set[str]] = {}
        for gold in self.golds.values():
            kinds.setdefault(kind_of_answer(gold.answers[0]), set()).add(gold.answers[0])
        return {kind: sorted(answers) for kind, answers in kinds.items()}

    def reply(self, prompt: Prompt) -> dict[str, Any]:
        """A value for every output field, from the gold and the seeded dice."""
        question = prompt.inputs.get("question")
        gold = self.golds.get(question) if isinstance(question, str) else None
        if gold is None:
            raise MismatchError(
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
        case = Case(Sure(self), gold, prompt._replace(inputs=demonstration.inputs, demonstrations=()))
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


def simulated(
    questions: Iterable[KnownQuestion],
    passages: Iterable[KnownPassage],
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
            raise MismatchError(
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
    return f"{asked} {split_title(shown)[0] or shown}".strip()
