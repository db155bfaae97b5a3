"""Scores from 0 to 10: how far a history leads, how useful its last step is, how likely actions end in the answer."""

from collections.abc import Callable, Iterator, Sequence

from ....data.gold import GoldHop
from ....programs.shared.actions import Finish
from .notes import PASSAGES_A_TURN, failed_note, full_notes, search_turn, turns_of_a_tree
from .rephrasing import keywords, rephrase
from .scene import MadeStep, Maker, StagedQuestion, State
from .thoughts import line_of

HIGH, LOW, MIDDLE = "a high score", "a low score", "a middling score"
_LOW_TO, _HIGH_FROM = 3, 8
UNPROVEN = 8
"""Everything is found, and not yet said."""
NOTHING_FOUND = 5
"""The right thing was asked for, and not found."""


def history_scores(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The share of the way that is behind; sub-questions that lead elsewhere or find nothing count for nothing."""
    for state in [*scene.partial[1:], scene.whole]:
        yield _scored(scene, full_notes(scene.known(state)), _share(scene, state, 10), _why(scene, state))
    start = scene.next_hop(())
    aside = full_notes([scene.aside])
    yield _scored(scene, aside, 0, "That is not about what the question asks.")
    if start is not None:
        yield _scored(scene, [failed_note(start.sub_question)], 0, "Nothing was found so far.")


def ratings(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The last sub-question of a history: on the way, on the way in vain, beside it, or asked before."""
    for state in scene.states[1:]:
        known = scene.known(state)
        if scene.asks_less(known[-1]):
            yield _scored(scene, full_notes(known), 10, "The last sub-question found a fact that the answer rests on.")
    for state in scene.partial:
        for aim in scene.open_hops(state)[:1]:
            history = [*full_notes(scene.known(state)), failed_note(aim.sub_question)]
            yield _scored(
                scene, history, NOTHING_FOUND, "The last sub-question asks for what is needed, and finds nothing."
            )
        history = [*full_notes(scene.known(state)), *full_notes([scene.aside])]
        yield _scored(scene, history, 0, "The last sub-question is not about what the question asks.")
        for last in scene.known(state)[-1:]:
            for again in rephrase(last.sub_question)[:1]:
                repeated = [*full_notes(scene.known(state)), *full_notes([last._replace(sub_question=again)])]
                yield _scored(scene, repeated, 0, "The last sub-question asks for what was known already.")


def action_scores(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Ends that are proven, guessed or wrong, and searches that have found all, a part, or nothing."""
    guess, end = (f"{Finish(answer)} -> {answer}" for answer in (scene.rival, scene.final))
    yield from _ways_and_ends(scene, turns_of_a_tree, guess, end)
    if beside := scene.missed(keywords(scene.question), PASSAGES_A_TURN):
        yield _scored(scene, search_turn(keywords(scene.question), beside), 0, "Nothing that was found helps.")


def thought_scores(scene: StagedQuestion) -> Iterator[MadeStep]:
    """Lines of thought that have arrived, that are on the way, that guess, and that are about something else."""
    yield from _ways_and_ends(scene, line_of, f"So the answer is {scene.rival}.", scene.verdict)
    yield _scored(scene, line_of(scene, [scene.aside]), 0, "That is not about what the question asks.")


def _ways_and_ends(
    scene: StagedQuestion, written: Callable[[StagedQuestion, Sequence[GoldHop]], list[str]], guess: str, end: str
) -> Iterator[MadeStep]:
    """Parts of the way, alone and with a guess behind them, and the whole of it, before its end and with it."""
    for state in scene.partial[1:]:
        known = written(scene, scene.known(state))
        why = _why(scene, state, known)
        yield _scored(scene, known, _share(scene, state, UNPROVEN), why)
        yield _scored(scene, [*known, guess], 0, f"{why} The answer given is a guess.")
    found = written(scene, scene.hops)
    yield _scored(scene, found, UNPROVEN, f"{scene.reason(scene.whole, shown=found)} It is not given yet.")
    yield _scored(scene, [*found, end], 10, scene.reason(scene.whole, shown=found))


def _share(scene: StagedQuestion, state: State, most: int) -> int:
    return most * len(state) // len(scene.hops)


def _why(scene: StagedQuestion, state: State, shown: Sequence[str] = ()) -> str:
    return scene.reason(state, scene.next_hop(state), shown=shown)


def _scored(scene: StagedQuestion, history: Sequence[str], score: int, reasoning: str) -> MadeStep:
    decision = LOW if score <= _LOW_TO else HIGH if score >= _HIGH_FROM else MIDDLE
    fields = {"history": list(history), "question": scene.question, "score": str(score), "reasoning": reasoning}
    return MadeStep({**fields, "reflections": []}, decision)


_SCORES = (HIGH, LOW, MIDDLE)
_ACTIONS = Maker(_SCORES, action_scores)
MAKERS = {
    "EvaluateHistory": Maker(_SCORES, history_scores),
    "RateStep": Maker(_SCORES, ratings),
    "EvaluateActions": _ACTIONS,
    "EvaluateActionsAgain": _ACTIONS,
    "ValueThoughts": Maker(_SCORES, thought_scores),
}
