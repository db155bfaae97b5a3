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
        {'k': 5, 'turns': 3, 'max_passages': 15}
        >>> preset_for("tor/table-1", "sure")
        Traceback (most recent call last):
        multihop.base.errors.InputError: preset 'tor/table-1' does not fit program 'sure': its programs are tor, cor, ...
    """
    preset = open_preset(name)
    if program not in preset.programs:
        fitting = presets_with(program)
        others = f"presets that have it: {', '.join(fitting)}" if fitting else "no preset has it"
        has = f"its programs are {', '.join(preset.programs)}"
        raise InputError(f"preset '{name}' does not fit program '{program}': {has}; {others}.")
    return preset.programs[program]


def presets_with(program: str) -> list[str]:
    """The names of the presets that have the program.

    Examples:
        >>> from multihop.programs.presets import presets_with
        >>> presets_with("sure")[:2]
        ['resp/paper', 'resp/table-1']
    """
    return [name for name, preset in _presets().items() if program in preset.programs]


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
