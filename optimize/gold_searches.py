"""The steps of agents and of searches: act, reflect, think, score, and candidate answers."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ..data.gold import GoldHop
from ..programs.shared.actions import Finish, Search
from ..programs.shared.path import PathStep
from ..retrieval import Passage
from .gold_chains import mixed, notes, thought_before, turns
from .searched_gold import A_TURN, MadeStep, Maker, Scene, State, keywords, quote, quotes

FINISH, ON, START = "finish", "search on", "the first search"
GUESS, IN_VAIN = "a guess", "a search in vain"
ARRIVES, SHOWS, LACKS = "arrives at the answer", "states a fact", "says what is missing"
HIGH, LOW, MIDDLE = "a high score", "a low score", "a middling score"
RIGHT, WRONG = "right", "wrong"
_LOW_TO, _HIGH_FROM = 3, 8
UNPROVEN = 8
"""The score of a way on which everything is found, and the answer not said yet."""
NOTHING_FOUND = 5
"""The score of the right sub-question that found nothing."""


def act(scene: Scene, *, tree: bool = False) -> Iterator[MadeStep]:
    """The next turn of an agent: a search, or to finish. In a tree it searches with a few words, without thoughts."""
    written = tree_turns if tree else turns
    for state in [*scene.partial, scene.whole]:
        known, ends, aim = scene.known(state), state == scene.whole, scene.next_hop(state)
        searches = [str(Search(keywords(hop.sub_question))) for hop in scene.open_hops(state)]
        actions = [str(Finish(scene.final))] if ends else searches
        query = aim.sub_question if aim else ""
        fields = {
            "history": written(scene, known),
            "reflections": [],
            "question": scene.question,
            "thought": thought_before(known, aim) if aim else f"{quote(known[-1])} {scene.verdict}" if ends else None,
            "action": "finish" if ends else "search",
            "query": keywords(query) if tree else query,
            "answer": scene.final if ends else "",
            "number": len(actions),
            "actions": actions or None,
            "reasoning": scene.reason(state, aim),
        }
        yield MadeStep(fields, FINISH if ends else ON if state else START)


def tree_turns(scene: Scene, hops: Sequence[GoldHop]) -> list[str]:
    """Actions with the titles they found, and the passages themselves."""
    queries = [keywords(hop.sub_question) for hop in hops]
    found = [scene.found_with(query, hop, A_TURN) for query, hop in zip(queries, hops, strict=True)]
    return [line for query, pages in zip(queries, found, strict=True) for line in _search_turn(query, pages)]


def _search_turn(query: str, pages: Sequence[Passage]) -> list[str]:
    return [f"{Search(query)} -> {'; '.join(page.title or page.id for page in pages)}", *map(str, pages)]


def reflect(scene: Scene) -> Iterator[MadeStep]:
    """The mistakes where the agent guessed, and where its search found nothing."""
    whole = keywords(scene.question)
    beside = scene.missed(whole, A_TURN)
    for state in scene.partial:
        known, aim = tree_turns(scene, scene.known(state)), scene.next_hop(state)
        if aim and scene.rival:
            text = f"The answer was a guess: nothing found so far says this: {aim.sub_question} Search for that first."
            yield _reflection(scene, [*known, f"{Finish(scene.rival)} -> {scene.rival}"], text, GUESS)
        if aim and beside:
            text = (
                "The last search asked for everything at once and found nothing that helps. Search for one fact at a "
                f"time, next for this: {aim.sub_question}"
            )
            yield _reflection(scene, [*known, *_search_turn(whole, beside)], text, IN_VAIN)


def _reflection(scene: Scene, history: list[str], text: str, decision: str) -> MadeStep:
    fields = {"history": history, "question": scene.question, "reflection": text, "reasoning": text}
    return MadeStep(fields, decision)


def think(scene: Scene) -> Iterator[MadeStep]:
    """The next sentence at each state: a fact with its passage among those shown, and what is missing without it."""
    for state in scene.partial:
        aim, arrives = scene.next_hop(state), len(state) == len(scene.hops) - 1
        end = f", so the answer is {scene.final.rstrip('.')}."
        facts = [
            (quote(hop).rstrip(".") + end if arrives else quote(hop), [hop.passage]) for hop in scene.next_facts(state)
        ]
        lacks: list[tuple[str, list[Passage]]] = (
            [(f"What is still missing is this: {aim.sub_question}", [])] if aim else []
        )
        for thought, more in [*facts[:1], *lacks]:
            pages, earlier = _shown(scene, state, more), quotes(scene.known(state))
            fields = {
                "passages": list(map(str, pages)),
                "thoughts": earlier,
                "question": scene.question,
                "thought": thought,
                "enough": bool(arrives and more),
                "reasoning": " ".join([*earlier, thought]),
            }
            if more or scene.known_in(pages) == state:
                yield MadeStep(fields, LACKS if not more else ARRIVES if arrives else SHOWS)


def _shown(scene: Scene, state: State, more: list[Passage]) -> list[Passage]:
    """The passages that the question and the thoughts so far have found: those that help, and others."""
    beside = scene.missed(scene.question, A_TURN)
    for hop in scene.known(state)[-1:]:
        beside += scene.missed(quote(hop), A_TURN - 1)
    return list(dict.fromkeys([*beside[:1], *scene.pages(state), *more, *beside[1:]]))


def propose_thoughts(scene: Scene) -> Iterator[MadeStep]:
    """Several thoughts: facts that can be known next, what to find out next, and the answer once it follows."""
    for state in [*scene.partial, scene.whole]:
        known, ends = scene.known(state), state == scene.whole
        facts = [text for text in quotes(scene.next_facts(state)) if not scene.gives_away(text)]
        ways = [f"Next I need to find out: {hop.sub_question}" for hop in scene.open_hops(state)]
        thoughts = [scene.verdict] if ends else [*facts, *ways] if facts else None
        fields = {
            "history": line_of(scene, known),
            "number": len(thoughts or ()),
            "question": scene.question,
            "thoughts": thoughts,
            "reasoning": " ".join(quotes(known)) or "Nothing is known yet.",
        }
        yield MadeStep(fields, ARRIVES if ends else SHOWS)


def line_of(scene: Scene, hops: Sequence[GoldHop]) -> list[str]:
    """The facts of the hops, each with what is found for it, where anything is searched."""
    lines: list[str] = []
    for hop in hops:
        found = scene.found_with(quote(hop), hop, A_TURN) if scene.found(quote(hop)) else []
        lines += [quote(hop), *map(str, found)]
    return lines


def score(
    scene: Scene,
    written: Callable[[Scene, Sequence[GoldHop]], list[str]],
    said: Callable[[Scene, str], str] | None = None,
) -> Iterator[MadeStep]:
    """How much of the way a history is; one that ends with a guess, or is beside the way, counts for nothing.

    Args:
        scene: The question.
        written: Writes hops as the history shows them.
        said: Writes an answer as the history ends with it, where it does.
    """
    for state in [*scene.partial[1:], scene.whole]:
        known, why = written(scene, scene.known(state)), scene.reason(state, scene.next_hop(state))
        yield _scored(scene, known, (UNPROVEN if said else 10) * len(state) // len(scene.hops), why)
        if said and state == scene.whole:
            yield _scored(scene, [*known, said(scene, scene.final)], 10, why)
        elif said and scene.rival:
            yield _scored(scene, [*known, said(scene, scene.rival)], 0, f"{why} The answer given is a guess.")
    if scene.aside and not said:
        yield _scored(scene, written(scene, [scene.aside]), 0, "That is not about what the question asks.")


def rate_step(scene: Scene) -> Iterator[MadeStep]:
    """The last sub-question of a history: on the way, on the way in vain, or beside it."""
    for state in scene.states[1:]:
        if scene.asks_less(scene.hops[state[-1]]):
            why = "The last sub-question found a fact that the answer rests on."
            yield _scored(scene, notes(scene.known(state)), 10, why)
    for state in scene.partial:
        known, aim = notes(scene.known(state)), scene.next_hop(state)
        if aim:
            why = "The last sub-question asks for what is needed, and finds nothing."
            yield _scored(scene, [*known, str(PathStep(aim.sub_question))], NOTHING_FOUND, why)
        if scene.aside:
            why = "The last sub-question is not about what the question asks."
            yield _scored(scene, [*known, *notes([scene.aside])], 0, why)


def _scored(scene: Scene, history: Sequence[str], points: int, reasoning: str) -> MadeStep:
    decision = LOW if points <= _LOW_TO else HIGH if points >= _HIGH_FROM else MIDDLE
    fields = {"history": list(history), "reflections": [], "question": scene.question, "score": str(points)}
    return MadeStep({**fields, "reasoning": reasoning}, decision)


def propose_candidates(scene: Scene) -> Iterator[MadeStep]:
    """The right answer and one that the passages name too."""
    passages, both = mixed(scene), [scene.final, scene.rival or ""]
    if scene.rival and all(scene.can_read(each, passages) for each in both):
        fields = {"passages": passages, "number": len(both), "question": scene.question, "candidates": both}
        yield MadeStep({**fields, "reasoning": scene.reason(scene.whole)}, "candidates")


def check_candidate(scene: Scene) -> Iterator[MadeStep]:
    """What the passages say for each candidate, and whether it is right."""
    for candidate, summary, valid in _accounts(scene):
        judged = f"The summary {'proves' if valid else 'does not prove'} that the answer is {candidate}."
        shown = {"passages": mixed(scene), "question": scene.question, "candidate": candidate}
        yield MadeStep({**shown, "summary": summary, "valid": valid, "reasoning": judged}, RIGHT if valid else WRONG)


def compare_candidates(scene: Scene) -> Iterator[MadeStep]:
    """Both accounts, in either order."""
    accounts = [(f"{candidate}: {summary}", valid) for candidate, summary, valid in _accounts(scene)]
    for (first, better), (second, _) in [accounts, accounts[::-1]] if len(accounts) > 1 else []:
        reasoning = f"The {'first' if better else 'second'} account proves its answer, the other does not."
        shown = {"first": first, "second": second, "question": scene.question, "first_better": better}
        yield MadeStep({**shown, "reasoning": reasoning}, "the first" if better else "the second")


def _accounts(scene: Scene) -> list[tuple[str, str, bool]]:
    """Each candidate, what the passages say for it, and whether it is right."""
    right = (scene.final, scene.reason(scene.whole), True)
    against = f"The passages do not speak for {scene.rival} as the answer."
    return [right, (scene.rival, against, False)] if scene.rival else [right]


def _thought_said(scene: Scene, answer: str) -> str:
    return f"So the answer is {answer.rstrip('.')}."


def _finish_said(scene: Scene, answer: str) -> str:
    return f"{Finish(answer)} -> {answer}"


def _notes(scene: Scene, hops: Sequence[GoldHop]) -> list[str]:
    return notes(hops)


_ACTS, _SEARCHES = (FINISH, ON, START), frozenset({ON, START})
_ACT_IN_TREE = Maker(_ACTS, partial(act, tree=True), _SEARCHES, told=True)
_SCORES = (HIGH, LOW, MIDDLE)
_SCORE_ACTIONS = Maker(_SCORES, partial(score, written=tree_turns, said=_finish_said), told=True)
_CHECK = Maker((RIGHT, WRONG), check_candidate)
MAKERS = {
    "ThinkAndAct": Maker(_ACTS, act, _SEARCHES, told=True),
    **dict.fromkeys(("ThinkAndActAgain", "ProposeActions"), _ACT_IN_TREE),
    "ReflectOnActions": Maker((GUESS, IN_VAIN), reflect, told=True),
    "ThinkOneSentence": Maker((ARRIVES, SHOWS, LACKS), think, frozenset({SHOWS, LACKS})),
    "ProposeThoughts": Maker((ARRIVES, SHOWS), propose_thoughts, frozenset({SHOWS})),
    "EvaluateHistory": Maker(_SCORES, partial(score, written=_notes), told=True),
    "RateStep": Maker(_SCORES, rate_step, told=True),
    **dict.fromkeys(("EvaluateActions", "EvaluateActionsAgain"), _SCORE_ACTIONS),
    "ValueThoughts": Maker(_SCORES, partial(score, written=line_of, said=_thought_said)),
    "ProposeCandidates": Maker(("candidates",), propose_candidates),
    **dict.fromkeys(("SummarizeForCandidate", "ValidateCandidate"), _CHECK),
    "CompareCandidates": Maker(("the first", "the second"), compare_candidates),
}
