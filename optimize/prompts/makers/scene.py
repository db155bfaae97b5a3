"""A question with its gold path and with what the retriever finds at each state on the way: what makers work from."""

import random
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from ....data.gold import GoldHop, GoldPath
from ....data.gold.whole_words import as_written, occurrences, unaccented
from ....programs.shared.evidence import wording
from ....retrieval import Passage, Retriever
from ....retrieval.wrapped.results import read_rankings
from .rephrasing import fact, keywords, quote
from .rivals import rival

SHOWN = 5
"""Passages of one search that a demonstration shows."""
_LEFT = 4
"""Passages that a search in vain shows at least, so that their number tells nothing."""
_DEPTH = 15
"""Passages of one search to look through for some that do not help."""
State = tuple[int, ...]
"""The places of the hops whose answers are known."""
_ROUGH = re.compile(r"connected with|^Given |^(?:Which|What) of [A-Z]")
_ASKS = re.compile(r"(?:\w+ )?(?:who|whom|whose|what|which|when|where|how)\b", re.IGNORECASE)
_LONGEST_FORM, _LONGEST_OTHER = 20, 13
"""Words of a rule's sub-question that begins as a question, and of one that ends as one."""
_NAME = re.compile(r"(?<=\w )[^\W\d_a-zà-þ][\w.-]*\w|\d+")
"""A word with a capital that does not begin the sentence, or a number."""


class MadeStep(NamedTuple):
    """One example of a step."""

    fields: dict[str, Any]
    """Inputs and outputs, with reasoning for steps that give it; more than one signature may need."""
    decision: str
    """The decision of the step that it shows."""


@dataclass(frozen=True)
class Maker:
    """A maker of examples for one signature."""

    decisions: tuple[str, ...]
    """The decisions that the step chooses between; where not all can be shown alike, the first ones come first."""
    rows: Callable[["StagedQuestion"], Iterator[MadeStep]]
    optional: frozenset[str] = frozenset()
    """Decisions that not every set has: states rather than verdicts."""


@dataclass(frozen=True)
class StagedQuestion:
    """A question's gold path, and what each query on it finds."""

    path: GoldPath
    rankings: Mapping[str, Sequence[Passage]]
    """By query, best first."""
    rival: str
    """A wrong answer of the right kind."""
    aside: GoldHop
    """A hop of another question."""
    chain: bool = False
    """True if the program shows a review all that it found so far, and not one path of a tree."""

    @property
    def question(self) -> str:
        """The text of the question."""
        return self.path.question.question

    @property
    def answer(self) -> str:
        """Its main answer."""
        return self.path.answer

    @property
    def hops(self) -> tuple[GoldHop, ...]:
        """The way to it."""
        return self.path.hops

    @cached_property
    def final(self) -> str:
        """The answer as the gold passages write it, or as it is where they do not hold it."""
        written = next((text for page in self.path.passages if (text := as_written(str(page), self.answer))), "")
        if not written and not self.path.compares:
            return self.hops[-1].answer
        return self.answer

    @property
    def is_yes_or_no(self) -> bool:
        """True if the answer is a verdict, which no passage holds as a word."""
        return self.answer.lower() in ("yes", "no")

    @cached_property
    def states(self) -> list[State]:
        """Every set of hops that can be known at some time, the empty one too: no hop without those it needs."""
        places = range(len(self.hops))
        subsets = [each for size in range(len(places) + 1) for each in combinations(places, size)]
        return [state for state in subsets if all(set(self.hops[n].needs) <= set(state) for n in state)]

    @cached_property
    def partial(self) -> list[State]:
        """The states in which something is still unknown, and nothing that is known is the answer already."""
        return [
            state
            for state in self.states
            if not self.complete(state) and not any(self.gives_away(self.hops[n].answer) for n in state)
        ]

    @property
    def whole(self) -> State:
        """The state in which every hop is known."""
        return tuple(range(len(self.hops)))

    def known(self, state: State) -> list[GoldHop]:
        """The hops of the state."""
        return [self.hops[n] for n in state]

    def complete(self, state: Collection[int]) -> bool:
        """True if every hop is known."""
        return len(state) == len(self.hops)

    def known_in(self, passages: Iterable[Passage], known: Collection[int] = ()) -> State:
        """The hops that the passages tell, beside those known already: no hop without those it needs."""
        shown = {passage.id for passage in passages}
        found = set(known)
        for place, hop in enumerate(self.hops):
            if hop.passage.id in shown and set(hop.needs) <= found:
                found.add(place)
        return tuple(sorted(found))

    def pages(self, state: State) -> list[Passage]:
        """The gold passages of the hops, each once, in their order."""
        return list({self.hops[n].passage.id: self.hops[n].passage for n in state}.values())

    def open_hops(self, state: Collection[int]) -> list[GoldHop]:
        """The hops that can be asked for now, in words that give nothing away."""
        return [
            hop
            for n, hop in enumerate(self.hops)
            if n not in state and set(hop.needs) <= set(state) and self._can_be_asked(hop, state)
        ]

    def next_hop(self, state: Collection[int]) -> GoldHop | None:
        """The first of them; None where nothing can be asked for."""
        return next(iter(self.open_hops(state)), None)

    def _can_be_asked(self, hop: GoldHop, state: Collection[int]) -> bool:
        """True if the sub-question is not the question again, and names no answer that is still to be found."""
        ahead = [each.answer for n, each in enumerate(self.hops) if n not in state]
        hidden = [answer for answer in ahead if not occurrences(self.question, [answer])]
        if not self.asks_less(hop) or occurrences(hop.sub_question, hidden) or self.gives_away(hop.sub_question):
            return False
        return self.names_known(hop.sub_question, [each.answer for each in self.known(tuple(state))])

    def names_known(self, text: str, known: Iterable[str] = ()) -> bool:
        """True if every name and number of the text is in the question, or in what is known beside it."""
        shown = unaccented(" ".join([self.question, *known])).casefold()
        return all(unaccented(name).casefold() in shown for name in _NAME.findall(text))

    def asks_less(self, hop: GoldHop) -> bool:
        """True if the hop asks for less than the whole question, in words that a person could have written."""
        return wording(hop.sub_question) != wording(self.question) and not (hop.by_rule and is_rough(hop.sub_question))

    @cached_property
    def rough(self) -> bool:
        """True if a rule found no good words for a hop, or has an earlier hop arrive at the answer."""
        return not all(map(self.asks_less, self.hops)) or any(self.gives_away(hop.answer) for hop in self.hops[:-1])

    def holds(self, answer: str, texts: Iterable[str]) -> bool:
        """True if one of the texts has the answer in it, as whole words."""
        return any(as_written(text, answer) for text in texts)

    def gives_away(self, text: str) -> bool:
        """True if the text holds the final answer, and the question does not."""
        if self.is_yes_or_no:
            return False
        answers = [
            answer for answer in (self.final, *self.path.question.answers) if not as_written(self.question, answer)
        ]
        return any(as_written(text, answer) for answer in answers)

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
        """The best that the query finds of what does not help: near to the point, and beside it."""
        if query not in self._beside:
            self._beside[query] = [page for page in self.rankings.get(query, ()) if self.is_beside(page)]
        return self._beside[query][:count]

    def found_in_vain(self, query: str) -> list[Passage]:
        """The same where it is about as long as what the query really finds; empty where too little is left."""
        beside = self.missed(query)
        return beside if len(beside) >= min(_LEFT, len(self.found(query)) - 1) else []

    @cached_property
    def _beside(self) -> dict[str, list[Passage]]:
        """The passages that were looked through already, by query."""
        return {}

    def is_beside(self, page: Passage) -> bool:
        """True if a passage is no gold, holds no answer of any hop, and is about no thing that the question names."""
        gold = self.path.passages
        if any(page.id == each.id or page.text == each.text for each in gold) or page.is_named_in(self.question):
            return False
        if any(page.title and page.title == each.title for each in gold):
            return False
        answers = [hop.answer for hop in self.hops] + list(self.path.question.answers)
        text = str(page).casefold()
        near = [each for each in answers if max(each.casefold().split(), key=len, default="").strip(",.") in text]
        return not occurrences(str(page), [each for each in near if each.lower() not in ("yes", "no")])

    def reason(self, state: Collection[int], aim: GoldHop | None = None, *, shown: Iterable[str] = ()) -> str:
        """The known facts, and what follows from them or is to be found next: nothing of what is still ahead.

        A fact that stands in one of the texts shown to the step is quoted. Models copy the form of what they see, and a
        small one that sees facts in other words fills that form with what it makes up.
        """
        text = "\n".join(shown)
        hops = [self.hops[n] for n in sorted(state)]
        known = list(dict.fromkeys(quote(hop) if hop.sentence in text else fact(hop) for hop in hops))
        if self.complete(state):
            return " ".join([*known, self.verdict])
        if aim is None:
            return " ".join(known or ["Nothing here helps to answer the question."])
        return " ".join([*known, f"Still to be found: {aim.sub_question}"])

    @property
    def verdict(self) -> str:
        """The last sentence of every line of thought."""
        return f"So the answer is {self.final.rstrip('.')}."

    def draw(self, what: str) -> random.Random:
        """A random generator, seeded by the question and the purpose."""
        return random.Random(f"{self.path.question.id} {what}")


def is_rough(sub_question: str) -> bool:
    """True if a rule's sub-question is not one that a person would ask.

    Examples:
        >>> from multihop.optimize.prompts.makers.scene import is_rough
        >>> is_rough("Who wrote Emma?"), is_rough("Which of Emma?"), is_rough("Who or what is Emma connected with?")
        (False, True, True)
    """
    words = len(sub_question.split())
    return bool(_ROUGH.search(sub_question)) or words > (_LONGEST_FORM if _ASKS.match(sub_question) else _LONGEST_OTHER)


def set_scenes(paths: Sequence[GoldPath], retriever: Retriever, *, chain: bool = False) -> list[StagedQuestion]:
    """A scene for each path; all queries of all paths are searched for at once.

    Args:
        paths: The paths that `read_gold` reads.
        retriever: The retriever whose findings are shown.
        chain: True if the program shows a review all that it found so far.
    """
    queries = list(dict.fromkeys(query for path in paths for query in _queries(path)))
    found = retriever.search(queries, _DEPTH) if queries else []
    rankings = {
        query: [hit.passage for hit in hits]
        for query, hits in zip(queries, read_rankings(found, len(queries), type(retriever).__name__), strict=True)
    }
    scenes = []
    for place, path in enumerate(paths):
        own = {query: rankings[query] for query in _queries(path)}
        other = paths[(place + 1) % len(paths)]
        scenes.append(StagedQuestion(path, own, rival(paths, place, own[path.question.question]), other.hops[0], chain))
    return scenes


def _queries(path: GoldPath) -> list[str]:
    """Everything that a program may search for on the way: the question, sub-questions, their words, and thoughts."""
    questions = [path.question.question, *(hop.sub_question for hop in path.hops)]
    return [*questions, *map(keywords, questions), *(fact(hop) for hop in path.hops)]
