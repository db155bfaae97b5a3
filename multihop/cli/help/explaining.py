"""One program explained in a terminal: what it does, its paper, what it costs, and every setting."""

import inspect
import re
from collections.abc import Mapping, Sequence
from inspect import Parameter
from typing import Any, TypedDict

from cyclopts.help import HelpEntry, HelpPanel
from rich.console import Console
from rich.text import Text

from ...optimize.demonstrations import predictors_by_step
from ...programs.presets import method_preset, open_preset, preset_names, presets_with
from ...programs.registry import PROGRAMS, reference_of
from ...runtime import Program, settings_of
from ...runtime.constructors import argument_texts
from ..showing.tables import facts_table
from .help_page import HelpPage
from .program_list import ListedProgram, as_setting, calls_in_words, describe_program, with_defaults


class PaperValue(TypedDict):
    """The paper's own value of a setting."""

    value: Any
    """The value."""
    place: str
    """Its place in the paper."""


class PresetSetting(TypedDict):
    """A setting in a preset."""

    value: Any
    """The value."""
    on: dict[str, Any]
    """Other values on single question sets, by the set's short name."""
    place: str | None
    """Its place in the preset's paper; null where the paper does not give it."""


class ExplainedPreset(TypedDict):
    """A preset that has the program."""

    names: list[str]
    """Its name, and the names of those that say the same of the program."""
    paper: str
    """The paper whose values they are."""
    shots: int
    """Demonstrations that a step shows."""
    lm_options: dict[str, Any]
    """The decoding of LMs."""
    settings: dict[str, PresetSetting]
    """The program's settings."""


class ExplainedSetting(TypedDict):
    """A setting of a program."""

    what: str
    """The meaning of the setting."""
    default: Any
    """Its value where none is given."""
    paper: PaperValue | None
    """The paper's value; null where the paper says none."""


class ExplainedProgram(ListedProgram):
    """A program with all that its class says of it."""

    python: str
    """Its class, as Python imports it."""
    steps: list[str]
    """The steps that ask an LM, with the defaults; `--step-lm` takes these names."""
    about: list[str]
    """More about it, and what differs from the paper, in paragraphs."""
    explained: dict[str, ExplainedSetting]
    """Its own settings."""
    shared: dict[str, ExplainedSetting]
    """The settings that every program has."""
    presets: list[ExplainedPreset]
    """The presets that have it."""


def explain_program(name: str, program: type[Program]) -> ExplainedProgram:
    """All that a program's class says of it."""
    listed = describe_program(name, program)
    settings, texts = settings_of(program), argument_texts(program)
    own = method_preset(program.name)
    values = own.programs[program.name].settings if own is not None else {}
    papers = {setting: each for setting, each in values.items() if each.place}
    made = with_defaults(program)
    explained: dict[str, ExplainedSetting] = {
        setting: {
            "what": texts.get(setting, ""),
            "default": None if found.default is Parameter.empty else found.default,
            "paper": {"value": papers[setting].value, "place": papers[setting].place} if setting in papers else None,
        }
        for setting, found in settings.items()
    }
    return {
        **listed,
        "python": f"multihop.{program.__name__}" if name in PROGRAMS else reference_of(program).replace(":", "."),
        "steps": [*predictors_by_step(made)] if made else [],
        "about": _paragraphs(program)[1:],
        "explained": {name: each for name, each in explained.items() if name in listed["settings"]},
        "shared": {name: each for name, each in explained.items() if name not in listed["settings"]},
        "presets": [explain_preset(names, program.name) for names in presets_with(program.name).values()],
    }


def explain_preset(names: list[str], program: str) -> ExplainedPreset:
    """The part about the program of presets that say the same of it, under their names."""
    preset = open_preset(names[0])
    part = preset.programs[program]
    return {
        "names": names,
        "paper": preset.paper,
        "shots": part.shots.value,
        "lm_options": preset.lm_options(),
        "settings": {
            name: {"value": each.value, "on": dict(each.on), "place": each.place or None}
            for name, each in part.settings.items()
        },
    }


def show_explained(program: ExplainedProgram, console: Console) -> None:
    """Print the page: what the program is and does, then its settings as the help of a command shows options."""
    console.print(Text.assemble((program["name"], "bold"), "  ", program["what"]))
    facts = {
        "paper": program["paper"],
        "LM calls": calls_in_words(program),
        "LM steps": ", ".join(program["steps"]),
        "corpus": "searched (--corpus)" if program["retrieves"] else "none needed",
        "in Python": program["python"],
    }
    console.print()
    console.print(facts_table(facts))
    for paragraph in program["about"]:
        console.print(Text(f"\n{paragraph}"))
    console.print()
    _show_settings("Settings (--set NAME=VALUE)", program["explained"], console)
    _show_settings("Settings of every program (--budget-calls, --concurrency, --step-lm)", program["shared"], console)
    _show_presets(program["presets"], console)


def _show_settings(title: str, settings: Mapping[str, ExplainedSetting], console: Console) -> None:
    entries = [
        HelpEntry(positive_names=(name,), description=each["what"], default=_default(each))
        for name, each in settings.items()
    ]
    if entries:
        HelpPage()(console, console.options, HelpPanel(format="parameter", title=title, entries=entries))


def _show_presets(presets: Sequence[ExplainedPreset], console: Console) -> None:
    entries = [HelpEntry(positive_names=(each["names"][0],), description=_preset_in_words(each)) for each in presets]
    if entries:
        HelpPage()(
            console, console.options, HelpPanel(format="parameter", title="Presets (--preset NAME)", entries=entries)
        )


def _preset_in_words(preset: ExplainedPreset) -> str:
    """The settings of a preset, each with its place in the paper, and the rest."""
    texts = [f"{name}={_preset_value(setting)}" for name, setting in preset["settings"].items()]
    texts += [f"{name}={as_setting(value)}" for name, value in preset["lm_options"].items()]
    texts += [f"{preset['shots']} demonstrations a step"] if preset["shots"] else []
    return f"{preset['paper']}, {_tables(preset['names'])}: {', '.join(texts) or 'nothing to set'}."


def _preset_value(setting: PresetSetting) -> str:
    on = "".join(f", {as_setting(value)} on {name}" for name, value in setting["on"].items())
    return f"{_value(setting['value'])}{on} ({setting['place'] or 'not given'})"


def _tables(names: Sequence[str]) -> str:
    """The tables that the presets of a paper are named after."""
    paper = names[0].partition("/")[0]
    if len(names) == sum(name.startswith(f"{paper}/") for name in preset_names()):
        return "every table"
    return ", ".join(name.partition("/")[2] for name in names if not name.endswith("/paper"))


def _default(setting: ExplainedSetting) -> str:
    """The default, and how the paper has it."""
    default, paper = _value(setting["default"]), setting["paper"]
    if paper is None:
        return default
    value = _value(paper["value"])
    same = "as in the paper" if value == default else f"in the paper {value}"
    return f"{default}; {same} ({paper['place']})"


def _value(value: Any) -> str:
    return "none" if value is None or value == () else as_setting(value)


def _paragraphs(program: type[Program]) -> list[str]:
    """The paragraphs of a class's docstring before its examples and arguments."""
    text = re.split(r"^(?:Examples|Args):", inspect.cleandoc(program.__doc__ or ""), flags=re.MULTILINE)[0]
    return [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
