"""The presets by name, read from the files beside this module: one a paper."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from ...base import InputError, unknown
from .preset import Preset, PresetValue, ProgramPreset

SHARED = "paper"
"""The name, after the paper's, of the preset that has what all its tables share."""


def preset_names() -> list[str]:
    """The names of all presets, a paper after the other.

    Examples:
        >>> from multihop.programs.presets import preset_names
        >>> preset_names()[:3]
        ['efficientrag/paper', 'efficientrag/table-1', 'efficientrag/table-2']
    """
    return [*_presets()]


def open_preset(name: str) -> Preset:
    """The preset of that name.

    Raises:
        InputError: There is none; the message has all that there are.

    Examples:
        >>> from multihop.programs.presets import open_preset
        >>> open_preset("tor/table-1").programs["tor"].settings["depth"].place
        'section 4.4'
    """
    if name not in _presets():
        raise unknown("preset", name, preset_names())
    return _presets()[name]


def preset_for(name: str, program: str) -> ProgramPreset:
    """The part of the preset that is about the program.

    Raises:
        InputError: There is no such preset, or it does not have the program; the message has those that do.

    Examples:
        >>> from multihop.programs.presets import preset_for
        >>> preset_for("tor/table-1", "ircot").values()
        {'k': 5, 'turns': 3, 'stops': [], 'max_passages': 15}
        >>> preset_for("tor/table-1", "sure")
        Traceback (most recent call last):
        multihop.base.errors.InputError: preset 'tor/table-1' is of tor, ... fit: resp/paper.
    """
    preset = open_preset(name)
    if program not in preset.programs:
        fitting = ", ".join(presets_with(program)) or "none"
        has = ", ".join(preset.programs)
        raise InputError(f"preset '{name}' is of {has}, not of '{program}'; presets that fit: {fitting}.")
    return preset.programs[program]


def presets_with(program: str) -> dict[str, list[str]]:
    """The presets that have the program: the first of those that say the same of it, each with all their names.

    Examples:
        >>> from multihop.programs.presets import presets_with
        >>> presets_with("sure")
        {'resp/paper': ['resp/paper', 'resp/table-1', 'resp/table-2', 'resp/table-3', 'resp/figure-2', 'resp/planning']}
        >>> list(presets_with("lats")), presets_with("ranked-rag")
        (['mzqa/paper', 'mzqa/table-6'], {})
    """
    found: list[list[Preset]] = []
    for preset in _presets().values():
        if program in preset.programs:
            same = [each for each in found if _say_the_same(each[0], preset, program)]
            same[0].append(preset) if same else found.append([preset])
    return {each[0].name: [preset.name for preset in each] for each in found}


def _say_the_same(one: Preset, other: Preset, program: str) -> bool:
    return (one.paper, one.programs[program]) == (other.paper, other.programs[program])


def method_preset(program: str) -> Preset | None:
    """The preset of the paper that describes the program; None if the program is no paper's method here.

    Examples:
        >>> from multihop.programs.presets import method_preset
        >>> method_preset("cor").name, method_preset("ircot")
        ('tor/paper', None)
    """
    return next((_presets()[f"{paper}/{SHARED}"] for paper, given in _files() if program in given["methods"]), None)


@cache
def _files() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Each paper's file, by the paper's name."""
    found = sorted(
        (entry for entry in files(__package__).iterdir() if entry.name.endswith(".toml")), key=lambda each: each.name
    )
    return tuple((each.name.removesuffix(".toml"), tomllib.loads(each.read_text(encoding="utf-8"))) for each in found)


@cache
def _presets() -> Mapping[str, Preset]:
    return {preset.name: preset for paper, given in _files() for preset in _of_paper(paper, given)}


def _of_paper(paper: str, given: Mapping[str, Any]) -> Iterator[Preset]:
    """The presets of a paper: what all tables share, and each table with what it has otherwise."""
    for table in (SHARED, *given["tables"]):
        own = given.get("otherwise", {}).get(table, {})
        programs: dict[str, dict[str, Any]] = {}
        for part in (given, own):
            for names, settings in part.get("programs", {}).items():
                for name in names.split(", "):
                    programs[name] = {**programs.get(name, {}), **settings}
        values = {name: _value({**given, **own}.get(name, {})) for name in ("lm", "retriever", "corpus")}
        shots = {**given, **own}["shots"]
        yield Preset(
            name=f"{paper}/{table}",
            paper=given["paper"],
            programs={name: _program({"shots": shots, **settings}) for name, settings in programs.items()},
            decoding={name: _value(each) for name, each in {**given["decoding"], **own.get("decoding", {})}.items()},
            differs=(*given.get("differs", ()), *own.get("differs", ())),
            **values,
        )


def _program(given: Mapping[str, Any]) -> ProgramPreset:
    settings = {name: _value(each) for name, each in given.items() if name not in ("shots", "differs")}
    return ProgramPreset(settings=settings, shots=_value(given["shots"]), differs=tuple(given.get("differs", ())))


def _value(given: Mapping[str, Any]) -> PresetValue:
    values = {("place" if key == "from" else key): value for key, value in given.items()}
    return PresetValue(**{**values, "sweep": tuple(values.get("sweep", ()))})
