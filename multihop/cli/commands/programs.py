"""`multihop programs`: every program with its paper and what it costs; or one of them explained.

The list is read from a file, so that DSPy need not be loaded to show it.
"""

import inspect
import re
from collections.abc import Iterable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import ujson
from cyclopts.help import HelpEntry, HelpPanel
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ... import programs, runtime
from ..help_page import HelpPage
from ..output import facts_table, tell_result
from ..process import importable_from_here
from ..program_options import as_setting
from ..shared_options import AsJSON

OURS = Path(__file__).with_name("programs.json")
"""Our programs as `describe_program` gives them; docs/make_programs.py writes it."""
GROUP = "multihop.programs"
"""The entry points of installed packages that offer programs."""


def programs_command(name: str | None = None, /, *, json: AsJSON = False) -> None:
    """List the programs, or explain one and its settings.

    For example:

        multihop programs
        multihop programs tor
        multihop programs --json

    Parameters
    ----------
    name
        A program's name, also of an installed package, or MODULE:CLASS of your own.
    """
    if name is None:
        listed = list_programs()
        tell_result(json, lambda: listed, partial(show_programs, listed))
        return
    importable_from_here(name)
    explained = explain_program(name, programs.program_named(name))
    tell_result(json, lambda: explained, partial(show_explained, explained))


def list_programs() -> list[dict[str, Any]]:
    """Installed packages' programs, then those of this library, as `describe_program` gives each."""
    ours: list[dict[str, Any]] = ujson.loads(OURS.read_bytes())
    installed = sorted({point.name for point in entry_points(group=GROUP)})
    others = [name for name in installed if name not in programs.PROGRAMS] if installed else []
    return [*(describe_program(name, programs.program_named(name)) for name in others), *ours]


def describe_program(name: str, program: "type[runtime.Program]") -> dict[str, Any]:
    """A program as its class says: its name, answer, paper, LM calls, and the defaults of its own settings."""
    shared, made = runtime.settings_of(runtime.Program), with_defaults(program)
    return {
        "name": name,
        "what": (inspect.getdoc(program) or "").partition("\n")[0],
        "paper": program.paper,
        "calls": program.calls,
        "most_calls": made.most_calls() if made else None,
        "retrieves": program.retrieves,
        "settings": {own: each.default for own, each in runtime.settings_of(program).items() if own not in shared},
    }


def with_defaults(program: "type[runtime.Program]") -> "runtime.Program | None":
    """The program as it is without any settings, over no passages; None where a setting has no default."""
    if any(setting.default is inspect.Parameter.empty for setting in runtime.settings_of(program).values()):
        return None
    return programs.create(program, lambda query, k: [])


def show_programs(programs: list[dict[str, Any]], console: Console) -> None:
    """Print the list."""
    for row in programs:
        console.print(Text.assemble((row["name"], "bold"), "  ", (row["paper"], "dim")))
        console.print(Padding(Text(row["what"]), (0, 0, 0, 2)))
        console.print(Padding(Text(f"LM calls: {calls_in_words(row)}", style="dim"), (0, 0, 0, 2)))
    console.print("\nmultihop programs NAME explains a program and its settings", style="dim")


def calls_in_words(program: dict[str, Any]) -> str:
    """LM calls a question, and how many they are at most."""
    calls, most = program["calls"], program["most_calls"]
    return calls if most is None or calls.isdigit() else f"{calls}; at most {most}"


def explain_program(name: str, program: "type[runtime.Program]") -> dict[str, Any]:
    """All that a program's class says of it: its steps, its settings with the paper's values, its presets."""
    from ...optimize.demonstrations import predictors_by_step
    from ...programs.presets import method_preset, presets_with
    from ...programs.registry import PROGRAMS, reference_of
    from ...runtime.settings import setting_texts

    listed, made, texts = describe_program(name, program), with_defaults(program), setting_texts(program)
    own = method_preset(program.name)
    values = own.programs[program.name].settings if own is not None else {}
    papers = {setting: {"value": each.value, "place": each.place} for setting, each in values.items() if each.place}
    explained = {
        setting: {
            "what": texts.get(setting, ""),
            "default": None if found.default is inspect.Parameter.empty else found.default,
            "paper": papers.get(setting),
        }
        for setting, found in runtime.settings_of(program).items()
    }
    return {
        **listed,
        "python": f"multihop.{program.__name__}" if name in PROGRAMS else reference_of(program).replace(":", "."),
        "steps": [*predictors_by_step(made)] if made else [],
        "about": _paragraphs(program)[1:],
        "explained": {setting: each for setting, each in explained.items() if setting in listed["settings"]},
        "shared": {setting: each for setting, each in explained.items() if setting not in listed["settings"]},
        "presets": [_explain_preset(names, program.name) for names in presets_with(program.name).values()],
    }


def _explain_preset(names: list[str], program: str) -> dict[str, Any]:
    """The part about the program of presets that say the same of it, under their names."""
    from ...programs.presets import open_preset

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


def _paragraphs(program: "type[runtime.Program]") -> list[str]:
    """The paragraphs of a class's docstring before its examples and arguments."""
    text = re.split(r"^(?:Examples|Args):", inspect.cleandoc(program.__doc__ or ""), flags=re.MULTILINE)[0]
    return [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]


def show_explained(program: dict[str, Any], console: Console) -> None:
    """Print the page: what the program is and does, then its settings as the help of a command shows options."""
    console.print(Text.assemble((program["name"], "bold"), "  ", program["what"], "\n"))
    facts = {
        "paper": program["paper"],
        "LM calls": calls_in_words(program),
        "LM steps": ", ".join(program["steps"]),
        "corpus": "searched (--corpus)" if program["retrieves"] else "none needed",
        "in Python": program["python"],
    }
    console.print(facts_table(facts))
    for paragraph in program["about"]:
        console.print(Text(f"\n{paragraph}"))
    console.print()
    every = "Settings of every program (--budget-calls, --concurrency, --lm STEP=LM)"
    for title, settings in (("Settings (--set NAME=VALUE)", program["explained"]), (every, program["shared"])):
        _show_panel(title, ((name, each["what"], _default(each)) for name, each in settings.items()), console)
    presets = ((each["names"][0], _preset_in_words(each), None) for each in program["presets"])
    _show_panel("Presets (--preset NAME)", presets, console)


def _show_panel(title: str, rows: Iterable[tuple[str, str, str | None]], console: Console) -> None:
    entries = [HelpEntry(positive_names=(name,), description=what, default=default) for name, what, default in rows]
    if entries:
        HelpPage()(console, console.options, HelpPanel(format="parameter", title=title, entries=entries))


def _preset_in_words(preset: dict[str, Any]) -> str:
    """The settings of a preset, each with its place in the paper, and the rest."""
    from ...programs.presets import preset_names

    texts = []
    for name, setting in preset["settings"].items():
        on = "".join(f", {as_setting(value)} on {each}" for each, value in setting["on"].items())
        texts.append(f"{name}={_value(setting['value'])}{on} ({setting['place'] or 'not given'})")
    texts += [f"{name}={as_setting(value)}" for name, value in preset["lm_options"].items()]
    texts += [f"{preset['shots']} demonstrations a step"] if preset["shots"] else []
    names, paper = preset["names"], preset["names"][0].partition("/")[0]
    whole = len(names) == sum(name.startswith(f"{paper}/") for name in preset_names())
    tables = ", ".join(name.partition("/")[2] for name in names if not name.endswith("/paper"))
    return f"{preset['paper']}, {'every table' if whole else tables}: {', '.join(texts) or 'nothing to set'}."


def _default(setting: dict[str, Any]) -> str:
    """The default, and how the paper has it."""
    default, paper = _value(setting["default"]), setting["paper"]
    if paper is None:
        return default
    value = _value(paper["value"])
    same = "as in the paper" if value == default else f"in the paper {value}"
    return f"{default}; {same} ({paper['place']})"


def _value(value: Any) -> str:
    return "none" if value is None or value == () else as_setting(value)
