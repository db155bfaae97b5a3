"""Paths of paragraphs reviewed: enough, to be searched further, or leading nowhere; and the missing paragraph."""

from collections.abc import Iterator, Sequence

from ....data.gold import GoldHop
from ....retrieval import Passage
from .rephrasing import fact, keywords, quote
from .scene import MadeStep, Maker, StagedQuestion, State

ACCEPT, REJECT, SEARCH = "accept", "reject", "search on"


def review_paths(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Paths as the program meets them: one paragraph after the other, or all that was found so far."""
    yield from _reviews_of_all(scene) if scene.chain else _reviews_of_paths(scene)


def _reviews_of_paths(scene: StagedQuestion) -> Iterator[MadeStep]:
    for state in scene.states[1:]:
        path = scene.pages(state)
        if scene.known_in(path) != state:
            continue
        aim = scene.next_hop(state)
        yield from _review(scene, path, state, aim)
        beside = scene.missed(aim.sub_question if aim else scene.question, 1)
        if aim and beside:
            yield from _review(scene, [*path, *beside], state, aim)
    for page in scene.missed(scene.question, 3):
        yield from _review(scene, [page], (), scene.next_hop(()))


def _reviews_of_all(scene: StagedQuestion) -> Iterator[MadeStep]:
    """All that was found in each state: the paragraphs that help, and others beside them."""
    for state in scene.states:
        path = _with_pages(scene.missed(scene.question), scene.pages(state))
        if scene.known_in(path) == state:
            yield from _review(scene, path, state, scene.next_hop(state))


def _with_pages(found: Sequence[Passage], pages: Sequence[Passage]) -> list[Passage]:
    """The pages first, as far as retrievers rank them high, then the others."""
    return [*pages, *found][: max(len(found), len(pages))]


def _review(scene: StagedQuestion, path: Sequence[Passage], state: State, aim: GoldHop | None) -> Iterator[MadeStep]:
    enough = scene.complete(state)
    decision = ACCEPT if enough else SEARCH if state else REJECT
    query = "" if enough else query_for(scene, state, aim)
    if enough or query:
        texts = [str(page) for page in path]
        reasoning = scene.reason(state, aim, shown=texts)
        fields = {
            "question": scene.question,
            "path": texts,
            "relevant": bool(state),
            "enough": enough,
            "analysis": reasoning if enough else "",
            "query": query,
            "reasoning": reasoning,
        }
        yield MadeStep(fields, decision)


def query_for(scene: StagedQuestion, state: State, aim: GoldHop | None) -> str:
    """The next sub-question; where a set tells none, the last name that was found with the words of the question."""
    if aim is not None:
        return aim.sub_question
    names = [hop.answer for hop in scene.known(state)[-1:] if not scene.gives_away(hop.answer)]
    return " ".join([*names, keywords(scene.question)])


def complete_paths(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The missing fact, written from memory, where it is not the answer itself.

    The first paragraph of the way can be missing too: the question often finds the last one at once.
    """
    for state in scene.states[1:-1]:
        path = scene.pages(state)
        if scene.known_in(path) == state:
            for hop in scene.open_hops(state)[:1]:
                yield from _completion(scene, path, state, hop)
    first, last = scene.hops[0], scene.hops[-1]
    if last.needs and last.passage in scene.found(scene.question) and last.passage.id != first.passage.id:
        yield from _completion(scene, [last.passage], scene.whole[-1:], first)


def _completion(scene: StagedQuestion, path: Sequence[Passage], told: State, hop: GoldHop) -> Iterator[MadeStep]:
    """The fact of the hop where the path tells the others in `told`; the answer with it, if it is the last one."""
    information = " ".join(dict.fromkeys([fact(hop), quote(hop)]))
    if not scene.gives_away(information):
        fields = {
            "question": scene.question,
            "path": [str(page) for page in path],
            "information": information,
            "likely_answer": scene.final if scene.complete({*told, scene.hops.index(hop)}) else "",
            "reasoning": f"Still to be found: {hop.sub_question}",
        }
        yield MadeStep(fields, "a missing fact")


_REVIEW = Maker((ACCEPT, REJECT, SEARCH), review_paths)
_COMPLETION = Maker(("a missing fact",), complete_paths)
MAKERS = {
    "JudgePath": _REVIEW,
    "JudgePathAloud": _REVIEW,
    "ReviewPath": _REVIEW,
    "ReviewPathAloud": _REVIEW,
    "CompletePath": _COMPLETION,
    "CompletePathAloud": _COMPLETION,
}
