"""The decisions that a run made: a step's calls with what they answered, their passages in full."""

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import dspy

from ..base import InputError, MismatchError, check_known
from ..evaluation import open_run
from ..evaluation.journal import read_header
from ..evaluation.row import Row
from ..retrieval import Passage
from ..runtime import AskStep, Decision, Program, TrajectoryStep, searches
from .demonstrations import predictors_by_step
from .gold_examples import passages_named

SHOWN = "'title | text'"
"""The words with which the description of a field says that it shows passages."""


def decisions_of_run(
    run: str | os.PathLike[str], program: Program, *steps: str, only_right: bool = False, limit: int | None = None
) -> tuple[int, dict[str, list[Decision]]]:
    """The number of answered questions, and by the id of each one that is kept the decisions of the steps.

    They are all calls of a step that gave an answer; of a search's planner those of the path that was chosen.
    """
    for step in steps:
        _check_maker(run, program, step)
    rows = [row for row in open_run(run).rows() if not row["error"]][:limit]
    if only_right and not any("em" in row["metrics"] for row in rows):
        raise InputError(f"{os.fspath(run)} did not measure 'em', so nobody knows which answers are right.")
    kept = [row for row in rows if not only_right or row["metrics"]["em"] == 1.0]
    if not kept:
        why = f"none of the {len(rows)} answers is right" if rows else "no question was answered"
        raise InputError(f"{os.fspath(run)}: {why}, so there is nothing to learn from.")
    known = passages_named(program.retriever, {name for row in kept for name in _found(row)})
    shown = set[str]()
    decisions = {
        row["id"]: [each for step in steps for each in _decisions(program, row, step, known, shown)] for row in kept
    }
    if shown and not isinstance(program.retriever, Iterable):
        raise InputError(
            f"{os.fspath(run)} names passages by their ids, and this retriever does not give its passages; take one "
            "over the corpus itself (on the command line, --corpus)."
        )
    if missing := shown - known.keys():
        raise MismatchError(
            f"{len(missing):,} of the {len(shown):,} passages that {os.fspath(run)} shows are not in this corpus, "
            f"such as '{min(missing)}'; take the one that was searched (on the command line, --corpus)."
        )
    return len(rows), decisions


def _check_maker(run: Any, program: Program, step: str) -> None:
    """Refuse a run of another program, or of a step with other fields."""
    made_by, predictors = read_header(run)["identity"]["program"], predictors_by_step(program)
    if made_by["name"] != program.name:
        raise MismatchError(f"{os.fspath(run)} is a run of '{made_by['name']}', not of '{program.name}'.")
    check_known(f"step of '{program.name}'", step, predictors)
    then = {name.partition(".")[0]: sorted(prompt["fields"]) for name, prompt in made_by["prompts"].items()}
    now = sorted(predictors[step].signature.fields)
    if then.get(step, now) != now:
        raise MismatchError(
            f"the step '{step}' of {os.fspath(run)} has the fields {', '.join(then[step])}, and here {', '.join(now)}; "
            "give the settings that the run was made with (--set NAME=VALUE)."
        )


def _found(row: Row) -> set[str]:
    """The ids of the passages that a question's searches found."""
    hits = {hit["id"] for each in searches(row["trajectory"]) for hit in each.get("hits", ())}
    return hits | {name for name, _ in row["passages"]}


def _decisions(program: Program, row: Row, step: str, known: Mapping[str, Passage], shown: set[str]) -> list[Decision]:
    """A row's decisions: a planner's on its path, other steps' calls; the ids of their passages go into `shown`."""
    if step == program.planner:
        names = [name for name, _ in row["passages"]]
        shown.update(names)
        passages = [known[name] for name in names if name in known]
        prediction = dspy.Prediction(answer=row["answer"], passages=passages, evidence=row["evidence"])
        path = program.decisions(row["question"], prediction)
        if path is not None:
            return path
    signature, found = predictors_by_step(program)[step].signature, _found(row)

    def text(name: str) -> str:
        shown.add(name)
        return str(known.get(name, ""))

    decisions = []
    for ask in _asked(step, row["trajectory"]):
        inputs = {name: value for name, value in ask["inputs"].items() if name in signature.input_fields}
        for name, value in inputs.items():
            if _are_ids(name, signature.input_fields[name], value, found):
                inputs[name] = [text(each) for each in value] if isinstance(value, list) else text(value)
        outputs = {name: value for name, value in ask["outputs"].items() if name in signature.output_fields}
        decisions.append(Decision(step, inputs, outputs))
    return decisions


def _asked(step: str, trajectory: Iterable[TrajectoryStep]) -> Iterator[AskStep]:
    """The calls of the step that gave an answer, those of branches where the branches are."""
    for each in trajectory:
        if "branches" in each:
            for branch in each["branches"]:
                yield from _asked(step, branch)
        elif each["step"] == step and "inputs" in each and "outputs" in each:
            yield each


def _are_ids(name: str, field: Any, value: Any, found: set[str]) -> bool:
    """True if a recorded value is of passages: of found ones, in a field that shows passages, or does not say what."""
    described = str((field.json_schema_extra or {}).get("desc", ""))
    if SHOWN not in described and described != f"${{{name}}}":
        return False
    members = value if isinstance(value, list) else [value]
    return bool(members) and all(isinstance(each, str) and each in found for each in members)
