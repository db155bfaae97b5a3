"""The papers' values: a preset for each table of a paper, read from the files in this folder, one a paper.

A value has its place in the paper, or words for what the paper leaves open.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from ...base import InputError, check_known

SHARED = "paper"
"""The name, after the paper's, of the preset that has what all its tables share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetValue:
    """A value of the paper, or ours where the paper gives none."""

    value: Any = None
    """The value; None leaves it as it is without a preset."""
    place: str = ""
    """The place in the paper; empty where the paper does not give it."""
    on: Mapping[str, Any] = field(default_factory=dict)
    """Other values on single question sets, by the set's short name."""
    what: str = ""
    """Words for it, where the paper does not give it."""
    here: str = ""
    """Words for what is here, where the value alone does not tell."""

    def not_given(self, value: Any = None) -> str:
        """The sentence that the paper does not give it, and what is here: the preset's value, or the one given."""
        if self.place:
            return ""
        here = (self.here or in_words(self.value)) if value is None else in_words(value)
        return f"The paper does not give {self.what}; here {here}."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramPreset:
    """The part of a preset that is about one program."""

    settings: Mapping[str, PresetValue] = field(default_factory=dict)
    """Settings by name."""
    shots: PresetValue = PresetValue(value=0)
    """Demonstrations that a step shows."""
    differs: tuple[str, ...] = ()
    """Other differences of the program here from the one that the paper ran, in sentences."""

    def values(self, question_set: str | None = None) -> dict[str, Any]:
        """The settings' values, on one question set where they differ between sets."""
        found = {name: each.on.get(question_set or "", each.value) for name, each in self.settings.items()}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """The values of one table of a paper."""

    name: str
    """PAPER/TABLE; PAPER/paper has what all tables share."""
    paper: str
    """The paper."""
    programs: Mapping[str, ProgramPreset]
    """The programs of the table, the paper's own and those it compares with, by name."""
    decoding: Mapping[str, PresetValue] = field(default_factory=dict)
    """The decoding of LMs, as parameters of `dspy.LM`."""
    lm: PresetValue = PresetValue()
    """The LM that answers."""
    retriever: PresetValue = PresetValue()
    """The retriever."""
    corpus: PresetValue = PresetValue()
    """The corpus, in words."""
    differs: tuple[str, ...] = ()
    """Differences that concern every program, in sentences."""

    def lm_options(self) -> dict[str, Any]:
        """The decoding as parameters of `dspy.LM`, as far as the paper gives it."""
        return {name: each.value for name, each in self.decoding.items() if each.value is not None}


def preset_names() -> list[str]:
    """The names of all presets, a paper after the other."""
    return [*_presets()]


def open_preset(name: str) -> Preset:
    """The preset of that name.

    Examples:
        >>> from multihop.programs.presets import open_preset
        >>> open_preset("tor/table-1").programs["tor"].settings["depth"].place
        'section 4.4'
    """
    check_known("preset", name, preset_names())
    return _presets()[name]


def preset_for(name: str, program: str) -> ProgramPreset:
    """The part of the preset that is about the program; refused with the presets that fit where it has none."""
    preset = open_preset(name)
    if program not in preset.programs:
        fitting = ", ".join(presets_with(program)) or "none"
        has = ", ".join(preset.programs)
        raise InputError(f"preset '{name}' is of {has}, not of '{program}'; presets that fit: {fitting}.")
    return preset.programs[program]


def presets_with(program: str) -> dict[str, list[str]]:
    """The presets that have the program: the first of those that say the same of it, each with all their names."""
    found: list[list[Preset]] = []
    for preset in _presets().values():
        if program in preset.programs:
            says = (preset.paper, preset.programs[program])
            same = [each for each in found if (each[0].paper, each[0].programs[program]) == says]
            same[0].append(preset) if same else found.append([preset])
    return {each[0].name: [preset.name for preset in each] for each in found}


def method_preset(program: str) -> Preset | None:
    """The preset of the paper that describes the program; None if the program is no paper's method here."""
    papers = [paper for paper, given in _files().items() if program in given["methods"]]
    return _presets()[f"{papers[0]}/{SHARED}"] if papers else None


@cache
def _files() -> dict[str, dict[str, Any]]:
    """Each paper's file, by the paper's name."""
    found = sorted(
        (file for file in files(__name__).iterdir() if file.name.endswith(".toml")), key=lambda file: file.name
    )
    return {file.name.removesuffix(".toml"): tomllib.loads(file.read_text(encoding="utf-8")) for file in found}


@cache
def _presets() -> Mapping[str, Preset]:
    return {preset.name: preset for paper, given in _files().items() for preset in _of_paper(paper, given)}


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
    return PresetValue(**{("place" if key == "from" else key): value for key, value in given.items()})


def in_words(value: Any) -> str:
    """A value as a sentence has it."""
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value)) or "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)
