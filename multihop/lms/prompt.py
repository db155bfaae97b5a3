"""The prompt a DSPy adapter wrote, read back into fields and values, and the completion written for it."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import ujson

from ..base import InputError
from ..base.imports import lm15
from ..base.texts import as_json

_STRUCTURE = "\nAll interactions will be structured in the following way, with the appropriate values filled in.\n"
_OBJECTIVE = "\nIn adhering to this structure, your objective is: \n"
_JSON_OUTPUTS = "\nOutputs will be a JSON object with the following fields.\n"
_REMINDER = {
    "chat": ("Respond with the corresponding output fields, starting with the field ", "`[[ ## completed ## ]]`."),
    "json": ("Respond with a JSON object in the following order of fields: ", "."),
}
_NOT_SUPPLIED = ("Not supplied for this particular example.", "Not supplied for this conversation history message.")
# A type as DSPy prints it ends at the first ")" outside quotes: members of a Literal may hold anything.
_DESCRIBED_FIELD = re.compile(
    r"""^(?P<number>\d+)\. `(?P<name>\w+)` \((?P<type>(?:'(?:\\'|[^'])*'|"[^"]*"|[^()'"])*)\):""", re.MULTILINE
)
_LINE_BREAKS = {place: f"\\u{place:04x}" for place in (0x85, 0x2028, 0x2029)}
"""Line breaks that JSON may hold as they are, and how they are escaped."""


class Field(NamedTuple):
    """One declared field of the signature."""

    name: str
    type: str
    """The type as DSPy prints it, such as "str", "list[str]" or "Literal['yes', 'no']"."""
    description: str = ""


class Demonstration(NamedTuple):
    """One worked example the prompt shows before its request."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]


class Prompt(NamedTuple):
    """The content of a request: fields, values, demonstrations and instructions."""

    instructions: str
    inputs: dict[str, Any]
    """The request's values by input field, decoded to the declared type where that is plain data."""
    input_fields: tuple[Field, ...]
    output_fields: tuple[Field, ...]
    demonstrations: tuple[Demonstration, ...] = ()
    style: str = "chat"
    """The form the answer must take: "chat" for headed sections, "json" for one JSON object."""


def parse_prompt(request: "lm15.Request") -> Prompt:
    """Everything `dspy.ChatAdapter` (or its JSON fallback) put into a request.

    A value may itself contain text that looks like a header: only the declared fields, in their order, count. Text
    that forges the very next header, blank line and all, cannot be told from it.

    Examples:
        >>> import dspy
        >>> from dspy.lm15 import Message, Request
        >>> from multihop.lms import parse_prompt
        >>> signature = dspy.Signature("passages: list[str], question -> answer", "Answer it.")
        >>> inputs = {"passages": ["Ada | She wrote it."], "question": "Who wrote it?"}
        >>> system, user = dspy.ChatAdapter().format(signature, demos=[], inputs=inputs)
        >>> request = Request(model="any", system=system["content"], messages=(Message.user(user["content"]),))
        >>> prompt = parse_prompt(request)
        >>> prompt.inputs == inputs, prompt.output_fields[0].name, prompt.instructions
        (True, 'answer', 'Answer it.')
    """
    messages = [(message.role, message.text or "") for message in request.messages]
    if messages[-1][0] != "user":
        raise _foreign("its last message is not the user's")
    if request.system is None:
        raise _foreign("it has no system message")
    described = _read_system(system_text(request))
    demonstrations = tuple(
        Demonstration(_read_inputs(question, described), _read_outputs(answer, described))
        for (asker, question), (answerer, answer) in pairwise(messages)
        if (asker, answerer) == ("user", "assistant")
    )
    return described._replace(inputs=_read_inputs(messages[-1][1], described), demonstrations=demonstrations)


def system_text(request: "lm15.Request") -> str:
    """The text of the system message, whole or in parts; empty without one."""
    system = request.system or ""
    return system if isinstance(system, str) else "".join(part.text for part in system)


def write_completion(fields: Mapping[str, Any], style: str = "chat") -> str:
    """The completion that DSPy's adapter reads back as these output fields."""
    if style == "json":
        return _on_one_line(dict(fields))
    texts = {
        name: _on_one_line(value) if isinstance(value, list | tuple | dict) else value for name, value in fields.items()
    }
    sections = [f"[[ ## {name} ## ]]\n{text}" for name, text in texts.items()]
    return "\n\n".join([*sections, "[[ ## completed ## ]]"])


def _on_one_line(value: Any) -> str:
    """The value as JSON, with every kind of line break in it escaped: DSPy splits completions at all of them."""
    return as_json(value).translate(_LINE_BREAKS)


def _foreign(what: str) -> InputError:
    return InputError(
        f"this engine answers prompts written by dspy.ChatAdapter, and this request is not one: {what}. "
        "Call it through a DSPy module such as dspy.Predict, with ChatAdapter (the default)."
    )


@lru_cache(maxsize=256)
def _read_system(system: str) -> Prompt:
    """The prompt as far as its system message tells it, without values; cached, since a program repeats few of them."""
    described, _, rest = ("\n" + system).partition(_STRUCTURE)
    structure, objective, instructions = rest.partition(_OBJECTIVE)
    inputs_described, heading, outputs_described = described.rpartition("\nYour output fields are:\n")
    if not (objective and heading):
        raise _foreign("its system message does not describe a signature")
    style = "json" if _JSON_OUTPUTS in structure else "chat"
    if style == "chat" and "[[ ## completed ## ]]" not in structure:
        raise _foreign("its system message asks for another form of answer")
    lines = [line.removeprefix(" " * 8) for line in instructions.splitlines()]
    input_fields, output_fields = _described_fields(inputs_described), _described_fields(outputs_described)
    return Prompt("\n".join(lines), {}, input_fields, output_fields, style=style)


def _described_fields(text: str) -> tuple[Field, ...]:
    """The numbered fields of a description; a description may run over several lines."""
    starts: list[re.Match[str]] = []
    for start in _DESCRIBED_FIELD.finditer(text):
        if int(start["number"]) == len(starts) + 1:
            starts.append(start)
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return tuple(
        Field(start["name"], start["type"], text[start.end() : end].strip())
        for start, end in zip(starts, ends, strict=True)
    )


def _read_inputs(text: str, described: Prompt) -> dict[str, Any]:
    opening, closing = _REMINDER[described.style]
    if text.endswith(closing) and opening in text:
        text = text[: text.rindex(opening)]
    return _sections(text.removesuffix("\n\n"), described.input_fields)


def _read_outputs(text: str, described: Prompt) -> dict[str, Any]:
    if described.style == "json":
        try:
            values = ujson.loads(text)
        except ValueError:
            return {}
        values = values if isinstance(values, dict) else {}
    else:
        values = _sections(text.strip().removesuffix("[[ ## completed ## ]]").rstrip(), described.output_fields)
    return {name: value for name, value in values.items() if str(value).strip() not in _NOT_SUPPLIED}


def _sections(text: str, fields: Sequence[Field]) -> dict[str, Any]:
    """Values by field: each runs to the first header of the next declared field that is there."""
    text = f"\n\n{text}\n"
    present: list[tuple[Field, int, int]] = []
    position = 0
    for field in fields:
        header = f"\n\n[[ ## {field.name} ## ]]\n"
        start = text.find(header, position)
        if start >= 0:
            position = start + len(header)
            present.append((field, start, position))
    ends = [start for _, start, _ in present[1:]] + [-1]
    return {
        field.name: _decode(text[begin:end], field.type) for (field, _, begin), end in zip(present, ends, strict=True)
    }


def _decode(text: str, type_name: str) -> Any:
    """The value behind its printed form; text that is not of its declared type stays text."""
    if text == "None" and "NoneType" in type_name:
        return None
    read: Callable[[str], Any]
    if text[:1] in ("[", "{") and re.search(r"\b(?:list|dict|tuple|set)\b", type_name):
        read = ujson.loads
    elif re.search(r"\b(?:bool|int|float)\b", type_name) and not re.search(r"\b(?:str|Literal)\b", type_name):
        read = ast.literal_eval
    else:
        return text
    try:
        return read(text)
    except (ValueError, SyntaxError):
        return text
