"""The decisions of a step in a finished run, read from its journal: nothing is asked again.

A journal names passages by their ids; their texts come from the corpus that the program's retriever holds.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import dspy

from ...base import InputError, MismatchError, unknown
from ...evaluation import open_run
from ...evaluation.journal import read_header
from ...evaluation.row import Row
from ...retrieval import Passage
from ...runtime import AskStep, Decision, Program, TrajectoryStep, searches

SHOWN = "'title | text'"
"""The words with which the description of a field says that it shows passages."""


def decisions_of_run(
    run: str | os.PathLike[str], program: Program, step: str, *, only_right: bool = False, limit: int | None = None
) -> tuple[int, list[list[Decision]]]:
    """The number of answered questions, and for each one that is kept the decisions of the step.

    They are all calls of the step that gave an answer; of a search's planner those of the path that was chosen.

    Args:
        run: The run's folder.
        program: The program that made it, with the retriever whose corpus holds the passages.
        step: The step.
        only_right: Keep the questions alone whose answer was right.
        limit: Only the first so many answered questions.

    Raises:
        InputError: The run is of another program, or the step had other fields; nothing is left to learn from; or the
            passages are not in the corpus.
    """
    _check_maker(run, program, step)
    rows = [row for row in open_run(run).rows() if not row["error"]][:limit]
    if only_right and not any("em" in row["metrics"] for row in rows):
        raise InputError(f"{os.fspath(run)} did not measure 'em', so nobody knows which answers are right.")
    kept = [row for row in rows if not only_right or row["metrics"]["em"] == 1.0]
    if not kept:
        why = f"none of the {len(rows)} answers is right" if rows else "no question was answered"
        raise InputError(f"{os.fspath(run)}: {why}, so there is nothing to learn from.")
    known = _passages(run, program, _named(program, kept, step))
    return len(rows), [_decisions(program, row, step, known) for row in kept]


def lm_of_run(run: str | os.PathLike[str], step: str) -> dict[str, Any]:
    """The facts about the LM that was asked for a step in a run, as a saved program keeps them."""
    lms = {name.partition(".")[0]: lm for name, lm in read_header(run)["identity"]["lm"].items()}
    lm = lms.get(step) or next(iter(lms.values()))
    return {"lm": lm["model"], **({"decoding": lm["decoding"]} if lm["decoding"] else {})}


def _check_maker(run: Any, program: Program, step: str) -> None:
    """Refuse a run of another program, or of a step with other fields."""
    made_by, predictors = read_header(run)["identity"]["program"], _predictors(program)
    if made_by["name"] != program.name:
        raise MismatchError(f"{os.fspath(run)} is a run of '{made_by['name']}', not of '{program.name}'.")
    if step not in predictors:
        raise unknown(f"step of '{program.name}'", step, predictors)
    then = {name.partition(".")[0]: sorted(prompt["fields"]) for name, prompt in made_by["prompts"].items()}
    now = sorted(predictors[step].signature.fields)
    if then.get(step, now) != now:
        raise MismatchError(
            f"the step '{step}' of {os.fspath(run)} has the fields {', '.join(then[step])}, and here {', '.join(now)}; "
            "give the settings that the run was made with (--set NAME=VALUE)."
        )


def _decisions(program: Program, row: Row, step: str, known: Mapping[str, Passage]) -> list[Decision]:
    """The step's decisions in a row: of a search's planner those on its path, of every other step its calls."""
    passages = [known[name] for name, _ in row["passages"] if name in known]
    prediction = dspy.Prediction(answer=row["answer"], passages=passages, evidence=row["evidence"])
    path = program.decisions(row["question"], prediction) if step == program.planner else None
    return list(_calls(program, row, step, lambda name: str(known[name]))) if path is None else path


def _calls(program: Program, row: Row, step: str, text: Callable[[str], str]) -> Iterator[Decision]:
    """The step's calls that gave an answer, with `text` of a passage's id where the LM was shown the passage."""
    signature = _predictors(program)[step].signature
    hits = {hit["id"] for each in searches(row["trajectory"]) for hit in each.get("hits", ())}
    found = hits | {name for name, _ in row["passages"]}
    for ask in _asked(step, row["trajectory"]):
        inputs = {name: value for name, value in ask["inputs"].items() if name in signature.input_fields}
        for name, value in inputs.items():
            if _are_ids(name, signature.input_fields[name], value, found):
                inputs[name] = [text(each) for each in value] if isinstance(value, list) else text(value)
        outputs = {name: value for name, value in ask["outputs"].items() if name in signature.output_fields}
        yield Decision(step, inputs, outputs)


def _named(program: Program, rows: Iterable[Row], step: str) -> set[str]:
    """The ids of the passages that the step's decisions show."""
    named = {name for row in rows for name, _ in row["passages"] if step == program.planner}

    def note(name: str) -> str:
        named.add(name)
        return name

    for row in rows:
        list(_calls(program, row, step, note))
    return named


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


def _passages(run: Any, program: Program, wanted: set[str]) -> dict[str, Passage]:
    """The passages by their ids, in one pass through the corpus."""
    if wanted and not isinstance(program.retriever, Iterable):
        raise InputError(
            f"{os.fspath(run)} names passages by their ids, and this retriever does not give its passages; take one "
            "over the corpus itself (on the command line, --corpus)."
        )
    known = {passage.id: passage for passage in program.retriever if passage.id in wanted} if wanted else {}
    if missing := wanted - known.keys():
        raise MismatchError(
            f"{len(missing):,} of the {len(wanted):,} passages that {os.fspath(run)} shows are not in this corpus, "
            f"such as '{min(missing)}'; take the one that was searched (on the command line, --corpus)."
        )
    return known


def _predictors(program: Program) -> dict[str, Any]:
    return {name.partition(".")[0]: predictor for name, predictor in program.named_predictors()}
