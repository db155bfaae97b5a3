"""A gold path with what its queries find: the one value that examples of steps are made from.

A *state* is a set of hops that can be known at some time; two halves of a comparison come in either order.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

from ..data.gold import GoldHop, GoldPath
from ..data.names_in_text import as_written, occurrences, unaccented
from ..programs.shared.evidence import wording
from ..retrieval import Passage, Retriever
from ..retrieval.passage import read_rankings

SHOWN = 5
"""Passages of one search that a demonstration shows."""
A_TURN = 3
"""Passages of each search that a demonstration of an agent or a chain shows."""
_LEAST_IN_VAIN = 4
"""Passages that a search in vain shows at least, so that their number tells nothing."""
_DEPTH = 15
"""Passages of one search to look through for some that do not help."""
_NAME = re.compile(r"(?<=\w )[^\W\d_a-zà-þ][\w.-]*\w|\d+")
"""A word with a capital that does not begin the sentence, or a number."""
_LITTLE = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|an?|the|is|was|are|were|did|does|do|of|in|on)", re.I
)
State = tuple[int, ...]
"""The places of the hops that are known."""


class FilledStep(NamedTuple):
    """One example of a step."""

    kind: str
    """The kind of answer that it shows, such as "accept"; demonstrations are balanced over kinds."""
    fields: dict[str, Any]
    """Inputs and outputs, with reasoning for steps that give it; None where gold does not tell what is right."""


Examples = Iterator[FilledStep]


@dataclass(frozen=True)
class SearchedPath:
    """A question's gold path, and what each query on it finds."""

    path: GoldPath
    rankings: Mapping[str, Sequence[Passage]]
    """By query, best first."""
    unrelated: GoldHop | None = None
    """A hop of another question; None where there is no other."""
    chain: bool = False
    """True if the program shows a review all that it found so far, and not one path of a tree."""
    wide: bool = False
    """True for a model that learns from many examples: also of what misleads, which a demonstration need not show."""

    @property
    def question(self) -> str:
        """The text of the question."""
        return self.path.question.question

    @property
    def hops(self) -> tuple[GoldHop, ...]:
        """The hops on the way to the answer."""
        return self.path.hops

    @property
    def is_yes_or_no(self) -> bool:
        """True if the answer is a verdict, which no passage holds as a word."""
        return self.path.answer.lower() in ("yes", "no")

    @cached_property
    def final(self) -> str:
        """The answer as the gold passages write it, or as it is where they do not hold it."""
        written = any(as_written(str(page), self.path.answer) for page in self.path.passages)
        last = "" if written or self.path.compares else self.hops[-1].answer
        return last or self.path.answer

    @cached_property
    def wrong_answer(self) -> str | None:
        """A wrong answer that the gold names: the other verdict, the answer of a hop, or a page; None without one.

        Pages that the question names come first where it compares them, and last where it does not.
        """
        if self.is_yes_or_no:
            return "no" if self.path.answer.lower() == "yes" else "yes"
        right = [self.final, *self.path.question.answers]
        pages = sorted(
            (page.name for page in self.path.passages), key=lambda name: (name in self.question) != self.path.compares
        )
        named = [*(hop.answer for hop in self.hops if not self.path.compares), *pages]
        others = (each for each in named if each and not any(as_written(each, answer) for answer in right))
        return next((each for each in others if not any(as_written(answer, each) for answer in right)), None)

    @property
    def whole(self) -> State:
        """The state in which every hop is known."""
        return tuple(range(len(self.hops)))

    @cached_property
    def states(self) -> list[State]:
        """Every set of hops that can be known at some time, the empty one too: no hop without those it needs."""
        subsets = [each for size in range(len(self.hops) + 1) for each in combinations(self.whole, size)]
        return [state for state in subsets if all(set(self.hops[n].needs) <= set(state) for n in state)]

    @cached_property
    def partial(self) -> list[State]:
        """The states in which something is still unknown, and nothing that is known is the answer already."""
        telling = {n for n, hop in enumerate(self.hops) if self.gives_away(hop.answer or hop.sentence)}
        return [state for state in self.states if state != self.whole and not telling.intersection(state)]

    def known(self, state: Iterable[int]) -> list[GoldHop]:
        """The hops of the state."""
        return [self.hops[n] for n in state]

    def pages(self, state: State) -> list[Passage]:
        """The gold passages of the hops, each once, in their order."""
        return list({hop.passage.id: hop.passage for hop in self.known(state)}.values())

    def known_in(self, passages: Iterable[Passage]) -> State:
        """The hops that the passages tell: no hop without those it needs."""
        shown = {passage.id for passage in passages}
        found: list[int] = []
        for place, hop in enumerate(self.hops):
            if hop.passage.id in shown and set(hop.needs) <= set(found):
                found.append(place)
        return tuple(found)

    def ready(self, state: State) -> list[GoldHop]:
        """The unknown hops that need nothing unknown."""
        return [hop for n, hop in enumerate(self.hops) if n not in state and set(hop.needs) <= set(state)]

    def next_facts(self, state: State) -> list[GoldHop]:
        """The hops whose facts can be known next, without one that says the answer before the end."""
        ends = len(state) == len(self.hops) - 1
        return [hop for hop in self.ready(state) if ends or not self.gives_away(hop.sentence)]

    def open_hops(self, state: State) -> list[GoldHop]:
        """The hops that can be asked for now: by less than the question, in words that name nothing still unknown."""
        known = unaccented(" ".join([self.question, *(hop.answer for hop in self.known(state))])).casefold()
        unknown = [hop.answer for n, hop in enumerate(self.hops) if n not in state]
        hidden = [answer for answer in unknown if not occurrences(self.question, [answer])]
        return [
            hop
            for hop in self.ready(state)
            if self.asks_less(hop)
            and not (occurrences(hop.sub_question, hidden) or self.gives_away(hop.sub_question))
            and all(unaccented(name).casefold() in known for name in _NAME.findall(hop.sub_question))
        ]

    def next_hop(self, state: State) -> GoldHop | None:
        """The first hop that can be asked for now; None where there is none."""
        return next(iter(self.open_hops(state)), None)

    def asks_less(self, hop: GoldHop) -> bool:
        """True if the set tells a sub-question, and it is not the question again."""
        return bool(hop.sub_question) and wording(hop.sub_question) != wording(self.question)

    def gives_away(self, text: str) -> bool:
        """True if the text holds the final answer, and the question does not."""
        right = [] if self.is_yes_or_no else [self.final, *self.path.question.answers]
        return any(as_written(text, answer) and not as_written(self.question, answer) for answer in right)

    def can_read(self, answer: str, texts: Iterable[str]) -> bool:
        """True if the answer stands in the question or one of the texts; a verdict follows from any."""
        return self.is_yes_or_no or any(as_written(text, answer) for text in (self.question, *texts))

    def found(self, query: str, count: int = SHOWN) -> list[Passage]:
        """The passages that the query finds."""
        return list(self.rankings.get(query, ()))[:count]

    def found_with(self, query: str, hop: GoldHop, count: int = SHOWN) -> list[Passage]:
        """The passages that the query finds, with the hop's; it is the last of them where it is ranked lower."""
        found = self.found(query, count)
        if hop.passage in found:
            return found
        return [*[page for page in found if page.id != hop.passage.id][: count - 1], hop.passage]

    def missed(self, query: str, count: int = SHOWN) -> list[Passage]:
        """The best that the query finds of what does not help: no gold, no answer, nothing that the question names."""
        return self._missed.get(query, [])[:count]

    @cached_property
    def _missed(self) -> dict[str, list[Passage]]:
        gold = {text for each in self.path.passages for text in (each.id, each.text, each.title) if text}
        answers = [*(hop.answer for hop in self.hops), *self.path.question.answers]
        named = [each for each in answers if each.lower() not in ("yes", "no")]
        pages = {page for pages in self.rankings.values() for page in pages if not gold & set(page)}
        beside = {page for page in pages if not (page.is_named_in(self.question) or occurrences(str(page), named))}
        return {query: [page for page in pages if page in beside] for query, pages in self.rankings.items()}

    def found_in_vain(self, query: str) -> list[Passage]:
        """Passages that do not help, about as many as the query really finds; none where too few are left."""
        missed = self.missed(query)
        return missed if len(missed) >= min(_LEAST_IN_VAIN, len(self.found(query)) - 1) else []

    @property
    def verdict(self) -> str:
        """The last sentence of every line of thought."""
        return f"So the answer is {self.final.rstrip('.')}."

    def reason(self, state: State, aim: GoldHop | None = None) -> str:
        """The known facts as the passages say them, and what follows or what must be found next.

        Models copy the form of what they see, and a small one that sees facts in other words fills that form with what
        it makes up.
        """
        known = quotes(self.known(state))
        ends = [self.verdict] if state == self.whole else [f"Still to be found: {aim.sub_question}"] if aim else []
        return " ".join([*known, *ends]) or "Nothing here helps to answer the question."

    def shuffled(self, pages: Iterable[Passage]) -> list[str]:
        """The passages as prompts show them, in an order that the question's id draws."""
        texts = list(map(str, pages))
        random.Random(self.path.question.id).shuffle(texts)
        return texts

    def step(self, kind: str, reasoning: str, **fields: Any) -> FilledStep:
        """An example of a step for this question."""
        return FilledStep(kind, {"question": self.question, "reasoning": reasoning, **fields})


def quote(hop: GoldHop) -> str:
    """The sentence of the hop's passage, with the page's name before it where it does not name the page itself."""
    named = not hop.passage.name or hop.passage.is_named_in(hop.sentence)
    return hop.sentence if named else f"{hop.passage.name}: {hop.sentence}"


def quotes(hops: Iterable[GoldHop]) -> list[str]:
    """The quotes of some hops, each once."""
    return list(dict.fromkeys(map(quote, hops)))


def keywords(question: str) -> str:
    """The words of a question to search with: all except the littlest."""
    return " ".join(word for word in question.rstrip("?").split() if not _LITTLE.fullmatch(word))


def search_paths(
    paths: Sequence[GoldPath], retriever: Retriever | None, *, chain: bool = False, wide: bool = False
) -> list[SearchedPath]:
    """Each path with what its queries find, which is nothing without a retriever; all are searched for at once."""
    queries = list(dict.fromkeys(query for path in paths for query in _queries(path)))
    rankings: dict[str, list[Passage]] = {}
    if retriever is not None:
        found = read_rankings(retriever.search(queries, _DEPTH), len(queries), type(retriever).__name__)
        rankings = {query: [hit.passage for hit in hits] for query, hits in zip(queries, found, strict=True)}
    searched = []
    for place, path in enumerate(paths):
        others = (*paths[place + 1 :], *paths[:place])
        unrelated = next((other.hops[0] for other in others if other.tells_hops == path.tells_hops), None)
        own = {query: rankings.get(query, []) for query in _queries(path)}
        searched.append(SearchedPath(path, own, unrelated, chain, wide))
    return searched


def _queries(path: GoldPath) -> list[str]:
    """Everything that a program may search for on the way: the question, sub-questions, their words, and facts."""
    asked = [path.question.question, *(hop.sub_question for hop in path.hops if hop.sub_question)]
    return [*asked, *map(keywords, asked), *map(quote, path.hops)]


@dataclass(frozen=True)
class GoldStep:
    """The way in which gold teaches one signature."""

    kinds: tuple[str, ...]
    """The kinds of answers that the step chooses between; where not all can be shown alike, the first come first."""
    examples: Callable[[SearchedPath], Examples]
    optional: frozenset[str]
    """Kinds that not every set has: states rather than verdicts."""
    needs_hops: bool
    """True if it needs questions whose set tells their sub-questions."""


GOLD_STEPS: dict[str, GoldStep] = {}
"""The ways in which gold teaches signatures, by their names; gold_chains.py and gold_agents.py fill it."""


def teaches(
    *names: str, kinds: Sequence[str], optional: Sequence[str] = (), needs_hops: bool = False, **options: Any
) -> Callable[[Callable[..., Examples]], Callable[..., Examples]]:
    """Decorates the function that makes the examples of these signatures, called with these options."""

    def register(make: Callable[..., Examples]) -> Callable[..., Examples]:
        step = GoldStep(tuple(kinds), partial(make, **options), frozenset(optional), needs_hops)
        GOLD_STEPS.update(dict.fromkeys(names, step))
        return make

    return register
