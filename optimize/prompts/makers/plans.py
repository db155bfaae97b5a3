"""The next sub-question in every state: the first, a later one, another wording of one that found nothing, or none."""

from collections.abc import Iterator
from typing import Any

from ....data.gold import GoldHop
from .notes import asked_in, failed_note, full_notes, memories, short_notes
from .rephrasing import rephrase
from .scene import MadeStep, Maker, StagedQuestion, State

END, LATER, FIRST = "enough", "a later question", "the first question"


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
    aim = next(iter(scene.open_hops(state)), None)
    asked = {"question": scene.question, "sub_question": sub_question, "reasoning": scene.reason(state, aim)}
    return MadeStep({**fields, **asked}, decision or (LATER if state else FIRST))


QUESTIONS = frozenset({LATER, FIRST})
MEMORY_PLAN = Maker((LATER, FIRST), memory_plans, QUESTIONS)
HISTORY_PLAN = Maker((LATER, FIRST), history_plans, QUESTIONS)
OWN_PLAN = Maker((END, LATER, FIRST), own_plans, QUESTIONS)
DIRECTED_PLAN = Maker((END, LATER, FIRST), directed_plans, QUESTIONS)
