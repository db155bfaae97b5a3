"""The decisions of a finished run, read from its journal: nothing is asked again.

A journal names passages by their ids; their texts come from the corpus that the program's retriever holds.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

import dspy

from ...base import InputError, MismatchError, unknown
from ...evaluation import open_run
from ...evaluation.journal.header import Header
from ...evaluation.journal.journal import read_header
from ...evaluation.journal.row import Row
from ...retrieval import Passage
from ...runtime import AskStep, Program, TrajectoryStep, searches

SHOWN = "'title | text'"
"""The words with which the description of a field says that it shows passages."""
_WATCHED = ", watched"


def rows_of_run(run: str | os.PathLike[str], program: Program, steps: Sequence[str]) -> list[Row]:
    """The answered questions of a run, each with the decisions of the steps.

    Of a run that was made for cloning these are the decisions on the way to the answer; of any other run, all calls of
    the steps that gave an answer, and of a search's planner those of its best path.

    Args:
        run: The run's folder.
        program: The program that made it, with the retriever whose corpus holds the passages.
        steps: The steps to learn.

    Raises:
        InputError: The run is of another program, its steps had other fields, or the passages are not in the corpus.
    """
    _check_maker(run, read_header(run), program, steps)
    rows = [row for row in open_run(run).rows() if not row["error"]]
    old = [row for row in rows if "decisions" not in row]
    wanted = {name for row in old for name in _passages_named(program, row, steps)}
    known = _passages(run, program, wanted)
    return [row if "decisions" in row else _with_decisions(program, row, steps, known) for row in rows]


def lm_of_run(run: str | os.PathLike[str], step: str) -> dict[str, Any]:
    """The facts about the LM that was asked for a step in a run, as a saved program keeps them."""
    identities = read_header(run)["identity"]["lm"]
    found = next((each for name, each in identities.items() if _step_of(name) == step), None)
    found = found or next(iter(identities.values()))
    return {"lm": found["model"], **({"decoding": found["decoding"]} if found["decoding"] else {})}


def _check_maker(run: Any, header: Header, program: Program, steps: Sequence[str]) -> None:
    """Refuse a run of another program, or of steps with other fields."""
    made_by = header["identity"]["program"]
    name = made_by["name"].removesuffix(_WATCHED)
    if name != program.name:
        raise MismatchError(f"{os.fspath(run)} is a run of '{name}', not of '{program.name}'; clone '{name}' from it.")
    fields = {_step_of(each): set(prompt["fields"]) for each, prompt in made_by["prompts"].items()}
    predictors = _predictors(program)
    for step in steps:
        if step not in predictors:
            raise unknown(f"step of '{program.name}'", step, predictors)
    for step, predictor in predictors.items():
        now = set(predictor.signature.fields)
        if step in steps and step in fields and fields[step] != now:
            raise MismatchError(
                f"the step '{step}' of {os.fspath(run)} has the fields {', '.join(sorted(fields[step]))}, and here "
                f"{', '.join(sorted(now))}; give the settings that the run was made with (--set NAME=VALUE)."
            )


def _with_decisions(program: Program, row: Row, steps: Sequence[str], known: Mapping[str, Passage]) -> Row:
    """The row with its decisions, made from what DSPy's trace of it was, as far as the journal tells it."""
    predictors, found = _predictors(program), _found(row)
    trace = [
        (predictors[ask["step"]], _shown(predictors[ask["step"]], ask["inputs"], found, known), ask["outputs"])
        for ask in _asked(program, row["trajectory"])
        if ask["step"] in steps
    ]
    passages = [known[name] for name, _ in row["passages"] if name in known]
    prediction = dspy.Prediction(answer=row["answer"], passages=passages, evidence=row["evidence"])
    decisions = Program.decisions(program, row["question"], prediction, trace)
    if program.planner in steps:  # a search's planner is read from the path, not from its calls
        path = program.decisions(row["question"], prediction, trace)
        told = {each.step for each in path}
        decisions = [*path, *(each for each in decisions if each.step not in told)]
    return cast(Row, {**row, "decisions": [each.record for each in decisions]})


def _asked(program: Program, trajectory: Iterable[TrajectoryStep]) -> Iterator[AskStep]:
    """The LM calls that gave an answer, those of branches where the branches are."""
    names = _predictors(program)
    for step in trajectory:
        if "branches" in step:
            for branch in step["branches"]:
                yield from _asked(program, branch)
        elif step["step"] in names and "inputs" in step and "outputs" in step:
            yield step


def _shown(predictor: Any, inputs: Mapping[str, Any], found: set[str], known: Mapping[str, Passage]) -> dict[str, Any]:
    """The inputs as the LM was shown them: passages in full, where the record has their ids."""
    fields = predictor.signature.input_fields

    def text(name: str, value: Any) -> Any:
        if name not in fields or not _are_ids(name, fields[name], value, found):
            return value
        return [str(known[each]) for each in value] if isinstance(value, list) else str(known[value])

    return {name: text(name, value) for name, value in inputs.items()}


def _are_ids(name: str, field: Any, value: Any, found: set[str]) -> bool:
    """True if a recorded value is of passages: of found ones, in a field that shows passages, or does not say what."""
    described = str((field.json_schema_extra or {}).get("desc", ""))
    if SHOWN not in described and described != f"${{{name}}}":
        return False
    members = value if isinstance(value, list) else [value]
    return bool(members) and all(isinstance(each, str) and each in found for each in members)


def _passages_named(program: Program, row: Row, steps: Sequence[str]) -> set[str]:
    """The ids of the passages that the decisions of a row show."""
    predictors, found = _predictors(program), _found(row)
    named = {name for name, _ in row["passages"]} if program.planner in steps else set()
    for ask in _asked(program, row["trajectory"]):
        fields = predictors[ask["step"]].signature.input_fields
        for name, value in ask["inputs"].items() if ask["step"] in steps else ():
            if name in fields and _are_ids(name, fields[name], value, found):
                named |= set(value if isinstance(value, list) else [value])
    return named


def _passages(run: Any, program: Program, wanted: set[str]) -> dict[str, Passage]:
    """The passages by their ids, in one pass through the corpus."""
    if not wanted:
        return {}
    if not isinstance(program.retriever, Iterable):
        raise InputError(
            f"{os.fspath(run)} names passages by their ids, and this retriever does not give its passages; take one "
            "over the corpus itself (on the command line, --corpus)."
        )
    known = {passage.id: passage for passage in program.retriever if passage.id in wanted}
    if missing := wanted - known.keys():
        raise MismatchError(
            f"{len(missing):,} of the {len(wanted):,} passages that {os.fspath(run)} shows are not in this corpus, "
            f"such as '{min(missing)}'; take the one that was searched (on the command line, --corpus)."
        )
    return known


def _found(row: Row) -> set[str]:
    """The ids of all passages that the question found."""
    hits = {hit["id"] for step in searches(row["trajectory"]) for hit in step.get("hits", ())}
    return hits | {name for name, _ in row["passages"]}


def _predictors(program: Program) -> dict[str, Any]:
    return {_step_of(name): predictor for name, predictor in program.named_predictors()}


def _step_of(predictor: str) -> str:
    """The step of a predictor, by the name DSPy lists it under, also where a run watched the program."""
    return predictor.removeprefix("program.").partition(".")[0]
