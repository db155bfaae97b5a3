"""Readers: what they are shown once everything is known, and the answer."""

from collections.abc import Callable, Iterator
from typing import Any

from .notes import (
    assertion,
    found_on_the_way,
    full_notes,
    memories,
    mixed,
    short_notes,
    summary_of,
    turns_of_an_agent,
)
from .rephrasing import fact
from .scene import SHOWN, MadeStep, Maker, StagedQuestion


def _read(**inputs: Callable[[StagedQuestion], Any]) -> Maker:
    """A reader of these inputs."""

    def rows(scene: StagedQuestion) -> Iterator[MadeStep]:
        fields = {name: show(scene) for name, show in inputs.items()}
        shown = _texts(fields)
        if inputs and not _holds_answer(scene, shown):
            return
        reasoning = scene.reason(scene.whole, shown=shown)
        yield MadeStep(
            {**fields, "question": scene.question, "answer": scene.final, "reasoning": reasoning}, "an answer"
        )

    return Maker(("an answer",), rows)


def _suggestions(scene: StagedQuestion) -> Iterator[MadeStep]:
    """The answer, after the same as a suggestion and after another of its kind."""
    for row in _READ_PASSAGES.rows(scene):
        yield MadeStep({**row.fields, "suggestion": scene.final}, KEPT)
        yield MadeStep({**row.fields, "suggestion": scene.rival}, CORRECTED)


def _texts(fields: dict[str, Any]) -> list[str]:
    return [text for value in fields.values() for text in ([value] if isinstance(value, str) else value)]


def _holds_answer(scene: StagedQuestion, shown: list[str]) -> bool:
    """True if the answer can be read off what is shown; a verdict always can."""
    return scene.is_yes_or_no or scene.holds(scene.final, [scene.question, *shown])


def _analysis(scene: StagedQuestion) -> str:
    """The analysis of an accepted path of all the gold."""
    return scene.reason(scene.whole, shown=map(str, scene.path.passages))


def _evidence(scene: StagedQuestion) -> list[str]:
    pages = list(scene.path.passages)
    if scene.chain:
        return [assertion(_analysis(scene), ()), *map(str, pages)]
    return [assertion(_analysis(scene), pages)]


def _passages_behind(scene: StagedQuestion) -> list[str]:
    return [str(page) for page in found_on_the_way(scene, scene.hops, 3)]


def _full_notes(scene: StagedQuestion) -> list[str]:
    return full_notes(scene.hops)


KEPT, CORRECTED = "a suggestion kept", "a suggestion corrected"
_READ_PASSAGES = _read(passages=lambda scene: mixed(scene, SHOWN))
MAKERS = {
    "AnswerQuestion": _read(),
    "AnswerFromPassages": _READ_PASSAGES,
    "CheckSuggestion": Maker((KEPT, CORRECTED), _suggestions),
    "ReadAnalyses": _read(analyses=lambda scene: [_analysis(scene)]),
    "ReadEvidence": _read(evidence=_evidence),
    "ReadSummary": _read(summary=lambda scene: summary_of(scene.hops)),
    "ReadNotes": _read(notes=lambda scene: short_notes(scene.hops), passages=_passages_behind),
    "ReadHistory": _read(
        history=lambda scene: [*turns_of_an_agent(scene, scene.hops), f"Thought: {fact(scene.hops[-1])}"]
    ),
    "ReadMemories": _read(
        evidence=lambda scene: memories(scene, scene.whole)["evidence"],
        pathway=lambda scene: memories(scene, scene.whole)["pathway"],
    ),
    "ReadPath": _read(passages=_passages_behind, history=_full_notes),
    "ReadSteps": _read(history=_full_notes),
}
