"""`multihop programs`: every program with its paper, what it costs and what can be set; or one of them explained."""

import inspect
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import entry_points
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import ujson
from cyclopts.help import HelpEntry, HelpPanel
from rich.console import Console
from rich.text import Text

from ...optimize.demonstrations import predictors_by_step
from ...programs.presets import method_preset, open_preset, preset_names, presets_with
from ...programs.registry import PROGRAMS, reference_of
from ...runtime import Program, settings_of
from ...runtime.settings import setting_texts
from ..help_page import HelpPage
from ..output import facts_table
from ..shared_options import AsJSON

if TYPE_CHECKING:
    from rich.console import Console

    from ...runtime import Program


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
    from ...base.terminal import Terminal
    from ..output import print_json

    if name is None:
        listed = list_programs()
        if json:
            print_json(listed.programs)
        else:
            show_programs(listed, Terminal())
        return
    from ...programs import program_named
    from ..process import importable_from_here

    importable_from_here(name)
    explained = explain_program(name, program_named(name))
    if json:
        print_json(explained)
    else:
        show_explained(explained, Terminal())


OURS = Path(__file__).with_name("programs.json")
"""Our programs as `describe_program` gives them, and the settings of all programs; docs/make_programs.py writes it."""
GROUP = "multihop.programs"
"""The entry points of installed packages that offer programs."""


class ListedProgram(TypedDict):
    """A program as the list shows it."""

    name: str
    """Its name."""
    what: str
    """Its answer, in a sentence."""
    paper: str
    """The paper of the method."""
    calls: str
    """LM calls a question, in words."""
    most_calls: int | None
    """LM calls a question at most with the defaults, retries apart; null where nobody knows."""
    retrieves: bool
    """True if it needs a retriever."""
    settings: dict[str, Any]
    """The defaults of what can be set on it alone."""


class ProgramList(NamedTuple):
    """All programs."""

    programs: list[ListedProgram]
    """Each of them."""
    shared: dict[str, Any]
    """The defaults of what can be set on every program."""


def list_programs() -> ProgramList:
    """Installed packages' programs, then those of this library."""
    listed = ProgramList(**ujson.loads(OURS.read_bytes()))
    installed = sorted({point.name for point in entry_points(group=GROUP)})
    if installed:
        from ...programs import PROGRAMS, program_named

        others = [describe_program(name, program_named(name)) for name in installed if name not in PROGRAMS]
        return listed._replace(programs=[*others, *listed.programs])
    return listed


def describe_program(name: str, program: "type[Program]") -> ListedProgram:
    """A program as its class says."""
    from ...runtime import Program, settings_of

    shared, made = settings_of(Program), with_defaults(program)
    return {
        "name": name,
        "what": (program.__doc__ or "").strip().splitlines()[0],
        "paper": program.paper,
        "calls": program.calls,
        "most_calls": made.most_calls() if made else None,
        "retrieves": program.retrieves,
        "settings": {own: setting.default for own, setting in settings_of(program).items() if own not in shared},
    }


def with_defaults(program: "type[Program]") -> "Program | None":
    """The program as it is without any settings, over no passages; None where a setting has no default."""
    from ...programs import create
    from ...runtime import settings_of

    if any(setting.default is Parameter.empty for setting in settings_of(program).values()):
        return None
    return create(program, lambda query, k: [])


def show_programs(listed: ProgramList, console: "Console") -> None:
    """Print the list."""
    from rich.padding import Padding
    from rich.text import Text

    for row in listed.programs:
        console.print(Text.assemble((row["name"], "bold"), "  ", (row["paper"], "dim")))
        console.print(Padding(Text(row["what"]), (0, 0, 0, 2)))
        console.print(Padding(Text(f"LM calls: {calls_in_words(row)}", style="dim"), (0, 0, 0, 2)))
        if row["settings"]:
            console.print(Padding(Text(_as_arguments(row["settings"]), style="cyan"), (0, 0, 0, 2)))
    console.print(Text.assemble("\nevery program  ", (_as_arguments(listed.shared), "cyan")))
    console.print("multihop programs NAME explains a program and its settings", style="dim")


def calls_in_words(program: ListedProgram) -> str:
    """LM calls a question, and how many they are at most."""
    calls, most = program["calls"], program["most_calls"]
    return calls if most is None or calls.isdigit() else f"{calls}; at most {most}"


def _as_arguments(settings: dict[str, Any]) -> str:
    return " ".join(f"{name}={as_setting(value)}" for name, value in settings.items())


def as_setting(value: Any) -> str:
    """A setting's value as `--set` takes it."""
    if isinstance(value, list | tuple):
        return ",".join(map(as_setting, value)) or "[]"
    return value if isinstance(value, str) else ujson.dumps(value)


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
    settings, texts = settings_of(program), setting_texts(program)
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
