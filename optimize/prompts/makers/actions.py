"""Agents: to search, to search again after a search in vain, and to finish; one action, or several to choose from."""

from collections.abc import Iterator

from ....programs.shared.actions import Finish, Search
from .notes import PASSAGES_A_TURN, search_turn, thought_before, turns_of_a_tree, turns_of_an_agent
from .rephrasing import fact, keywords, rephrase
from .scene import MadeStep, Maker, StagedQuestion
from .sub_questions import MOST, queries_on

FINISH, ON, START = "finish", "search on", "the first search"


def turns(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The next turn of an agent that sees its thoughts, its searches and what they found."""
    for state in scene.partial:
        history = turns_of_an_agent(scene, scene.known(state))
        for aim in scene.open_hops(state)[:1]:
            thought = thought_before(scene.known(state), aim)
            yield _search(scene, history, thought, aim.sub_question, ON if state else START)
            in_vain, others = scene.missed(aim.sub_question, PASSAGES_A_TURN), rephrase(aim.sub_question)
            if in_vain and others:
                tried = [*history, f"Thought: {thought}", f"Search: {aim.sub_question}", *map(str, in_vain)]
                yield _search(scene, tried, _IN_VAIN, others[0], ON)
    yield _finish(scene, turns_of_an_agent(scene, scene.hops))


def tree_turns(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same for an agent in a tree: a few words to search for, and lessons from earlier attempts."""
    for state in scene.partial:
        for aim in scene.open_hops(state)[:1]:
            thought = thought_before(scene.known(state), aim)
            history = turns_of_a_tree(scene, scene.known(state))
            row = _search(scene, history, thought, keywords(aim.sub_question), ON if state else START)
            yield MadeStep({**row.fields, "reflections": []}, row.decision)
    row = _finish(scene, turns_of_a_tree(scene, scene.hops))
    yield MadeStep({**row.fields, "reflections": []}, row.decision)


def action_lists(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Several actions: different searches, or to finish and one more search that would make sure."""
    for state in scene.partial:
        if len(queries := queries_on(scene, state)) > 1:
            actions = [str(Search(query)) for query in queries[:MOST]]
            history = turns_of_a_tree(scene, scene.known(state))
            reasoning = scene.reason(state, scene.open_hops(state)[0], shown=history)
            yield _list(scene, history, actions, reasoning, ON if state else START)
    last = scene.hops[-1]
    sure = [str(Search(keywords(f"{last.sub_question} {last.answer}")))] if scene.asks_less(last) else []
    history = turns_of_a_tree(scene, scene.hops)
    yield _list(scene, history, [str(Finish(scene.final)), *sure], scene.reason(scene.whole, shown=history), FINISH)


def reflections(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The mistakes where the agent guessed, and where its search found nothing."""
    for state in scene.partial:
        for aim in scene.open_hops(state)[:1]:
            history = turns_of_a_tree(scene, scene.known(state))
            guess = [f"{Finish(scene.rival)} -> {scene.rival}"]
            text = f"The answer was a guess: nothing found so far says this: {aim.sub_question} Search for that first."
            yield _reflection(scene, [*history, *guess], text, "a guess")
            beside = scene.missed(keywords(scene.question), PASSAGES_A_TURN)
            if beside:
                in_vain = search_turn(keywords(scene.question), beside)
                text = (
                    "The last search asked for everything at once and found nothing that helps. Search for one fact "
                    f"at a time, next for this: {aim.sub_question}"
                )
                yield _reflection(scene, [*history, *in_vain], text, "a search in vain")


_IN_VAIN = "Nothing that was found says this. I will search for it in other words."


def _search(scene: StagedQuestion, history: list[str], thought: str, query: str, decision: str) -> MadeStep:
    acts = {"thought": thought, "action": "search", "query": query, "answer": "", "reasoning": thought}
    return MadeStep({"history": history, "question": scene.question, **acts}, decision)


def _finish(scene: StagedQuestion, history: list[str]) -> MadeStep:
    thought = f"{fact(scene.hops[-1])} {scene.verdict}"
    acts = {"thought": thought, "action": "finish", "query": "", "answer": scene.final}
    reasoning = scene.reason(scene.whole, shown=history)
    return MadeStep({"history": history, "question": scene.question, **acts, "reasoning": reasoning}, FINISH)


def _list(scene: StagedQuestion, history: list[str], actions: list[str], reasoning: str, decision: str) -> MadeStep:
    inputs = {"history": history, "reflections": [], "number": len(actions), "question": scene.question}
    return MadeStep({**inputs, "actions": actions, "reasoning": reasoning}, decision)


def _reflection(scene: StagedQuestion, history: list[str], text: str, decision: str) -> MadeStep:
    fields = {"history": history, "question": scene.question, "reflection": text, "reasoning": text}
    return MadeStep(fields, decision)


_DECISIONS = (FINISH, ON, START)
_SEARCHES = frozenset({ON, START})
MAKERS = {
    "ThinkAndAct": Maker(_DECISIONS, turns, _SEARCHES),
    "ThinkAndActAgain": Maker(_DECISIONS, tree_turns, _SEARCHES),
    "ProposeActions": Maker(_DECISIONS, action_lists, _SEARCHES),
    "ReflectOnActions": Maker(("a guess", "a search in vain"), reflections),
}
