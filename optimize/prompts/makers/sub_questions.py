"""Sub-questions: the next one in every state, several ways on at a time, and a question taken apart at its start."""

from collections.abc import Iterator
from typing import Any

from ....data.gold import GoldHop
from ....data.gold.whole_words import occurrences
from .notes import asked_in, failed_note, full_notes, memories, short_notes
from .rephrasing import describe, keywords, rephrase
from .scene import MadeStep, Maker, StagedQuestion, State

END, LATER, FIRST = "enough", "a later question", "the first question"
MOST = 5
"""Ways on that are named at a time."""
_FEWEST = 2


def memory_plans(scene: StagedQuestion) -> Iterator[MadeStep]:
    """For two memories, with what must not be asked again; after a search in vain, the same in other words."""
    for state, aim in _open_states(scene):
        shown: dict[str, Any] = dict(memories(scene, state))
        asked = asked_in(scene, state)
        yield _plan(scene, state, aim.sub_question, **shown, asked=asked)
        in_vain = aim.passage not in scene.found(aim.sub_question)
        if in_vain and (others := rephrase(aim.sub_question)):
            shown = {**shown, "pathway": [*shown["pathway"], failed_note(aim.sub_question)]}
            yield _plan(scene, state, others[0], **shown, asked=[*asked, aim.sub_question], decision=LATER)


def history_plans(scene: StagedQuestion) -> Iterator[MadeStep]:
    """For a history of answered sub-questions, by a planner that always asks."""
    for state, aim in _open_states(scene):
        yield _plan(scene, state, aim.sub_question, history=full_notes(scene.known(state)))


def own_plans(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same by a planner that asks the question itself once everything is known."""
    yield from history_plans(scene)
    yield _plan(scene, scene.whole, scene.question, history=full_notes(scene.hops), decision=END)


def directed_plans(scene: StagedQuestion) -> Iterator[MadeStep]:
    """For notes, by a planner that also says when everything is known."""
    for state, aim in _open_states(scene):
        yield _plan(scene, state, aim.sub_question, notes=short_notes(scene.known(state)), enough=False, answer="")
    notes = short_notes(scene.hops)
    if scene.is_yes_or_no or scene.holds(scene.final, [scene.question, *notes]):
        yield _plan(scene, scene.whole, "", notes=notes, enough=True, answer=scene.final, decision=END)


def _open_states(scene: StagedQuestion) -> Iterator[tuple[State, GoldHop]]:
    """The states from which a sub-question leads on, with the first that does."""
    return ((state, hops[0]) for state in scene.partial if (hops := scene.open_hops(state)))


def _plan(scene: StagedQuestion, state: State, sub_question: str, *, decision: str = "", **fields: Any) -> MadeStep:
    aim = scene.next_hop(state)
    reasoning = scene.reason(state, aim, shown=fields.get("evidence", ()))
    asked = {"question": scene.question, "sub_question": sub_question, "reasoning": reasoning}
    return MadeStep({**fields, **asked}, decision or (LATER if state else FIRST))


def ways_on(scene: StagedQuestion, state: State) -> list[str]:
    """Sub-questions that are possible now: every hop that can be asked for, each in other words, what it is about."""
    hops = scene.open_hops(state)
    others = (rephrase(hop.sub_question) for hop in hops)
    texts = [*(hop.sub_question for hop in hops), *(text for wordings in others for text in wordings)]
    texts += [f"Who or what is {hop.passage.name}?" for hop in hops if hop.passage.is_named_in(hop.sub_question)]
    return list(dict.fromkeys(texts))[:MOST]


def proposals(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Different ways on from each state, as many as are asked for."""
    for state in scene.partial:
        ways = ways_on(scene, state)
        if len(ways) >= _FEWEST:
            fields = {
                "history": full_notes(scene.known(state)),
                "number": len(ways),
                "question": scene.question,
                "sub_questions": ways,
                "reasoning": scene.reason(state, scene.open_hops(state)[0]),
            }
            yield MadeStep(fields, LATER if state else FIRST)


def own_proposals(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The same; once everything is known, the question itself."""
    yield from proposals(scene)
    asked = {"history": full_notes(scene.hops), "number": 1, "question": scene.question}
    yield MadeStep({**asked, "sub_questions": [scene.question], "reasoning": scene.reason(scene.whole)}, END)


def split_questions(scene: StagedQuestion) -> Iterator[MadeStep]:
    """All sub-questions at once: an answer that is not known yet is described in its place."""
    texts = [_described(scene, hop) for hop in scene.hops]
    if all(texts) and len(texts) > 1:
        reasoning = f"It takes {len(texts)} steps."
        yield MadeStep({"question": scene.question, "sub_questions": texts, "reasoning": reasoning}, "a split")


def _described(scene: StagedQuestion, hop: GoldHop) -> str:
    """The sub-question with a description of each answer that it needs; empty where none can be made."""
    text = hop.sub_question
    for place in reversed(hop.needs):
        needed = scene.hops[place]
        spans = occurrences(text, [needed.answer])
        description = describe(_described(scene, needed))
        if not spans or not description:
            return ""
        for start, end in reversed(spans):
            text = f"{text[:start]}{description}{text[end:]}"
    hidden = [each.answer for each in scene.hops if not occurrences(scene.question, [each.answer])]
    return "" if occurrences(text, hidden) or scene.gives_away(text) or not scene.names_known(text) else text


def queries_on(scene: StagedQuestion, state: State) -> list[str]:
    """Ways on as queries of a few words."""
    return list(dict.fromkeys(keywords(text) for text in ways_on(scene, state)))


_QUESTIONS = frozenset({LATER, FIRST})
_DIRECTED = Maker((END, LATER, FIRST), directed_plans, _QUESTIONS)
MAKERS = {
    "PlanSubQuestion": Maker((LATER, FIRST), memory_plans, _QUESTIONS),
    "PickSubQuestion": _DIRECTED,
    "AskFollowUp": _DIRECTED,
    "NextSubQuestion": Maker((LATER, FIRST), history_plans, _QUESTIONS),
    "AskOwnQuestion": Maker((END, LATER, FIRST), own_plans, _QUESTIONS),
    "ProposeSubQuestions": Maker((LATER, FIRST), proposals, _QUESTIONS),
    "AskOwnQuestions": Maker((END, LATER, FIRST), own_proposals, _QUESTIONS),
    "SplitQuestion": Maker(("a split",), split_questions),
}
