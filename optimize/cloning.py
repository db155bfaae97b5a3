"""Behaviour cloning: the decisions of a step become a chat file, a fine-tuned model, and a program driven by it."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dspy

from ..base import InputError, MismatchError, unknown, writing
from ..data import Question
from ..evaluation import open_run
from ..evaluation.journal import read_header
from ..evaluation.row import Row
from ..programs import PROGRAMS, create, program_named
from ..retrieval import Passage
from ..runtime import AskStep, Decision, Program, TrajectoryStep, searches, settings_of
from .artefact import save
from .demonstrations import predictors_by_step
from .finetuning import chat_lines, chat_rows, finetune
from .gold_examples import passages_named, searched_gold, step_examples


@dataclass(frozen=True, slots=True)
class Cloning:
    """The result of a cloning."""

    questions: int
    """Questions that had an answer."""
    kept: int
    """The number of them whose decisions were taken."""
    step: str
    """The step that is imitated."""
    file: Path
    """The chat file of the step's decisions."""
    rows: int
    """The number of conversations in it."""
    model: str | None = None
    """The name under which the fine-tuned model is asked; None if none was asked for."""
    artefact: Path | None = None
    """The program driven by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneOptions:
    """The options of a cloning."""

    from_run: str | os.PathLike[str] | None = None
    """The folder of a finished run of the program."""
    from_gold: Sequence[Question] = ()
    """Instead of a run, questions with answers and supporting paragraphs; of more than 500, so many are drawn."""
    step: str | None = None
    """The step to imitate; the planner by default."""
    only_right: bool = False
    """Learn from the questions of the run alone that were answered right."""
    limit: int | None = None
    """Only the first so many questions."""
    start_from: str | None = None
    """The model to fine-tune, see `finetune`; without it only the file is written."""
    options: Mapping[str, Any] | None = None
    """Options of the training, such as `{"n_epochs": 3}`."""
    corpus: str | None = None
    """The corpus that the retriever was opened from, for the saved program to open again."""
    tell: Callable[[str], None] = lambda line: None
    """Called with lines about the training."""


def clone(program: Program, *, out: str | os.PathLike[str], **options: Any) -> Cloning:
    """Write a step's decisions as a chat file, and train a model on it that drives the program from then on.

    No LM is asked: the decisions are those of a finished run, or those that the gold of questions says are right. The
    paper learns from every path that the search chose, whether the answer is right or not; so does this, unless
    `only_right`. The same call again goes on with a training that was begun.

    Differs from the paper: it trains with the settings that OpenAI chooses; `options` says otherwise.

    Args:
        program: The one to imitate, with the retriever over the corpus that was searched.
        out: A folder, for `STEP.jsonl` and `program.json`.
        **options: See `CloneOptions`.

    Raises:
        InputError: The program has no planner, or nothing is left to learn from; the message says why.
    """
    given, folder = CloneOptions(**options), Path(out)
    driven, step = driven_by_planner(program, given.step)
    count, decisions, taught = _decisions_to_learn(program, driven, step, given)
    rows = chat_rows(driven, [each for some in decisions for each in some], start_from=given.start_from or "")
    if not rows:
        raise InputError(f"there is no decision of step '{step}' to learn from.")
    with writing(folder / f"{step}.jsonl") as file:
        file.write(chat_lines(rows))
    done = Cloning(count, len(decisions), step, folder / f"{step}.jsonl", len(rows))
    if given.start_from is None:
        return done
    name = f"{program.name}-{step}"
    model = finetune(given.start_from, rows, name=name, tell=given.tell, **(given.options or {})).lm
    cloned = create(type(driven), program.retriever, **{**driven.settings, "lms": {step: model}, "cloned": (step,)})
    about = {"optimizer": "cloned", "cloned from": program.name, "kept": len(decisions), "start from": given.start_from}
    save(cloned, folder / "program.json", corpus=given.corpus, about=about | taught)
    return replace(done, model=model, artefact=folder / "program.json")


def _decisions_to_learn(
    program: Program, driven: Program, step: str, options: CloneOptions
) -> tuple[int, list[list[Decision]], dict[str, Any]]:
    """The number of questions, the decisions of each that is kept, and the facts about the LM that made them."""
    run, gold = options.from_run, options.from_gold[: options.limit]
    if (run is None) == (not options.from_gold):
        raise InputError("it is learned from a finished run or from the gold of questions: give one of them.")
    if run is None:
        return len(gold), decisions_of_gold(driven, gold, step), {}
    count, decisions = decisions_of_run(run, program, step, only_right=options.only_right, limit=options.limit)
    lms = {name.partition(".")[0]: lm for name, lm in read_header(run)["identity"]["lm"].items()}
    lm = lms.get(step) or next(iter(lms.values()))
    return count, decisions, {"lm": lm["model"], **({"decoding": lm["decoding"]} if lm["decoding"] else {})}


def decisions_of_gold(program: Program, questions: Sequence[Question], step: str) -> list[list[Decision]]:
    """The right decisions of the step for each question whose gold can be read, at each state on the way."""
    if step not in program.steps:
        raise unknown(f"step of '{program.name}'", step, program.steps)
    decisions: dict[str, list[Decision]] = {}
    for name, pool in step_examples(program, searched_gold(program, questions)).items():
        for example in pool.examples if name.partition(".")[0] == step else ():
            right = Decision(step, example.shown.inputs().toDict(), example.shown.labels().toDict())
            decisions.setdefault(example.question, []).append(right)
    if not decisions:
        raise InputError(
            f"of none of the {len(questions)} questions the gold can be read: an answer and its supporting paragraphs."
        )
    return list(decisions.values())


def driven_by_planner(program: Program, step: str | None = None) -> tuple[Program, str]:
    """The program that the clone will drive, with the settings that both have, and the step that is cloned."""
    if not program.planner and not step:
        able = ", ".join(name for name, each in PROGRAMS.items() if each.planner)
        first = program.steps[0] if program.steps else "STEP"
        raise InputError(
            f"'{program.name}' has no planner to clone; these have: {able}. "
            f'Of another program, name the step to imitate: step="{first}" (on the command line, --step {first}).'
        )
    planned = bool(program.clone) and step in (None, program.planner)
    kind = program_named(program.clone) if planned else type(program)
    valid = settings_of(kind)
    shared = {
        name: value for name, value in program.settings.items() if name in valid and name not in ("lms", "cloned")
    }
    return create(kind, program.retriever, **shared), step or program.planner


SHOWN = "'title | text'"
"""The words with which the description of a field says that it shows passages."""


def decisions_of_run(
    run: str | os.PathLike[str], program: Program, step: str, *, only_right: bool = False, limit: int | None = None
) -> tuple[int, list[list[Decision]]]:
    """The number of answered questions, and for each one that is kept the decisions of the step.

    They are all calls of the step that gave an answer; of a search's planner those of the path that was chosen.
    """
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
    decisions = [_decisions(program, row, step, known, shown) for row in kept]
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
    if step not in predictors:
        raise unknown(f"step of '{program.name}'", step, predictors)
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
