"""The prompts of a program, step by step, as a page in a terminal, as JSON, and as the very messages."""

from collections.abc import Iterator, Mapping
from typing import Any

import dspy
import ujson
from dspy.adapters.utils import get_annotation_name
from pydantic import BaseModel
from rich.console import Console, Group
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from ..base import check_known
from ..base.errors import hide_login
from ..base.texts import as_json, plain_value, say_count
from ..lms.own_server import PROVIDER
from ..lms.served_lm import bounded
from ..optimize.artefact import SavedProgram
from ..optimize.demonstrations import predictors_by_step
from ..runtime import Program, settings_of
from ..runtime.adapters import adapter_of, asks_for_text_alone, tuned_adapter
from .output import facts_table, grid, print_note

WIDEST = 120
"""Columns of the page; longer lines are hard to read."""
COLOURS = {"system": "magenta", "user": "cyan", "assistant": "green"}


def steps_of(program: Program) -> list[dict[str, Any]]:
    """The steps of a program as an LM meets them, in the order in which it declares them."""
    return [
        {
            "name": step,
            "lm": (program.settings.get("lms") or {}).get(step.partition(".")[0]),
            "instructions": predictor.signature.instructions,
            "inputs": _fields(predictor.signature.input_fields),
            "outputs": _fields(predictor.signature.output_fields),
            "demonstrations": [dict(demo) for demo in predictor.demos],
        }
        for step, predictor in predictors_by_step(program).items()
    ]


def messages_of(
    program: Program, step: str, inputs: Mapping[str, Any], lm: dspy.LM | None = None
) -> list[dict[str, str]]:
    """The messages that the LM is asked the step with; a field without a value is there as "{field}"."""
    predictors = predictors_by_step(program)
    check_known(f"step of '{program.name}'", step, predictors)
    predictor = predictors[step]
    for name in inputs:
        check_known(f"input of step '{step}'", name, predictor.signature.input_fields)
    values = {name: inputs.get(name, f"{{{name}}}") for name in predictor.signature.input_fields}
    if step in program.cloned:
        own = (program.settings["lms"] or {}).get(step.partition(".")[0], "")
        adapter = tuned_adapter(own if lm is None else lm.model)
    else:
        adapter = adapter_of(0, lm, predictor.signature)
    messages = adapter.format(predictor.signature, demos=predictor.demos, inputs=values)
    return [{"role": message["role"], "content": str(message["content"])} for message in messages]


def schema_of(program: Program, step: str, lm: dspy.LM | None) -> dict[str, Any] | None:
    """The form of answer that is sent with the messages, a JSON schema or "any JSON object"; None where none is."""
    predictor = predictors_by_step(program)[step]
    tuned = step in program.cloned
    adapter = adapter_of(0, lm, predictor.signature, tuned=tuned)
    sent: dict[str, Any] = {}
    if (
        lm is None
        or not isinstance(adapter, dspy.JSONAdapter)
        or asks_for_text_alone(predictor.signature, lm, tuned=tuned)
    ):
        return None
    adapter._prepare_response_format(lm, sent, predictor.signature)
    form: Any = sent.get("response_format")
    schema: dict[str, Any] | None = form.model_json_schema() if isinstance(form, type(BaseModel)) else form
    tokens = {**lm.kwargs, **predictor.config}.get("max_tokens") if lm.model.startswith(f"{PROVIDER}/") else None
    return bounded(schema, tokens) if schema and tokens else schema


def page_as_values(program: Program, saved: SavedProgram | None = None) -> dict[str, Any]:
    """The whole page as plain values; of a saved program, with its corpus and what of its file is left out."""
    return {
        "program": program.name,
        "paper": program.paper,
        "settings": {name: plain_value(value) for name, value in program.settings.items()},
        "corpus": None if saved is None else saved.block.corpus,
        "about": {} if saved is None else saved.about,
        "left_out": {} if saved is None else {name: hide_login(text) for name, text in saved.left_out.items()},
        "steps": steps_of(program),
    }


def show_program(program: Program, saved: SavedProgram | None, console: Console) -> None:
    """Print the page: what the program is, then every step with its instructions, fields and demonstrations."""
    steps = steps_of(program)
    console.width = min(console.width, WIDEST)
    name = program.name if saved is None else f"{program.name}, saved in {saved.path}"
    console.print(Text.assemble((name, "bold"), (f"  {program.paper}", "dim")))
    console.print(facts_table(_facts(program, saved)))
    for step in steps:
        own = f", asked with {step['lm']}" if step["lm"] else ""
        shows = f"  {say_count(len(step['demonstrations']), 'demonstration')}{own}"
        console.print()
        console.print(Rule(Text.assemble((step["name"], "bold magenta"), (shows, "dim")), align="left"))
        console.print(Padding(Text(step["instructions"]), (0, 0, 1, 2)))
        fields = grid(3)
        for label, name in _labels(step):
            field = {**step["inputs"], **step["outputs"]}[name]
            fields.add_row(label, Text(field["type"], style="dim"), Text(field["description"]))
        console.print(Padding(fields, (0, 0, 0, 2)))
        for number, demonstration in enumerate(step["demonstrations"], 1):
            console.print(Text(f"\n  demonstration {number}", style="dim"))
            values = grid(2)  # none of them is cut: this is what the LM reads
            for label, name in _labels(step):
                if name in demonstration:
                    values.add_row(label, _value(demonstration[name]))
            console.print(Padding(values, (0, 0, 0, 2)))
    first = steps[0]["name"] if steps else "STEP"
    print_note(f"\n--prompt {first} prints the very messages of a step, --json this page as data", console)


def _labels(step: dict[str, Any]) -> Iterator[tuple[Text, str]]:
    """The fields that the step is told, then those that it answers, each with its label."""
    for arrow, colour, fields in (("  ", "cyan", step["inputs"]), ("→ ", "green", step["outputs"])):
        for name in fields:
            yield Text.assemble((arrow, "dim"), (name, colour)), name


def show_messages(messages: list[dict[str, str]], schema: dict[str, Any] | None, console: Console) -> None:
    """Print the messages, each under who says it, and the schema beneath; long lines are left to the terminal."""
    form = [] if schema is None else [{"role": "schema", "content": ujson.dumps(schema, indent=2)}]
    for message in [*messages, *form]:
        role = message["role"]
        console.print(Rule(Text(role, style=f"bold {COLOURS.get(role, 'white')}"), align="left"))
        console.print(Text(message["content"].strip("\n")), soft_wrap=True)
        console.print()


def _fields(fields: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Types as Python writes them, and descriptions where there is more to say than the field's name."""
    described = {}
    for name, field in fields.items():
        description = str(field.json_schema_extra.get("desc") or "").replace(f"${{{name}}}", "")  # DSPy's own for none
        described[name] = {"type": get_annotation_name(field.annotation), "description": description}
    return described


def _facts(program: Program, saved: SavedProgram | None) -> dict[str, str]:
    """Facts of the whole program; empty where they are not known."""
    defaults = settings_of(type(program))
    changed = [
        f"{name}={value if isinstance(value, str) else as_json(value)}"
        for name, value in program.settings.items()
        if value != defaults[name].default and name != "lms"
    ]
    about = {} if saved is None else saved.about
    left_out = {} if saved is None else saved.left_out
    try:
        scored = {name: 100 * float(score["f1"]["mean"]) for name, score in about.get("scores", {}).items()}
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError):  # facts of another form, of a user
        scored = {}
    return {
        "settings": " ".join(changed),
        "compiled for": str(about.get("lm") or ""),
        "optimizer": str(about.get("optimizer") or ""),
        "corpus": "" if saved is None else saved.block.corpus or "",
        "left out": ", ".join(f"{name} {hide_login(text)}" for name, text in left_out.items()),
        "scores": "; ".join(f"{variant} F1 {f1:.1f}" for variant, f1 in scored.items()),
    }


def _value(value: Any) -> Group | Text:
    if isinstance(value, list | tuple) and value:
        return Group(*(Text(f"· {' '.join(str(each).split())}") for each in value))
    if isinstance(value, list | tuple):
        return Text("(none)", style="dim")
    return Text(str(value)) if str(value) else Text("(empty)", style="dim")
