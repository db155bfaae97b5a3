"""The findings so far, as the prompts of each method show them."""

from collections.abc import Iterable, Sequence

from ....data.gold import GoldHop
from ....programs.shared.evidence import Evidence
from ....programs.shared.path import PathStep
from ....retrieval import Passage
from .rephrasing import fact, keywords, quote, result
from .scene import StagedQuestion, State


def short_notes(hops: Iterable[GoldHop]) -> list[str]:
    """Each sub-question with its short answer."""
    return [str(PathStep(hop.sub_question, result=hop.answer)) for hop in hops]


def full_notes(hops: Iterable[GoldHop]) -> list[str]:
    """Each sub-question with its answer in a short sentence."""
    return [str(PathStep(hop.sub_question, result=result(hop))) for hop in hops]


def failed_note(sub_question: str) -> str:
    """A sub-question that found nothing."""
    return str(PathStep(sub_question))


def summary_of(hops: Iterable[GoldHop]) -> str:
    """The sentences that help, each once."""
    return " ".join(dict.fromkeys(quote(hop) for hop in hops))


def memories(scene: StagedQuestion, state: State) -> dict[str, list[str]]:
    """The summaries of each round, and the sub-questions asked: what the question finds needs none."""
    first = first_found(scene, state)
    later = [scene.hops[n] for n in state if n not in first]
    summaries = [summary_of(scene.hops[n] for n in first), *(summary_of([hop]) for hop in later)]
    return {"evidence": [each for each in summaries if each], "pathway": short_notes(later)}


def first_found(scene: StagedQuestion, state: State) -> list[int]:
    """The hops that the question itself finds; of several only the first, for every other question, as if unlucky."""
    first = [n for n in scene.known_in(scene.found(scene.question)) if n in state]
    return first[:1] if scene.draw("luck").random() < 1 / 2 else first


def asked_in(scene: StagedQuestion, state: State) -> list[str]:
    """The question and the sub-questions behind the memories."""
    first = first_found(scene, state)
    return [scene.question, *(scene.hops[n].sub_question for n in state if n not in first)]


def found_on_the_way(scene: StagedQuestion, hops: Iterable[GoldHop], each: int) -> list[Passage]:
    """The passages that the sub-questions of the hops find, each once."""
    pages = [page for hop in hops for page in scene.found_with(hop.sub_question, hop, each)]
    return list({page.id: page for page in pages}.values())


def mixed(scene: StagedQuestion, count: int) -> list[str]:
    """The gold passages among what the question finds beside them, in an order drawn at random."""
    gold = list(scene.path.passages)
    pages = [*gold, *scene.missed(scene.question, max(0, count - len(gold)))]
    scene.draw("mixed").shuffle(pages)
    return [str(page) for page in pages]


def assertion(analysis: str, pages: Sequence[Passage]) -> str:
    """A piece of evidence as readers are shown it."""
    return str(Evidence(analysis, tuple(pages)))


def turns_of_an_agent(scene: StagedQuestion, hops: Sequence[GoldHop]) -> list[str]:
    """Thoughts, searches and what they found."""
    lines: list[str] = []
    for place, hop in enumerate(hops):
        lines += [f"Thought: {thought_before(hops[:place], hop)}", f"Search: {hop.sub_question}"]
        lines += [str(page) for page in scene.found_with(hop.sub_question, hop, PASSAGES_A_TURN)]
    return lines


def thought_before(known: Sequence[GoldHop], aim: GoldHop) -> str:
    """The last thing found, and what it leads to."""
    return " ".join([*(fact(hop) for hop in known[-1:]), f"Next I need to find out: {aim.sub_question}"])


def turns_of_a_tree(scene: StagedQuestion, hops: Iterable[GoldHop]) -> list[str]:
    """Actions with the titles they found, and the passages themselves."""
    return [
        line
        for hop in hops
        for query in [keywords(hop.sub_question)]
        for line in search_turn(query, scene.found_with(query, hop, PASSAGES_A_TURN))
    ]


def search_turn(query: str, pages: Sequence[Passage]) -> list[str]:
    """One search as the history of a tree shows it."""
    titles = "; ".join(page.title or page.id for page in pages)
    return [f"search: {query} -> {titles or 'not found'}", *map(str, pages)]


PASSAGES_A_TURN = 3
"""Passages of each search that a demonstration of an agent shows."""
