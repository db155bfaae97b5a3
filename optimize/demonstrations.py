"""Demonstrations that a user writes, such as a paper's shots: read from a file, checked, put into a program."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import dspy
import ujson
from pydantic import TypeAdapter, ValidationError

from ..base import InputError, read_small, unknown
from ..base.files import misfit, parsed
from ..base.texts import as_json, cut
from ..runtime import Program, render

Demonstrations = Mapping[str, Sequence[Mapping[str, Any]]]
"""For each step, what it is told and what it answers, field by field, in the order in which an LM is to see them."""
SHOWN = 60
"""Characters of a wrong value that an error shows."""


def with_demonstrations(program: Program, demonstrations: "Demonstrations | str | os.PathLike[str]") -> Program:
    """A copy of the program that shows these demonstrations, as they are and in this order.

    Steps that are not named keep what they have. A field whose answer may be left out gets its default.

    Args:
        program: Any program.
        demonstrations: By step, or a JSON file that holds them.

    Raises:
        InputError: They do not fit the program's signatures; the message names the step and the demonstration.

    Examples:
        >>> from multihop import Direct, with_demonstrations
        >>> shots = {"answer": [{"question": "Who wrote Emma?", "answer": "Jane Austen"}]}
        >>> with_demonstrations(Direct(), shots).answer.demos[0].answer
        'Jane Austen'
        >>> with_demonstrations(Direct(), {"answer": [{"question": "Who wrote Emma?"}]})
        Traceback (most recent call last):
        multihop.base.errors.InputError: step 'answer', demonstration 1: the output answer is missing. ...
    """
    made: Program = program.deepcopy()
    place, given = "", cast(Any, demonstrations)
    if isinstance(demonstrations, str | os.PathLike):
        file = Path(demonstrations).expanduser()
        place, given = f"{os.fspath(demonstrations)}: ", parsed(Any, read_small(file), file, "JSON")
    if not isinstance(given, Mapping):
        raise InputError(f"{place}demonstrations are one object: for each step, a list of inputs and outputs.")
    predictors = predictors_by_step(made)
    for step, listed in given.items():
        if step not in predictors:
            error = unknown(f"step of '{made.name}'", str(step), predictors)
            raise InputError(f"{place}{error}")
        predictors[step].demos = _checked(f"{place}step '{step}'", listed, predictors[step].signature)
    return made


def predictors_by_step(program: Program) -> dict[str, dspy.Predict]:
    """Each predictor by its step; by its full name where a step holds several."""
    named = dict(program.named_predictors())
    steps = [name.partition(".")[0] for name in named]
    return {
        step if steps.count(step) == 1 else name: each for step, (name, each) in zip(steps, named.items(), strict=True)
    }


def _checked(place: str, listed: Any, signature: type[dspy.Signature]) -> list[dspy.Example]:
    if isinstance(listed, str | Mapping) or not isinstance(listed, Sequence):
        raise InputError(f"{place}: its demonstrations are a list, not {cut(as_json(listed), SHOWN)}.")
    return [_one(f"{place}, demonstration {number}", each, signature) for number, each in enumerate(listed, 1)]


def _one(place: str, given: Any, signature: type[dspy.Signature]) -> dspy.Example:
    """One demonstration, if every field is the step's, every output is there, and every value is of its type."""
    fields = ", ".join(signature.input_fields) + " -> " + ", ".join(signature.output_fields)
    if isinstance(given, dspy.Example):
        given = given.toDict()
    if not isinstance(given, Mapping):
        raise InputError(
            f"{place}: it is one object with a value for each field, not {cut(as_json(given), SHOWN)} ({fields})."
        )
    for name in given:
        if name not in signature.fields:
            raise InputError(f"{place}: {unknown('field', str(name), signature.fields)}")
    values = {name: render(value) for name, value in given.items()}
    for name, field in signature.output_fields.items():
        if values.get(name) is None and field.is_required():
            raise InputError(f"{place}: the output {name} is missing. The step's fields: {fields}")
        values.setdefault(name, field.get_default(call_default_factory=True))
    if not any(values.get(name) is not None for name in signature.input_fields):
        raise InputError(f"{place}: it has no input, so it shows nothing. The step's fields: {fields}")
    for name, value in values.items():
        try:
            TypeAdapter(signature.fields[name].annotation).validate_json(ujson.dumps(value), strict=True)
        except ValidationError as error:
            raise InputError(f"{place}: {name} is {cut(as_json(value), SHOWN)}: {misfit(error)}.") from None
    return dspy.Example(**values).with_inputs(*signature.input_fields)
