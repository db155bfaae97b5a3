"""Lines of thought: the next sentence states a fact, says what is missing, or gives the answer; or several such."""

from collections.abc import Iterator, Sequence

from ....data.gold import GoldHop
from ....retrieval import Passage
from .rephrasing import fact
from .scene import MadeStep, Maker, StagedQuestion, State
from .sub_questions import MOST, ways_on

ARRIVES, SHOWS, LACKS = "arrives at the answer", "states a fact", "says what is missing"
_EACH = 3
"""Passages of each search."""


def thoughts(scene: StagedQuestion) -> Iterator[MadeStep]:
    """From every state: with the passage that leads on, and without it."""
    for state in scene.partial:
        earlier = [fact(hop) for hop in scene.known(state)]
        for hop in scene.open_hops(state) or _last_of(scene, state):
            place = scene.hops.index(hop)
            pages = _shown(scene, state, [hop.passage])
            if place not in scene.known_in(pages, state):
                continue
            ends = scene.complete({*state, place})
            yield _thought(
                scene, pages, earlier, _arriving(scene, fact(hop)) if ends else fact(hop), ARRIVES if ends else SHOWS
            )
            break
        aim = scene.next_hop(state)
        pages = _shown(scene, state, [])
        if aim is not None and scene.known_in(pages, state) == state:
            yield _thought(scene, pages, earlier, f"What is still missing is this: {aim.sub_question}", LACKS)


def _last_of(scene: StagedQuestion, state: State) -> list[GoldHop]:
    """The last hop where it asks the whole question again: it can be thought of all the same."""
    last = len(scene.hops) - 1
    return [scene.hops[last]] if len(state) == last and last not in state else []


def _shown(scene: StagedQuestion, state: State, more: list[Passage]) -> list[Passage]:
    """The passages that the question and the thoughts so far have found: those that help, and others."""
    beside = scene.missed(scene.question, _EACH)
    for hop in scene.known(state)[-1:]:
        beside += scene.missed(fact(hop), _EACH - 1)
    pages = [*beside[:1], *scene.pages(state), *more, *beside[1:]]
    return list({page.id: page for page in pages}.values())


def _arriving(scene: StagedQuestion, sentence: str) -> str:
    """The last fact and the answer in one sentence."""
    return f"{sentence.rstrip('.')}, so the answer is {scene.final.rstrip('.')}."


def _thought(scene: StagedQuestion, pages: list[Passage], earlier: list[str], thought: str, decision: str) -> MadeStep:
    fields = {
        "passages": [str(page) for page in pages],
        "thoughts": earlier,
        "question": scene.question,
        "thought": thought,
        "enough": decision == ARRIVES,
        "reasoning": " ".join([*earlier, thought]),
    }
    return MadeStep(fields, decision)


def line_of(scene: StagedQuestion, hops: Sequence[GoldHop]) -> list[str]:
    """The facts of the hops, each with what is found for it, where anything is searched."""
    lines: list[str] = []
    for hop in hops:
        found = scene.found_with(fact(hop), hop, _EACH) if scene.found(fact(hop)) else []
        lines += [fact(hop), *map(str, found)]
    return lines


def thought_lists(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Several thoughts: facts that can be known next, what to find out next, and the answer once it follows."""
    for state in scene.partial:
        facts = [fact(hop) for hop in scene.open_hops(state)]
        told = [text for text in facts if not scene.gives_away(text)]
        texts = [*told, *(f"Next I need to find out: {way}" for way in ways_on(scene, state))]
        if told and len(texts) > 1:
            yield _list(scene, scene.known(state), list(dict.fromkeys(texts))[:MOST], SHOWS)
    arriving = _arriving(scene, fact(scene.hops[-1]))
    yield _list(scene, scene.hops, [scene.verdict, arriving], ARRIVES)


def _list(scene: StagedQuestion, known: Sequence[GoldHop], texts: list[str], decision: str) -> MadeStep:
    fields = {
        "history": line_of(scene, known),
        "number": len(texts),
        "question": scene.question,
        "thoughts": texts,
        "reasoning": " ".join(fact(hop) for hop in known) or "Nothing is known yet.",
    }
    return MadeStep(fields, decision)


MAKERS = {
    "ThinkOneSentence": Maker((ARRIVES, SHOWS, LACKS), thoughts),
    "ProposeThoughts": Maker((ARRIVES, SHOWS), thought_lists, frozenset({SHOWS})),
}
