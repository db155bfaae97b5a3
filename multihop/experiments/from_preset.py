"""An experiment with the values of its preset, and the sentences on what differs from the paper, made from both."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..programs.presets import Preset, PresetValue, ProgramPreset, in_words, open_preset, preset_for
from .experiment import Experiment, TableRow

SHOTS = "shots"
DECODING = {"temperature": "the temperature", "top_p": "top-p", "max_tokens": "the longest output"}
"""Words for parameters of LMs."""


def with_preset(experiment: Experiment) -> Experiment:
    """The experiment, where it names a preset, with all that it does not say itself taken from there.

    A row has the settings and the demonstrations of the preset for its program, under its own; the decoding, the
    retriever and the corpus are the preset's as well. `differs` says what the preset says, what a row sets otherwise
    than the paper, what the paper does not give, and then what the file adds.

    Raises:
        InputError: There is no such preset, or it does not have the program of a row.
    """
    if experiment.preset is None:
        return experiment
    preset = open_preset(experiment.preset)
    parts = [preset_for(preset.name, row.program) for row in experiment.rows]
    rows = tuple(_filled(row, part, experiment) for row, part in zip(experiment.rows, parts, strict=True))
    shots = {row.shots for row in rows}
    found = replace(
        experiment,
        paper=experiment.paper or preset.paper,
        lm=experiment.lm or preset.lm.value,
        retriever=experiment.retriever or preset.retriever.value,
        corpus=experiment.corpus or preset.corpus.value,
        decoding={**preset.lm_options(), **experiment.decoding},
        shots=next(iter(shots)) or 0 if len(shots) == 1 else experiment.shots,
        rows=rows,
    )
    varied = [{name for name in experiment.varies if _says(row, name)} for row in experiment.rows]
    sentences = [*_sentences(found, preset, parts, varied), *experiment.differs]
    return replace(found, differs=tuple(dict.fromkeys(filter(None, sentences))))


def _filled(row: TableRow, part: ProgramPreset, experiment: Experiment) -> TableRow:
    """The row with what it does not say itself."""
    settings, shared = {**part.values(), **row.settings}, part.values()
    settings_on: dict[str, dict[str, Any]] = {}
    for name in experiment.sets:
        own = {each: value for each, value in part.values(name).items() if value != shared[each]}
        on = {**{each: own[each] for each in own if each not in row.settings}, **row.settings_on.get(name, {})}
        if on:
            settings_on[name] = on
    shots = part.shots.value if row.shots is None else row.shots
    return replace(row, settings=settings, settings_on=settings_on, shots=shots)


def _says(row: TableRow, name: str) -> bool:
    """True if the row itself says the setting, or how many demonstrations it shows."""
    if name == SHOTS:
        return row.shots is not None
    return any(name in settings for settings in (row.settings, *row.settings_on.values()))


def _sentences(
    experiment: Experiment, preset: Preset, parts: list[ProgramPreset], varied: list[set[str]]
) -> Iterator[str]:
    """The differences from the paper: those of the preset, of rows that set otherwise, and values it does not give."""
    yield from preset.differs
    for part in parts:
        yield from part.differs
    yield from _otherwise(experiment, parts, varied)
    for name, value in preset.decoding.items():
        here = experiment.decoding.get(name)
        if value.place and here != value.value:
            what = DECODING.get(name, name)
            yield f"{what.capitalize()} is {here} here, and {value.value} in the paper ({value.place})."
        yield value.not_given(None if here == value.value else here)
    for row, part, own in zip(experiment.rows, parts, varied, strict=True):
        for name, value in {**part.settings, SHOTS: part.shots}.items():
            if name not in own:
                here = row.shots if name == SHOTS else row.settings.get(name)
                yield value.not_given(None if here == value.value else here)


def _otherwise(experiment: Experiment, parts: list[ProgramPreset], varied: list[set[str]]) -> Iterator[str]:
    """A sentence for each value that rows set otherwise than the paper, unless the table itself varies it."""
    rows_with: dict[str, list[str]] = {}
    for row, part, own in zip(experiment.rows, parts, varied, strict=True):
        for name, value in {**part.settings, SHOTS: part.shots}.items():
            if name in own or not value.place:
                continue
            for text in dict.fromkeys(_differences(experiment, row, name, value)):
                rows_with.setdefault(text, []).append(row.name)
    for text, names in rows_with.items():
        yield f"{' and '.join(names)}: {text}."


def _differences(experiment: Experiment, row: TableRow, name: str, value: PresetValue) -> Iterator[str]:
    for question_set, each in experiment.sets.items():
        paper = value.on.get(question_set, value.value)
        here = row.shots if name == SHOTS else experiment.settings(row, question_set).get(name)
        if here != paper:
            what = "demonstrations a step" if name == SHOTS else name
            on = f" on {each.title}" if value.on or question_set in row.settings_on else ""
            yield f"{what}{on}: {in_words(here)} here, {in_words(paper)} in the paper ({value.place})"
