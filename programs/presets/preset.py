"""A preset: the values of a paper's table, each with its place in the paper or as one that the paper leaves open."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetValue:
    """A value of the paper, or ours where the paper gives none.

    Examples:
        >>> from multihop.programs.presets import open_preset
        >>> settings = open_preset("mzqa/table-1").programs["mzqa"].settings
        >>> settings["iterations"].value, settings["iterations"].place
        (20, 'section 5.1')
        >>> settings["exploration"].place, settings["exploration"].sweep
        ('', (0.5, 1.0, 2.0))
        >>> settings["exploration"].not_given()
        'The paper does not give the exploration weight of MZQA; here 1.0.'
    """

    value: Any = None
    """The value; None leaves it as it is without a preset."""
    place: str = ""
    """Its place in the paper; empty where the paper does not give it."""
    on: Mapping[str, Any] = field(default_factory=dict)
    """Other values on single question sets, by the set's short name."""
    what: str = ""
    """Words for it, where the paper does not give it."""
    here: str = ""
    """Words for what is here, where the value alone does not tell."""
    sweep: tuple[Any, ...] = ()
    """The values over which it may be swept, where the paper does not give it."""

    def not_given(self, value: Any = None) -> str:
        """The sentence that the paper does not give it, and what is here in its place; empty where the paper does.

        Args:
            value: The value here, if not the preset's.
        """
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
        """The settings' values, on one question set where they differ between sets.

        Examples:
            >>> from multihop.programs.presets import open_preset
            >>> preset = open_preset("mzqa/table-1").programs["one-step"]
            >>> preset.values(), preset.values("2wikimultihopqa")
            ({'k': 4}, {'k': 6})
        """
        found = {name: each.on.get(question_set or "", each.value) for name, each in self.settings.items()}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """The values of one table of a paper.

    Examples:
        >>> from multihop.programs.presets import open_preset
        >>> preset = open_preset("resp/table-1")
        >>> preset.programs["resp"].values()
        {'input_tokens': 12000, 'output_tokens': 200, 'turns': 3, 'k': 5, 'stops': []}
        >>> preset.lm_options(), preset.retriever.value
        ({'max_tokens': 200}, 'E5-base-v2')
    """

    name: str
    """Its name, as PAPER/TABLE; PAPER/paper has what all tables share."""
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
        """The decoding as parameters of `dspy.LM`, as far as the paper gives it.

        Examples:
            >>> from multihop.programs.presets import open_preset
            >>> open_preset("mzqa/table-1").lm_options()
            {'temperature': 0.1, 'top_p': 1.0}
        """
        return {name: each.value for name, each in self.decoding.items() if each.value is not None}


def in_words(value: Any) -> str:
    """A value as a sentence has it."""
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value)) or "nothing"
    return str(value).lower() if isinstance(value, bool) else str(value)
